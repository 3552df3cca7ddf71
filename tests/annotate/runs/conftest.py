from typing import Any

import pytest

from annotate import bell
from annotate.engine import purposes
from tests.annotate.engine.conftest import at_once, model, words
from tests.support.small_purpose import Words

__all__ = ["at_once", "model", "words"]
NOWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture
def rings(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """What the bell was rung for."""
    rung: list[tuple[str, int]] = []
    monkeypatch.setattr(bell, "ring", lambda task, pk, **_options: rung.append((task, pk)))
    return rung


class Reader(Words):
    """Its parser can be changed."""

    upper = False

    async def work(self, case: Any, ask: Any) -> list[str]:
        found = await super().work(case, ask)
        return [word.upper() for word in found] if self.upper else found


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    purpose = Reader()
    monkeypatch.setattr(purposes, "purposes", lambda: {"words": purpose})
    return purpose
