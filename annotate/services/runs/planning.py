"""Planning a run: its prompts frozen, its jobs written in parts; and what it will roughly take.

A small run is planned where somebody asks for it. Of a large one the first jobs are, and a worker writes the rest.
"""

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from django.db import transaction
from django.db.models import Sum
from django.utils.translation import gettext as _

from annotate import purposes as registry
from annotate.kinds.causes import Cause
from annotate.kinds.protocol import CallFailed, Prompts, Question, Reply
from annotate.llm.threads import beside
from annotate.llm.tokens import tokens_in
from annotate.models import Endpoint, Job, Pass, Project, Run, User
from annotate.purposes.base import Case, Planned, Purpose
from annotate.services import prompts
from annotate.services.endpoints import refuse_unless_callable
from annotate.services.endpoints.parameters import read as read_parameters
from annotate.services.errors import LeaseLost
from annotate.services.runs import passes
from lib.texts import own

CHUNK = 500
IN_MEMORY = 2**23  # bytes of a plan that is to be written; more goes into a file
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
    parameters: Mapping[str, Any] | None = None,
    whole: bool = False,
) -> Run:
    """A planned run with its jobs; nothing is sent. Nothing of it stays where planning fails.

    limit: at most so many jobs. parameters: of every question, see services/endpoints/parameters.py.
    whole: all of it here, however long it takes; otherwise a run of more than
    passes.AT_ONCE jobs is still in the state PLANNING, and a worker goes on. Raises KeyError for a purpose that does
    not exist, Refused where the endpoint is retired or not approved, does not allow a parameter, or a prompt is
    missing.
    """
    refuse_unless_callable(endpoint)
    run_purpose = registry.purposes()[purpose]
    allowed = read_parameters(parameters or {}, endpoint)
    with transaction.atomic():
        run = Run.objects.create(
            project=project,
            purpose=purpose,
            endpoint=endpoint,
            created_by=by,
            options=options or {},
            budget=budget,
            shares_replies=shares_replies,
            parameters=allowed,
        )
        if run_purpose.reads_guidelines(run):
            run.guideline = project.guidelines.order_by("-version").first()
            run.save(update_fields=["guideline"])
        run.prompts.set(prompts.frozen(project, run_purpose.scope(run), run_purpose.steps(run)))
        run.texts.set(prompts.parts.frozen(project, run_purpose.texts(run)))
        run_pass = passes.begin(run, Pass.Sort.PLANNING, by, options={"limit": limit})
    try:
        if not write_jobs(run_pass, most=None if whole else passes.AT_ONCE):
            passes.leave_to_worker(run_pass)
    except LeaseLost:
        pass  # somebody has cancelled it
    except BaseException:
        run.delete()
        raise
    run.refresh_from_db()
    return run


def write_jobs(run_pass: Pass, *, most: int | None = None) -> bool:
    """Write the jobs that are not there yet, then the run is planned; False where there are more than `most`.

    Raises LeaseLost.
    """
    run, job_count = run_pass.run, run_pass.run.jobs.count()
    room = [end - job_count for end in (run_pass.options["limit"], most and most + 1) if end is not None]
    for jobs in _chunks(_read(_left(run, job_count, max(0, min(room)) if room else None))):
        if most is not None and job_count + len(jobs) > most:
            return False
        job_count += len(jobs)
        with transaction.atomic():
            passes.keep(run_pass, done=job_count)
            Job.objects.bulk_create(Job(run=run, subject=job.subject, item_id=job.item_id) for job in jobs)
    with transaction.atomic():  # the run before the pass, as whoever moves it does
        Run.objects.filter(pk=run.pk, state=Run.State.PLANNING).update(state=Run.State.PLANNED)
        passes.end(run_pass)
    return True


def _left(run: Run, job_count: int, most: int | None) -> IO[str]:
    """The jobs that are to be written, a line each, `most` of them.

    Read to the end before anything is written: SQLite refuses a write while a statement is being read that began
    before the last write of another process.
    """
    planned = islice(_unwritten(run) if job_count else purpose_of(run).plan(run), most)
    lines = SpooledTemporaryFile(max_size=IN_MEMORY, mode="w+", encoding="utf-8")  # noqa: SIM115 - _read closes it
    lines.writelines(f"{json.dumps([job.subject, job.item_id])}\n" for job in planned)
    lines.seek(0)
    return lines


def _read(lines: IO[str]) -> Iterator[Planned]:
    with lines:
        for line in lines:
            yield Planned(*json.loads(line))


def _unwritten(run: Run) -> Iterator[Planned]:
    """What another worker has left. The plan is made anew, and may come out otherwise than before."""
    for jobs in _chunks(purpose_of(run).plan(run)):
        subjects = [job.subject for job in jobs]
        written = set(run.jobs.filter(subject__in=subjects).values_list("subject", flat=True))
        yield from (job for job in jobs if job.subject not in written)


def _chunks(planned: Iterable[Planned]) -> Iterator[list[Planned]]:
    jobs = iter(planned)
    while chunk := list(islice(jobs, CHUNK)):
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
    latest_runs = earlier.exclude(pk=run.pk).filter(calls__gt=0, tokens_out__gt=0).order_by("-pk")[:5]
    sums = Run.objects.filter(pk__in=[latest_run.pk for latest_run in latest_runs]).aggregate(
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
            with own.using(case.prompts.parts):
                await asyncio.gather(purpose.work(case, listen), return_exceptions=True)

    beside(compose(purpose.load(run, jobs, prompts_of(run))))
    return questions
