"""One answer at a time gets a score: plain, with an explanation, by a rubric, by an axis, by both."""
