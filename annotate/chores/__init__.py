"""The background jobs, one file each, found automatically; see annotate/engine/chores.py."""
