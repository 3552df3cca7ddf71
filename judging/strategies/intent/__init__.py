"""One answer with a reference worth 8, scored by the five criteria of the user's intent."""
