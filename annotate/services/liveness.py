"""A sign of life from the worker: a file in the data folder that it touches at every beat of the clock."""

from pathlib import Path
from time import time

from django.conf import settings

SILENT_AFTER = 60.0  # seconds; the clock beats every five


def beat() -> None:
    _file().touch()


def seconds_since_beat() -> float | None:
    """None where no worker has ever run with this data folder.

    A beat in the future counts as that long ago: the clock was set back since, and nobody has beaten after that.
    """
    try:
        return abs(time() - _file().stat().st_mtime)
    except FileNotFoundError:
        return None


def _file() -> Path:
    return Path(settings.DATA_DIR) / "worker-alive"
