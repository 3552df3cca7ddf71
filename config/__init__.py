"""Start-up of every process: it imports this package first, which sets the file mode and loads the Celery app."""

import os

# Files hold texts, password hashes and keys, so they are closed to other accounts of the machine from the first byte.
os.umask(0o077)

from config.celery import app as celery_app  # noqa: E402 - Celery reads settings, which make folders

__all__ = ["celery_app"]
