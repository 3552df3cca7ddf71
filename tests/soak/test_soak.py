"""A minute of the soak, half of it on each database. `make soak` runs it for as long as it deserves."""

import pytest

from tests.soak.soak import soak
from tests.support.installations import Installations

pytestmark = [pytest.mark.slow, pytest.mark.long]


def test_nothing_is_lost_while_everything_breaks(installations: Installations, database: str) -> None:
    report = soak(installations, database, seconds=30, people=12, seed=7)
    assert report.violations == []
    assert report.operations["submit acknowledged"] > 0, report.as_text()
    assert sum(report.faults.values()) >= 3, report.as_text()
