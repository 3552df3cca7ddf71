"""Planning a run: its jobs written in parts, its prompts frozen; and what it will roughly take."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import Sum
from django.utils.translation import gettext as _

from annotate import purposes as registry
from annotate.llm.asking import CallFailed, Prompts, Question, Reply
from annotate.llm.causes import Cause
from annotate.llm.threads import beside
from annotate.llm.tokens import tokens_in
from annotate.models import Endpoint, Job, Project, Run, User
from annotate.purposes.base import Case, Planned, Purpose
from annotate.services import prompts
from annotate.services.endpoints import refuse_unless_callable

CHUNK = 500
LOOKED_AT = 5  # jobs whose first question is composed for the estimate
TOKENS_OUT = 300  # of a reply, where nothing was ever measured
MILLION = Decimal(1_000_000)


def purpose_of(run: Run) -> Purpose:
    return registry.purposes()[run.purpose]


def prompts_of(run: Run) -> Prompts:
    return prompts.of_run(run)


def plan(
    *,
    project: Project,
    purpose: str,
    endpoint: Endpoint,
    by: User | None,
    options: dict[str, Any] | None = None,
    budget: Decimal | None = None,
    limit: int | None = None,
    shares_replies: bool = False,
) -> Run:
    """A planned run with all its jobs; nothing is sent. Nothing of it stays where planning fails.

    limit: at most so many jobs. Raises KeyError for a purpose that does not exist, Refused where the endpoint is
    retired or not approved, or a prompt is missing.
    """
    refuse_unless_callable(endpoint)
    asked = registry.purposes()[purpose]
    run = Run.objects.create(
        project=project,
        purpose=purpose,
        endpoint=endpoint,
        created_by=by,
        options=options or {},
        budget=budget,
        shares_replies=shares_replies,
    )
    try:
        _freeze_prompts(run, asked)
        for jobs in _chunks(islice(asked.plan(run), limit)):
            Job.objects.bulk_create(Job(run=run, subject=job.subject, item_id=job.item_id) for job in jobs)
    except BaseException:
        run.delete()
        raise
    Run.objects.filter(pk=run.pk, state=Run.State.PLANNING).update(state=Run.State.PLANNED)
    run.refresh_from_db()
    return run


def _freeze_prompts(run: Run, purpose: Purpose) -> None:
    with transaction.atomic():
        run.prompts.set(prompts.frozen(run.project, purpose.scope(run), purpose.steps(run)))


def _chunks(planned: Iterable[Planned]) -> Iterator[list[Planned]]:
    waiting = iter(planned)
    while chunk := list(islice(waiting, CHUNK)):
        yield chunk


@dataclass(frozen=True)
class Estimate:
    """What a run will take. cost: USD, None where the endpoint has no prices. note: what the numbers rest on."""

    jobs: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost: Decimal | None
    note: str


def estimate(run: Run) -> Estimate:
    """From what the last runs of this purpose took at this endpoint; else from the first questions themselves."""
    jobs = run.jobs.count()
    calls = round(jobs * purpose_of(run).calls_expected(run))
    each_in, each_out, note = _measured(run) or _composed(run)
    told_in, told_out = round(calls * each_in), round(calls * each_out)
    endpoint = run.endpoint
    cost = (told_in * endpoint.price_in + told_out * endpoint.price_out) / MILLION if endpoint.is_priced else None
    return Estimate(jobs, calls, told_in, told_out, cost, note)


def _measured(run: Run) -> tuple[float, float, str] | None:
    earlier = Run.objects.filter(project_id=run.project_id, purpose=run.purpose, endpoint_id=run.endpoint_id)
    last = earlier.exclude(pk=run.pk).filter(calls__gt=0, tokens_out__gt=0).order_by("-pk")[:5]
    sums = Run.objects.filter(pk__in=[each.pk for each in last]).aggregate(
        calls=Sum("calls"), tokens_in=Sum("tokens_in"), tokens_out=Sum("tokens_out")
    )
    if not sums["calls"]:
        return None
    note = _("From %(calls)d calls of earlier runs.") % {"calls": sums["calls"]}
    return sums["tokens_in"] / sums["calls"], sums["tokens_out"] / sums["calls"], note


def _composed(run: Run) -> tuple[float, float, str]:
    questions = _first_questions(run)
    if not questions:
        return 0.0, 0.0, _("There is nothing to ask.")
    each_in = sum(map(tokens_in, questions)) / len(questions)
    note = _("Guessed from the length of %(count)d first questions; no run has measured it yet.")
    return each_in, TOKENS_OUT, note % {"count": len(questions)}


def _first_questions(run: Run) -> list[Question]:
    """What the first jobs would ask first. No call is made."""
    purpose, questions = purpose_of(run), []
    jobs = list(run.jobs.order_by("pk")[:LOOKED_AT])

    async def listen(question: Question, /) -> Reply:
        questions.append(question)
        raise CallFailed(Cause.UNSUITABLE, step=question.step)

    async def compose(cases: list[Case]) -> None:
        for case in cases:
            await asyncio.gather(purpose.work(case, listen), return_exceptions=True)

    beside(compose(purpose.load(run, jobs, prompts_of(run))))
    return questions
