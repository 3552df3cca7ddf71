"""The background jobs of judging, one file each, found automatically; see annotate/engine/chores.py."""
