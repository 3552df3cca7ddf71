from collections.abc import Iterator

import pytest

from annotate.engine import concurrency, purposes, steps
from annotate.engine.purposes import Purpose
from tests.support.faulty_model import FaultyModel, faulty_model
from tests.support.small_purpose import Words


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> Words:
    """The small purpose, known by its name."""
    purpose = Words()
    known: dict[str, Purpose] = {**purposes.purposes(), purpose.slug: purpose}
    monkeypatch.setattr(purposes, "purposes", lambda: known)
    return purpose


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No rest between attempts, and no waiting for company before a commit."""
    monkeypatch.setattr(steps, "FIRST_REST", 0.0)
    monkeypatch.setattr(concurrency, "GATHERED", 0.0)
    monkeypatch.setattr(concurrency, "PAUSE", 0.0)


@pytest.fixture
def model() -> Iterator[FaultyModel]:
    """Answers everything well, unless told otherwise."""
    with faulty_model() as serving:
        yield serving
