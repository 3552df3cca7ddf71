"""The API for programs, below /api/v1/: see docs/api.md."""
