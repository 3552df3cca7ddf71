"""Celery tasks, kept thin: ids in, a service does the work. The database is the queue; the broker only rings a bell."""

from typing import Any

from celery import shared_task
from celery.signals import worker_shutting_down

from annotate import bell
from annotate.engine import chores, concurrency
from annotate.items import leases
from annotate.notices import deliveries as webhook_queue
from annotate.runs.execution import claimable, drain
from annotate.upkeep import diagnosis, reconciliation
from lib.log_lines import bound

EXPIRES = 15.0  # seconds; the periodic task runs every five


@worker_shutting_down.connect
def hand_back(**_signal: Any) -> None:
    """Called at shutdown: the engine in this worker's child processes sends nothing more."""
    concurrency.begin()


@shared_task
def reconcile() -> None:
    """Every few seconds: record a sign of life, release expired leases, ring again for waiting work."""
    diagnosis.beat()
    reconciliation.tidy_up()
    leases.sweep()
    for chore in chores.all_chores().values():
        for pk in chore.leases.claimable():
            bell.ring(chore.name, pk, expires=EXPIRES)
    for run in claimable():
        bell.ring("drain_run", run, expires=EXPIRES)
    if webhook_queue.due().exists():
        bell.ring("send_deliveries", expires=EXPIRES)


def _register(chore: chores.Chore[Any]) -> None:
    """The task of a background job, `annotate.tasks.<name>`."""

    @shared_task(name=f"{__name__}.{chore.name}")
    def work(pk: int) -> None:
        with bound(job=f"{chore.name}/{pk}"):
            chore.work(pk)


for _chore in chores.all_chores().values():
    _register(_chore)


@shared_task(acks_late=True, reject_on_worker_lost=True)
def drain_run(pk: int) -> None:
    """Work at a run until another one waits, then queue again. It has a Celery queue of its own, see the settings."""
    if drain(pk):
        bell.ring("drain_run", pk)


@shared_task
def send_deliveries() -> None:
    """Send the webhook messages that are due."""
    webhook_queue.send_due()
