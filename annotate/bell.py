"""The bell that tells workers there is something to do. The database says what; a ring that is lost is rung again.

Rung by the names of tasks, because tasks know the services and services must not know them.
"""

from functools import partial

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

from annotate.circuit_breaker import CircuitBreaker

RESTS = 10.0  # seconds without a ring after a failed one; the clock's rings do the rest
breaker = CircuitBreaker(RESTS)


def ring(task: str, *ids: int, expires: float | None = None) -> None:
    """Ring once the row is committed. A bell that cannot be heard now is rung again by the task `reconcile`.

    task: its name in annotate.tasks. expires: seconds after which nobody need hear it any more, because it will have
    been rung again.
    """
    transaction.on_commit(partial(_ring, task, ids, expires))


def _ring(task: str, ids: tuple[int, ...], expires: float | None) -> None:
    """A frozen broker costs the transport's timeout once, see the settings; then nobody waits for it for a while."""
    if not breaker.allows():
        return
    try:
        current_app.send_task(f"annotate.tasks.{task}", ids, retry=False, expires=expires)
    except (OperationalError, OSError):
        breaker.failed()
        return
    breaker.succeeded()
