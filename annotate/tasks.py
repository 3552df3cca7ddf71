"""Thin tasks: ids in, a service does the work. The database says what is to be done; the broker is only a bell."""

from functools import partial

from celery import Task, shared_task
from django.db import transaction
from kombu.exceptions import OperationalError

from annotate.services import importing, liveness, queue, reconciling, releasing


@shared_task
def reconcile() -> None:
    """Every few seconds: say that the worker is alive, put expired leases back, ring again for what waits."""
    liveness.beat()
    queue.sweep()
    reconciling.tidy_up()
    for batch in importing.claimable():
        ring(run_batch, batch)
    for release in releasing.claimable():
        ring(make_release, release)


@shared_task
def run_batch(pk: int) -> None:
    importing.run_uploaded(pk)


@shared_task
def make_release(pk: int) -> None:
    releasing.make(pk)


def ring(task: Task, pk: int) -> None:
    """Ring once the row is committed. A bell that cannot be heard now is rung again by `reconcile`."""
    transaction.on_commit(partial(_ring, task, pk))


def _ring(task: Task, pk: int) -> None:
    try:
        task.apply_async((pk,), retry=False)
    except (OperationalError, OSError):
        return
