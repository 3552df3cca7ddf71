"""Whatever process runs here imports this package first."""

import os

# What it writes holds texts, password hashes and keys: closed to other accounts of the machine from the first byte.
os.umask(0o077)

from config.celery import app as celery_app  # noqa: E402 - Celery reads settings, which make folders

__all__ = ["celery_app"]
