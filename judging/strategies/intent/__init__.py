"""One answer beside a reference worth 8, by the five criteria of what its user wanted."""
