"""Answers, judges, and how far judges agree with people. May import annotate; annotate never imports judging."""
