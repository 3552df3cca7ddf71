"""Runs of judging: which answers they are about, what is kept of them, and which judges there are."""
