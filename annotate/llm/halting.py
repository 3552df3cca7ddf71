"""A run that pauses by itself, and keeps why."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from django.db import transaction

from annotate.kinds.causes import Cause
from annotate.models import Run


@dataclass(frozen=True)
class Halt:
    """Why nothing more is sent. budget: the one that was looked at, where that is the cause."""

    cause: Cause
    detail: str
    budget: Decimal | None = None


def halt(run: Run, reason: Halt, announce: Callable[[Run], None]) -> bool:
    """Pause it, for all workers; whether this changed anything. announce: called in the same transaction."""
    running = Run.objects.filter(pk=run.pk, state=Run.State.RUNNING)
    if reason.cause == Cause.BUDGET:
        running = running.filter(budget=reason.budget)  # or somebody has raised it
    with transaction.atomic():
        halted = running.update(state=Run.State.PAUSED, cause=reason.cause, detail=reason.detail)
        if halted:
            announce(Run.objects.select_related("project", "started_by").get(pk=run.pk))
    return bool(halted)
