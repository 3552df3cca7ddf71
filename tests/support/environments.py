"""The environment of an ordinary installation of a test: nothing of the environment of the tests gets into it."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def ordinary(folder: Path, database_url: str) -> dict[str, str]:
    """Its variables; folder: for all of its data."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(ROOT),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "SECRET_KEY": "only-for-tests-and-never-for-an-installation-" + "x" * 20,
        "DATA_DIR": str(folder),
        "DATABASE_URL": database_url,
        "CELERY_BROKER_URL": "filesystem://",
        "DEBUG": "false",
        "HTTPS": "false",
        "EMAIL_URL": "",
        "OPENBLAS_NUM_THREADS": "1",  # as in tests/settings.py
    }
