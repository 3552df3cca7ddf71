"""Judging by criteria of the query: criteria, a guideline for each, a judgement by each, and their sum."""
