import pytest

from annotate import circuit_breaker
from annotate.circuit_breaker import CircuitBreaker


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(circuit_breaker, "monotonic", clock)
    return clock


def test_a_service_that_answers_is_always_asked(clock: Clock) -> None:
    breaker = CircuitBreaker(rest=10)
    breaker.succeeded()
    assert [breaker.allows() for _ in range(3)] == [True, True, True]


def test_after_a_failure_it_rests(clock: Clock) -> None:
    breaker = CircuitBreaker(rest=10)
    breaker.failed()
    clock.now += 9.9
    assert not breaker.allows()


def test_after_the_rest_a_single_caller_tries_while_the_others_go_on_resting(clock: Clock) -> None:
    breaker = CircuitBreaker(rest=10)
    breaker.failed()
    clock.now += 10
    assert [breaker.allows() for _ in range(3)] == [True, False, False]
    breaker.succeeded()
    assert breaker.allows()


def test_a_trial_that_never_ends_does_not_keep_it_open_for_ever(clock: Clock) -> None:
    breaker = CircuitBreaker(rest=10)
    breaker.failed()
    clock.now += 10
    assert breaker.allows()
    clock.now += 10
    assert breaker.allows()
