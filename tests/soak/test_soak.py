"""A minute of `make soak` on each database: everything breaks, and no promise does."""

import pytest

from tests.soak.__main__ import soaked
from tests.support.installations import Installations

pytestmark = [pytest.mark.slow, pytest.mark.long]


def test_in_a_minute_in_which_everything_breaks_no_promise_does(installations: Installations, database: str) -> None:
    report = soaked(installations, database, seconds=60, people=12, seed=1)
    assert report.violations == [], report.as_text()
    assert report.requests > 0
    assert sum(report.faults.values()) > 0
