"""Definitions of own questions from and to other annotation tools, with a list of what has no counterpart there."""
