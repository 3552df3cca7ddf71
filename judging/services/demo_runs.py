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
    endpoint = Endpoint.objects.filter(name=name or model).first()
    if endpoint is None:
        columns: dict[str, Any] = {"base_url": NAME, "model": model, "deadline": 30}
        return endpoints.create(by=None, name=name or model, **columns, **PRICES)
    if endpoint.simulated and endpoint.base_url != NAME:
        Endpoint.objects.filter(pk=endpoint.pk).update(base_url=NAME)
        endpoint.base_url = NAME
    return endpoint


@dataclass(frozen=True)
class Wanted:
    """shares: equal questions of its jobs are asked once."""

    purpose: str
    endpoint: Endpoint
    options: Mapping[str, Any]
    shares: bool = False


def keep(project: Project, number: int, run_request: Wanted, lead: User) -> None:
    """So many runs of this purpose there are afterwards, this being the last of them, and it is worked to its end.

    One that somebody has paused or cancelled is theirs.
    """
    existing_runs = list(project.runs.filter(purpose=run_request.purpose).order_by("pk"))
    if len(existing_runs) >= number:
        finish(existing_runs[number - 1], lead)
        return
    planned = runs.plan(
        project=project,
        purpose=run_request.purpose,
        endpoint=run_request.endpoint,
        by=lead,
        options=dict(run_request.options),
        shares_replies=run_request.shares,
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
