"""Logs of chat services: conversations in common shapes, chosen by rules, made into rows of a project."""
