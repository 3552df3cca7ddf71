"""Charts of scores: numbers in, SVG out. Labels are placed last, because only they can overlap each other."""
