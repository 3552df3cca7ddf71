"""Candidates' answers: taken in from files, written by runs, counted and listed."""
