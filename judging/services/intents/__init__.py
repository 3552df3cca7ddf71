"""Scores by what users wanted, for the report and its page."""
