"""The bell that wakes the workers. The database holds the work; a ring that gets lost is repeated.

Callers ring by the name of a task, because tasks know the services and services must not know the tasks.
"""

from functools import partial

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

from annotate.circuit_breaker import CircuitBreaker

RESTS = 10.0  # seconds without a ring after a failed one; meanwhile the periodic tasks find the work
breaker = CircuitBreaker(RESTS)


def ring(task: str, *ids: int, expires: float | None = None) -> None:
    """Ring once the row is committed. A ring that fails now is repeated by the task `reconcile`.

    task: its name in annotate.tasks. expires: seconds after which the message may be dropped, because the next ring is
    due by then.
    """
    transaction.on_commit(partial(_ring, task, ids, expires))


def _ring(task: str, ids: tuple[int, ...], expires: float | None) -> None:
    """A broker that hangs costs the transport's timeout once (see the settings); after that nobody waits for it for a
    while.
    """
    if not breaker.allows():
        return
    try:
        current_app.send_task(f"annotate.tasks.{task}", ids, retry=False, expires=expires)
    except (OperationalError, OSError):
        breaker.failed()
        return
    breaker.succeeded()
