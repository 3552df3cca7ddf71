"""Ours, pure: texts, statistics, charts and the simulated model. Imports no app and no table."""
