"""Thin tasks: ids in, a service does the work. The database says what is to be done; the broker is only a bell."""

from typing import Any

from celery import shared_task
from celery.signals import worker_shutting_down

from annotate import bell
from annotate.llm import stopping
from annotate.services import importing, liveness, near_duplicates, queue, reconciling, releasing, runs, withdrawing
from annotate.services.guidelines import reopening
from annotate.services.webhooks import queue as webhook_queue

EXPIRES = 15.0  # seconds; the clock ticks every five


@worker_shutting_down.connect
def hand_back(**_signal: Any) -> None:
    """The engine in the children of this worker sends nothing more."""
    stopping.begin()


@shared_task
def reconcile() -> None:
    """Every few seconds: say that the worker is alive, put expired leases back, ring again for what waits."""
    liveness.beat()
    reconciling.tidy_up()
    queue.sweep()
    for batch in importing.claimable():
        bell.ring("run_batch", batch)
    for release in releasing.claimable():
        bell.ring("make_release", release)
    for pass_id in runs.passes_waiting():
        bell.ring("go_over", pass_id, expires=EXPIRES)
    for run in runs.claimable():
        bell.ring("drain_run", run, expires=EXPIRES)
    for stale in reopening.claimable():
        bell.ring("reopen_stale", stale, expires=EXPIRES)
    for withdrawal in withdrawing.claimable():
        bell.ring("erase_withdrawn", withdrawal, expires=EXPIRES)
    for search in near_duplicates.claimable():
        bell.ring("find_alike", search, expires=EXPIRES)
    if webhook_queue.are_due():
        bell.ring("send_deliveries", expires=EXPIRES)


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


@shared_task
def reopen_stale(pk: int) -> None:
    """Go on with items that a version of the guidelines sends back to work."""
    reopening.work(pk)


@shared_task
def erase_withdrawn(pk: int) -> None:
    """Go on with taking out what a participant has withdrawn."""
    withdrawing.work(pk)


@shared_task
def find_alike(pk: int) -> None:
    """Look for items of a project that ask nearly the same."""
    near_duplicates.work(pk)


@shared_task(acks_late=True, reject_on_worker_lost=True)
def drain_run(pk: int) -> None:
    """Work at a run until another one waits, then stand in line again. In a queue of its own, see settings."""
    if runs.drain(pk):
        bell.ring("drain_run", pk)


@shared_task
def send_deliveries() -> None:
    """Tell webhooks what waits to be told."""
    webhook_queue.send_due()
