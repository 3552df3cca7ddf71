"""Logs of chat services: conversations in common shapes, selected by rules and made into rows of a project."""
