import os
import time
from pathlib import Path
from typing import Any

import pytest

from annotate.upkeep import diagnosis


@pytest.fixture
def beat_at(settings: Any, tmp_path: Path) -> Any:
    settings.DATA_DIR = tmp_path
    diagnosis.beat()
    return lambda at: os.utime(diagnosis._file(), (at, at))


def test_a_beat_of_just_now_is_a_sign_of_life(beat_at: Any) -> None:
    assert (diagnosis.seconds_since_beat() or 0) < diagnosis.SILENT_AFTER


@pytest.mark.parametrize("days", [-1, 1])
def test_a_beat_of_yesterday_or_of_tomorrow_is_none(beat_at: Any, days: int) -> None:
    beat_at(time.time() + days * 24 * 3600)
    silent = diagnosis.seconds_since_beat()
    assert silent is not None
    assert silent > diagnosis.SILENT_AFTER


def test_a_clock_that_runs_a_little_ahead_is_no_silence(beat_at: Any) -> None:
    beat_at(time.time() + 20)
    assert (diagnosis.seconds_since_beat() or 0) < diagnosis.SILENT_AFTER
