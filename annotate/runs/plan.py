"""Planning a run: its prompts frozen, its jobs written, an estimate; and passes over its jobs, under a lease, in parts.

A worker continues a pass where the last one stopped (see annotate/engine/chores.py). A pass that somebody has ended, by
cancelling its run or otherwise, writes nothing more.
"""

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from itertools import islice
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from django.db import IntegrityError, transaction
from django.db.models import F, Q, Sum
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate import bell
from annotate.audit.trail import record, values_of
from annotate.bulk_rows import BulkInsert
from annotate.engine import prompts
from annotate.engine import purposes as registry
from annotate.engine.budget import MOST_PER_IMAGE, PIXELS_PER_TOKEN, tokens_in
from annotate.engine.chores import Leases, Parts, finish
from annotate.engine.concurrency import run_beside_loop
from annotate.engine.endpoints import check_parameters as read_parameters
from annotate.engine.endpoints import refuse_unless_callable
from annotate.engine.images import stored_images, with_stored
from annotate.engine.purposes import Case, JobPlan, Purpose
from annotate.errors import LeaseLost, Refused, WrongState
from annotate.kinds.protocol import CallFailed, Cause, Prompts, Question, Reply
from annotate.models import Endpoint, Job, Pass, Project, Run, User
from lib.texts import prompt_texts

AT_ONCE = 2000  # jobs that are done at once, in the request that starts a pass; the worker does the rest
DEATHS = 4  # of workers on one pass; then the pass itself is taken to be the cause

# Why a pass ended early, as `Pass.detail` stores it.
FAULT, DIED, MOVED = "fault", "died", "moved"


leases = Leases(
    Pass,
    Q(ended_at=None),
    timedelta(seconds=45),  # long enough to read a whole plan before its first part is written
    related=("run__project", "run__endpoint"),
    on_claim={"attempts": F("attempts") + 1},
    on_put_back={"attempts": F("attempts") - 1},  # this counts as no death
)


def begin(run: Run, sort: Pass.Sort, by: User | None, **columns: Any) -> Pass:
    """A new pass, held by this worker. Call it in a transaction. Raises WrongState if another is under way."""
    try:
        with transaction.atomic():
            return Pass.objects.create(run=run, sort=sort, created_by=by, attempts=1, **leases.held(), **columns)
    except IntegrityError as conflict:
        raise WrongState(f"Another pass over run {run.pk} is under way.") from conflict


def leave_to_worker(run_pass: Pass) -> None:
    """Let a worker continue what was begun here, and wake one at once."""
    leases.put_back(run_pass)
    bell.ring("go_over", run_pass.pk)


def end(run_pass: Pass, detail: str = "") -> None:
    """End the pass. detail: why it ended early, if it did. Raises LeaseLost."""
    leases.keep(run_pass, ended_at=timezone.now(), detail=detail)


def end_others(run: Run) -> None:
    """End the passes over a run whose state changes. In the transaction that changes it, and after its row."""
    Pass.objects.filter(run=run, ended_at=None).update(ended_at=timezone.now(), detail=MOVED)


# Planning: prompts frozen, jobs written in parts, and an estimate of the cost.
#
# A small run is planned at once. Of a large one the first jobs are, and a worker writes the rest.


CHUNK = 500
IN_MEMORY = 2**23  # bytes of an unwritten plan; a larger one goes into a file
LOOKED_AT = 5  # jobs whose first question is composed for the estimate
TOKENS_OUT = 300  # of a reply, if none was ever measured
MILLION = Decimal(1_000_000)


def purpose_of(run: Run) -> Purpose:
    return registry.purposes()[run.purpose]


def prompts_of(run: Run) -> Prompts:
    return prompts.of_run(run)


