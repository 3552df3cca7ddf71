"""Releases of ratings: what people and judges said as rows of a file, from which their agreement is counted again."""
