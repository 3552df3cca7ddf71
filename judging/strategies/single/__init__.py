"""One answer at a time gets a score: bare, with an explanation, by a rubric, by an axis, by both."""
