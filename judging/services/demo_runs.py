"""Runs of the demo's projects: real ones, worked here and now while the simulated model answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from annotate.llm.addresses import NAME
from annotate.models import Endpoint, Notification, Project, Run, User
from annotate.services import endpoints, runs
from annotate.services.demo.model import PRICES

OPEN = (Run.State.PLANNED, Run.State.RUNNING)


def endpoint_of(model: str, name: str = "") -> Endpoint:
    """An endpoint of the simulated service, wherever it answers. What people changed about it stays."""
    found = Endpoint.objects.filter(name=name or model).first()
    if found is None:
        columns: dict[str, Any] = {"base_url": NAME, "model": model, "deadline": 30}
        return endpoints.create(by=None, name=name or model, **columns, **PRICES)
    if found.simulated and found.base_url != NAME:
        Endpoint.objects.filter(pk=found.pk).update(base_url=NAME)
        found.base_url = NAME
    return found


@dataclass(frozen=True)
class Wanted:
    """shares: equal questions of its jobs are asked once."""

    purpose: str
    endpoint: Endpoint
    options: Mapping[str, Any]
    shares: bool = False


def keep(project: Project, number: int, wanted: Wanted, lead: User) -> None:
    """So many runs of this purpose there are afterwards, this being the last of them, and it is worked to its end.

    One that somebody has paused or cancelled is theirs.
    """
    there = list(project.runs.filter(purpose=wanted.purpose).order_by("pk"))
    if len(there) >= number:
        finish(there[number - 1], lead)
        return
    planned = runs.plan(
        project=project,
        purpose=wanted.purpose,
        endpoint=wanted.endpoint,
        by=lead,
        options=dict(wanted.options),
        shares_replies=wanted.shares,
    )
    finish(planned, lead)


def finish(run: Run, lead: User) -> None:
    if not run.jobs.exists():
        return
    if run.state == Run.State.PLANNED:
        runs.start(run, by=lead, ring=False)
    if run.state in OPEN:
        runs.work(run)
        # Nobody waited for it: the inbox of a fresh demo is not full of its making.
        Notification.objects.filter(run=run, read_at=None).update(read_at=timezone.now())
