"""Files of others with answers and judgements. One file a format, found by its `FORMAT`."""
