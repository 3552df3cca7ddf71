"""Criteria of a query, a guideline for each, a judgement by each, and their sum."""
