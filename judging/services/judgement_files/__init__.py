"""Judgements of others taken in from files: their answers, judges, verdicts and parts."""
