"""Thin tasks: ids in, a service does the work. The database says what is to be done; the broker is only a bell."""

from functools import partial

from celery import Task, shared_task
from django.db import transaction
from kombu.exceptions import OperationalError

from annotate.services import importing, liveness, queue, reconciling, releasing, runs
from annotate.services.webhooks import queue as webhook_queue

EXPIRES = 15.0  # seconds; the clock ticks every five


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
    for waiting in runs.passes_waiting():
        ring(go_over, waiting, expires=EXPIRES)
    for run in runs.claimable():
        ring(drain_run, run, expires=EXPIRES)
    if webhook_queue.are_due():
        ring(send_deliveries, expires=EXPIRES)


@shared_task
def run_batch(pk: int) -> None:
    importing.run_uploaded(pk)


@shared_task
def make_release(pk: int) -> None:
    releasing.make(pk)


@shared_task
def go_over(pk: int) -> None:
    """Plan a large run, or read its replies again."""
    runs.go_over(pk)


@shared_task(acks_late=True, reject_on_worker_lost=True)
def drain_run(pk: int) -> None:
    """Work at a run until another one waits, then stand in line again. In a queue of its own, see settings."""
    if runs.drain(pk):
        ring(drain_run, pk)


@shared_task
def send_deliveries() -> None:
    """Tell webhooks what waits to be told."""
    webhook_queue.send_due()


def ring(task: Task, *ids: int, expires: float | None = None) -> None:
    """Ring once the row is committed. A bell that cannot be heard now is rung again by `reconcile`.

    expires: seconds after which nobody need hear it any more, because it will have been rung again.
    """
    transaction.on_commit(partial(_ring, task, ids, expires))


def _ring(task: Task, ids: tuple[int, ...], expires: float | None) -> None:
    try:
        task.apply_async(ids, retry=False, expires=expires)
    except (OperationalError, OSError):
        return
