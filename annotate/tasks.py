"""Thin tasks: ids in, a service does the work. The database says what is to be done; the broker is only a bell."""

from celery import shared_task

from annotate.services import liveness, queue


@shared_task
def reconcile() -> None:
    """Every few seconds: say that the worker is alive, put expired leases back."""
    liveness.beat()
    queue.sweep()
