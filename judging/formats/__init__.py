"""Formats of external files with answers and judgements. One module per format, found by its `FORMAT`."""
