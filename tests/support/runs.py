"""Runs as rows, without an engine: with jobs in every state and a ledger, made in one line."""

from decimal import Decimal
from itertools import count
from typing import Any
from uuid import uuid4

from django.utils import timezone

from annotate.models import Call, Endpoint, Item, Job, Project, Run

_numbers = count(1)
LATER = timezone.timedelta(minutes=5)


def make_endpoint(**columns: Any) -> Endpoint:
    given: dict[str, Any] = {
        "name": f"endpoint-{next(_numbers)}",
        "base_url": "http://127.0.0.1:9/v1",
        "model": "draft-m",
        "price_in": Decimal("1.5"),
        "price_out": Decimal(6),
        "approved": True,
    }
    return Endpoint.objects.create(**given | columns)


def make_run(project: Project, *, endpoint: Endpoint | None = None, **columns: Any) -> Run:
    given: dict[str, Any] = {"purpose": "preannotate", "state": "running", "started_at": timezone.now()}
    return Run.objects.create(project=project, endpoint=endpoint or make_endpoint(), **given | columns)


def make_jobs(
    run: Run, *, items: list[Item] | None = None, causes: dict[str, int] | None = None, **states: int
) -> None:
    """So many jobs of each state, such as done=3; causes: failed ones by cause; items: what the first are about."""
    wanted = [(state, "") for state, n in states.items() for _ in range(n)]
    wanted += [("failed", cause) for cause, n in (causes or {}).items() for _ in range(n)]
    start, about = run.jobs.count(), iter(items or [])
    jobs = [_job(run, start + place, *one, item=next(about, None)) for place, one in enumerate(wanted)]
    Job.objects.bulk_create(jobs, batch_size=2000)


def _job(run: Run, place: int, state: str, cause: str, *, item: Item | None) -> Job:
    leased = {"token": uuid4(), "lease_until": timezone.now() + LATER} if state == "leased" else {}
    ended = timezone.now() if state in ("done", "failed", "cancelled") else None
    return Job(run=run, subject=f"subject-{place:05d}", item=item, state=state, cause=cause, ended_at=ended, **leased)


def make_call(job: Job, *, step: str = "feedback", attempt: int = 1, **columns: Any) -> Call:
    request = {"messages": [{"role": "user", "content": "What is wrong here?"}], "temperature": 0.0}
    given: dict[str, Any] = {"request": request, "digest": "0" * 64, "cause": "", "reply": '{"feedback": "Too many."}'}
    given |= {"tokens_in": 100, "tokens_out": 20, "cost": Decimal("0.00027"), "milliseconds": 1200, "model": "draft-m"}
    return Call.objects.create(job=job, step=step, attempt=attempt, **given | columns)
