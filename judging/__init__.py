"""Answers, judges, and how far they agree with people. May import annotate; never the other way."""