def _refuse_images(project: Project, endpoint: Endpoint) -> None:
    """A model that takes texts only would answer about a picture that it has not seen."""
    columns = project.kind.image_columns
    if columns and not endpoint.takes_images:
        message = _(
            "Items of this project show images (%(columns)s), and %(endpoint)s is not set to take any. If its model "
            "sees images, an administrator can tick “Takes images” at the endpoint. Else choose another endpoint."
        )
        raise Refused(message % {"columns": ", ".join(columns), "endpoint": endpoint.name})


def plan_run(
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
    """A planned run with its jobs; nothing is sent. If planning fails, nothing of it is stored.

    limit: at most this many jobs. parameters: for every question, see annotate/engine/endpoints.py. whole: all of it
    here, however long it takes; otherwise a run of more than AT_ONCE jobs is still in the state PLANNING, and a worker
    continues. Raises KeyError for a purpose that does not exist, Refused if the endpoint is retired or not approved or
    does not allow a parameter, if items show images and it takes none, or if a prompt is missing.
    """
    refuse_unless_callable(endpoint)
    _refuse_images(project, endpoint)
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
        _freeze_inputs(run, run_purpose)
        run_pass = begin(run, Pass.Sort.PLANNING, by, options={"limit": limit})
        values = values_of(run, "purpose", "options", "budget", "shares_replies", "parameters")
        record("run.planned", run, after={**values, "endpoint": endpoint.name, "limit": limit})
    try:
        finish(write_jobs(run_pass, most=None if whole else AT_ONCE))
        if run_pass.ended_at is None:
            leave_to_worker(run_pass)
    except LeaseLost:
        pass  # somebody has cancelled it
    except BaseException:
        discard(run)
        raise
    run.refresh_from_db()
    return run


def discard(run: Run) -> None:
    """Delete a planned run of which nothing was sent."""
    with transaction.atomic():
        record("run.discarded", run, before=values_of(run, "purpose"), after={})
        run.delete()


def _freeze_inputs(run: Run, run_purpose: Purpose) -> None:
    """Keep with the run the guidelines, prompts and texts of this moment."""
    if run_purpose.reads_guidelines(run):
        run.guideline = run.project.guidelines.order_by("-version").first()
        run.save(update_fields=["guideline"])
    run.prompts.set(prompts.frozen(run.project, run_purpose.scope(run), run_purpose.steps(run)))
    run.texts.set(prompts.frozen_texts(run.project, run_purpose.texts(run)))


def write_jobs(run_pass: Pass, *, most: int | None = None) -> Parts:
    """Write the jobs that are missing, then the run is planned and the pass ended; not if there are more than `most`.

    Raises LeaseLost.
    """
    run, job_count = run_pass.run, run_pass.run.jobs.count()
    room = [end - job_count for end in (run_pass.options["limit"], most and most + 1) if end is not None]
    table = BulkInsert(Job, ("subject", "item_id"), run_id=run.pk)
    for jobs in _chunks(_parse_lines(_unwritten_jobs(run, job_count, max(0, min(room)) if room else None))):
        if most is not None and job_count + len(jobs) > most:
            return
        job_count += len(jobs)
        with transaction.atomic():
            leases.keep(run_pass, done=job_count)
            table.insert((job.subject, job.item_id) for job in jobs)
        yield len(jobs)
    with transaction.atomic():  # lock the run before the pass, in the same order as changes of its state
        Run.objects.filter(pk=run.pk, state=Run.State.PLANNING).update(state=Run.State.PLANNED)
        end(run_pass)


def _unwritten_jobs(run: Run, job_count: int, most: int | None) -> IO[str]:
    """The jobs that are still to be written, a line each, at most `most`.

    Read to the end before anything is written: SQLite refuses a write while a statement is being read that began before
    the last write of another process.
    """
    planned = islice(_unwritten(run) if job_count else purpose_of(run).plan(run), most)
    lines = SpooledTemporaryFile(max_size=IN_MEMORY, mode="w+", encoding="utf-8")  # noqa: SIM115 - _read closes it
    lines.writelines(f"{json.dumps([job.subject, job.item_id])}\n" for job in planned)
    lines.seek(0)
    return lines


def _parse_lines(lines: IO[str]) -> Iterator[JobPlan]:
    with lines:
        for line in lines:
            yield JobPlan(*json.loads(line))


def _unwritten(run: Run) -> Iterator[JobPlan]:
    """What another worker has left. The plan is computed again, and may differ from before."""
    for jobs in _chunks(purpose_of(run).plan(run)):
        subjects = [job.subject for job in jobs]
        written = set(run.jobs.filter(subject__in=subjects).values_list("subject", flat=True))
        yield from (job for job in jobs if job.subject not in written)


def _chunks(planned: Iterable[JobPlan]) -> Iterator[list[JobPlan]]:
    jobs = iter(planned)
    while chunk := list(islice(jobs, CHUNK)):
        yield chunk


@dataclass(frozen=True)
class RunEstimate:
    """What a run will take. cost: USD, None if the endpoint has no prices. note: what the numbers are based on."""

    jobs: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost: Decimal | None
    note: str


def estimate(run: Run) -> RunEstimate:
    """Based on the last runs of this purpose at this endpoint; without any, on the first questions themselves."""
    jobs = run.jobs.count()
    calls = round(jobs * purpose_of(run).calls_expected(run))
    each_in, each_out, note = _measured(run) or _composed(run)
    told_in, told_out = round(calls * each_in), round(calls * each_out)
    endpoint = run.endpoint
    cost = (told_in * endpoint.price_in + told_out * endpoint.price_out) / MILLION if endpoint.is_priced else None
    return RunEstimate(jobs, calls, told_in, told_out, cost, note)


def _measured(run: Run) -> tuple[float, float, str] | None:
    earlier = Run.objects.filter(project_id=run.project_id, purpose=run.purpose, endpoint_id=run.endpoint_id)
    latest_runs = earlier.exclude(pk=run.pk).filter(calls__gt=0, tokens_out__gt=0).order_by("-pk")[:5]
    sums = Run.objects.filter(pk__in=[latest_run.pk for latest_run in latest_runs]).aggregate(
        calls=Sum("calls"), tokens_in=Sum("tokens_in"), tokens_out=Sum("tokens_out")
    )
    if not sums["calls"]:
        return None
    note = _("Based on %(calls)d calls of earlier runs.") % {"calls": sums["calls"]}
    return sums["tokens_in"] / sums["calls"], sums["tokens_out"] / sums["calls"], note


def _composed(run: Run) -> tuple[float, float, str]:
    questions = _first_questions(run)
    if not questions:
        return 0.0, 0.0, _("There is nothing to ask.")
    each_in = sum(map(tokens_in, questions)) / len(questions)
    note = _("Estimated from %(count)d sample prompts.") % {"count": len(questions)}
    if any(question.images for question in questions):
        image_note = _(
            "An image counts as one token for %(pixels)d pixels, %(most)d at most; services count differently."
        )
        note += " " + image_note % {"pixels": PIXELS_PER_TOKEN, "most": MOST_PER_IMAGE}
    return each_in, TOKENS_OUT, note


def _first_questions(run: Run) -> list[Question]:
    """The first questions of the first jobs. No call is made."""
    purpose, questions = purpose_of(run), []
    jobs = list(run.jobs.order_by("pk")[:LOOKED_AT])

    async def listen(question: Question, /) -> Reply:
        questions.append(question)
        raise CallFailed(Cause.UNSUITABLE, step=question.step)

    async def compose(cases: list[Case]) -> None:
        for case in cases:
            with prompt_texts.using(case.prompts.parts):
                await asyncio.gather(purpose.work(case, listen), return_exceptions=True)

    run_beside_loop(compose(purpose.load(run, jobs, prompts_of(run))))
    stored = stored_images(run.project_id, {image.name for question in questions for image in question.images})
    return [with_stored(question, stored) for question in questions]
