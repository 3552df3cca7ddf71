"""Charts of scores: numbers in, SVG out. Names come last, because only they can be in each other's way."""
