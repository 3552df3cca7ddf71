from pathlib import Path

import pytest
from kombu.exceptions import OperationalError

from annotate import bell
from annotate.circuit_breaker import CircuitBreaker

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def breaker(monkeypatch: pytest.MonkeyPatch) -> CircuitBreaker:
    breaker = CircuitBreaker(rest=60)
    monkeypatch.setattr(bell, "breaker", breaker)
    return breaker


def test_after_a_failed_ring_nobody_waits_for_the_broker_again(
    monkeypatch: pytest.MonkeyPatch, breaker: CircuitBreaker
) -> None:
    rung: list[str] = []

    def frozen(name: str, ids: tuple[int, ...], **_: object) -> None:
        rung.append(name)
        raise OperationalError("Timeout reading from socket")

    monkeypatch.setattr(bell.current_app, "send_task", frozen)
    for number in range(8):
        bell.ring("make_release", number)
    assert rung == ["annotate.tasks.make_release"]

    breaker.rest = 0
    bell.ring("make_release", 1)
    assert len(rung) == 2


def test_tasks_are_enqueued_in_a_single_place() -> None:
    sources = [*ROOT.glob("annotate/**/*.py"), *ROOT.glob("judging/**/*.py")]
    ways = ("send_task(", ".apply_async(", ".delay(")
    assert [path.name for path in sources if any(way in path.read_text() for way in ways)] == ["bell.py"]
