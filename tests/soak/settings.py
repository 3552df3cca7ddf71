"""The settings of an installation whose clock the soak can move: all its processes read the offset from one file."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.utils import timezone

CLOCK = Path(os.environ["DATA_DIR"]) / "clock-offset"


def now() -> datetime:
    """The time of the installation: this machine's, and as many seconds as the file says."""
    try:
        offset = float(CLOCK.read_text() or 0)
    except (OSError, ValueError):  # no leap so far, or just being written
        offset = 0.0
    return datetime.now(UTC) + timedelta(seconds=offset)


timezone.now = now  # before the models are loaded, which keep it as the default of their columns

from config.settings import *  # noqa: E402, F403
