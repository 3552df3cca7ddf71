import pytest

from annotate import bell
from tests.support.reviews import Case, make_case


@pytest.fixture
def case() -> Case:
    return make_case(reviews=1)


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """What the bell was rung for."""
    rings: list[tuple[str, int]] = []
    monkeypatch.setattr(bell, "ring", lambda task, pk, **_options: rings.append((task, pk)))
    return rings
