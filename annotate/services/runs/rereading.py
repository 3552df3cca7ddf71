"""A parser has changed: the stored replies of a run are read again. Nothing is sent."""

import asyncio
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotate.llm import ledger, reading
from annotate.llm.asking import Ask, CallFailed, Question, Reply
from annotate.llm.causes import Cause
from annotate.llm.threads import Desk
from annotate.models import Call, Job, Run, User
from annotate.purposes.base import Case, Purpose
from annotate.services.errors import WrongState
from annotate.services.runs.planning import prompts_of, purpose_of

CHUNK = 100
LISTED = 200  # items that came out differently which are named; all are counted
# A call that failed for one of these has a whole reply, which another parser may read.
READABLE = ("", Cause.NOT_JSON, Cause.WRONG_SHAPE)
log = logging.getLogger(__name__)


@dataclass
class Reread:
    """read + failed = jobs, those that are done or failed. changed: items at which the run now says something else.

    items: the first of them, by id.
    """

    jobs: int = 0
    read: int = 0
    failed: int = 0
    changed: int = 0
    items: list[int] = field(default_factory=list)


def reread(run: Run, by: User | None) -> Reread:
    """Read all stored replies again; outcomes are stored as new suggestions, jobs that can now be read become done.

    A job that cannot be read any more keeps what it has. Raises WrongState while the run may still send.
    """
    run = Run.objects.select_related("project", "endpoint").get(pk=run.pk)
    if run.state not in (Run.State.PAUSED, Run.State.FINISHED, Run.State.CANCELLED):
        raise WrongState(f"Run {run.pk} is {run.state}.")
    purpose, prompts, counted = purpose_of(run), prompts_of(run), Reread()
    for jobs in _chunks(run):
        cases = purpose.load(run, jobs, prompts)
        outcomes = replayed(run, purpose, cases)
        _keep(run, purpose, cases, outcomes, counted)
        counted.jobs += len(jobs)
    counted.failed = counted.jobs - counted.read
    log.info("run %s: read again by %s: %s", run.pk, by, counted)
    return counted


def _chunks(run: Run) -> Iterator[list[Job]]:
    last = 0
    ended = Job.objects.filter(run=run, state__in=[Job.State.DONE, Job.State.FAILED]).order_by("pk")
    while jobs := list(ended.filter(pk__gt=last)[:CHUNK]):
        yield jobs
        last = jobs[-1].pk


def replayed(run: Run, purpose: Purpose, cases: list[Case]) -> list[Any]:
    """For each case what its work now gives, or the exception that it ends with."""
    desk, replies = Desk(), _replies([case.job for case in cases])

    async def work() -> list[Any]:
        asked = (purpose.work(case, _replayed(run, case.job, replies, desk)) for case in cases)
        return await asyncio.gather(*asked, return_exceptions=True)

    return desk.run(work())


def _replies(jobs: list[Job]) -> dict[tuple[int, str], Call]:
    """(job, step) -> its last call, one with a reply if there is any."""
    calls = Call.objects.filter(job__in=jobs, cause__isnull=False).defer("request").order_by("pk")
    found: dict[tuple[int, str], Call] = {}
    for call in calls:
        before = found.get((call.job_id, call.step))
        if before is None or call.cause in READABLE or before.cause not in READABLE:
            found[call.job_id, call.step] = call
    return found


def _replayed(run: Run, job: Job, replies: dict[tuple[int, str], Call], desk: Desk) -> Ask:
    async def ask(question: Question, /) -> Reply:
        call = replies.get((job.pk, question.step))
        if call is None and run.shares_replies:
            call = await desk.do(ledger.shared, run, question.digest(run.endpoint.model))
        if call is None or call.cause not in READABLE:
            why = call.cause if call is not None else job.cause
            raise CallFailed(Cause(why or Cause.UNSUITABLE), "No reply is stored.", step=question.step)
        try:
            read = reading.read(question, call.reply)
        except reading.Unread as unread:
            raise CallFailed(unread.cause, unread.detail, reading.said(call.reply), step=question.step) from unread
        return Reply(reading.said(call.reply), read, call.model, replayed=True)

    return ask


def _keep(run: Run, purpose: Purpose, cases: list[Case], outcomes: list[Any], counted: Reread) -> None:
    items = [case.item.pk for case in cases]
    before = purpose.outcomes(run, items)
    for case, outcome in zip(cases, outcomes, strict=True):
        if isinstance(outcome, CallFailed):
            continue
        if isinstance(outcome, BaseException):
            log.error("run %s, %s: reading again", run.pk, case.job.subject, exc_info=outcome)
            continue
        with transaction.atomic():
            failed = Job.objects.filter(pk=case.job.pk, state=Job.State.FAILED)
            failed.update(state=Job.State.DONE, cause="", detail="", ended_at=timezone.now())
            purpose.store(case, outcome)
        counted.read += 1
    after = purpose.outcomes(run, items)
    changed = [item for item in items if before.get(item) != after.get(item)]
    counted.changed += len(changed)
    counted.items += changed[: LISTED - len(counted.items)]
