"""Reparsing: after a parser has changed, the stored replies of a run are read again. Nothing is sent.

As with planning, a large run is read by a worker, part by part.
"""

import asyncio
import logging
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotate.audit.trail import record
from annotate.engine import ledger, wire
from annotate.engine import replies as engine_replies
from annotate.engine.chores import Parts, finish
from annotate.engine.concurrency import ThreadBridge
from annotate.engine.images import stored_images, with_stored
from annotate.engine.purposes import Case, Purpose
from annotate.errors import LeaseLost, WrongState
from annotate.kinds.protocol import Ask, CallFailed, Cause, Question, Reply
from annotate.models import Call, Job, Pass, Run, User
from annotate.runs import plan
from annotate.runs.plan import prompts_of, purpose_of
from lib.texts import prompt_texts

CHUNK = 50  # jobs whose outcomes are stored in one transaction
READ_IN = (Run.State.PAUSED, Run.State.FINISHED, Run.State.CANCELLED)
LISTED = 200  # changed items that are listed; all are counted
# A call that failed for one of these causes has a whole reply, which another parser may read.
READABLE = ("", Cause.NOT_JSON, Cause.WRONG_SHAPE)
log = logging.getLogger(__name__)


@dataclass
class Reread:
    """read + failed = jobs, the done or failed jobs that were looked at. changed: items with a different outcome now.

    items: the first of them, by id. total: number of jobs to look at. over: False while a worker continues. detail: why
    it ended before all were looked at; empty if it did not.
    """

    jobs: int = 0
    read: int = 0
    failed: int = 0
    changed: int = 0
    items: list[int] = field(default_factory=list)
    total: int = 0
    over: bool = True
    detail: str = ""


def reread(run: Run, by: User | None, *, whole: bool = False) -> Reread:
    """Read all stored replies again; outcomes are stored as new suggestions, jobs that can now be read become done.

    A job that can no longer be read keeps its old outcome. whole: all of it here; otherwise a worker continues after
    plan.AT_ONCE jobs. Raises WrongState while the run may still send, or is already being read again.
    """
    run_pass = _begun(run, by)
    log.info("run %s: read again by %s", run.pk, by)
    try:
        finish(read_jobs(run_pass, most=None if whole else plan.AT_ONCE))
        if run_pass.ended_at is None:
            plan.leave_to_worker(run_pass)
    except LeaseLost:
        pass  # somebody has changed the run's state
    except BaseException:
        plan.end(run_pass, plan.FAULT)
        raise
    return _reread_result(Pass.objects.get(pk=run_pass.pk))


def last_reread(run: Run) -> Reread | None:
    """Progress or result of the newest reading; None if there never was one."""
    last_pass = Pass.objects.filter(run=run, sort=Pass.Sort.REREADING).order_by("-pk").first()
    return _reread_result(last_pass) if last_pass else None


def _reread_result(run_pass: Pass) -> Reread:
    return Reread(
        **run_pass.result, total=run_pass.total or 0, over=run_pass.ended_at is not None, detail=run_pass.detail
    )


def _begun(run: Run, by: User | None) -> Pass:
    with transaction.atomic():
        now = Run.objects.select_for_update(of=["self"], no_key=True).select_related("project", "endpoint")
        run = now.get(pk=run.pk)
        if run.state not in READ_IN:
            raise WrongState(f"Run {run.pk} is {run.state}.")
        run_pass = plan.begin(run, Pass.Sort.REREADING, by, total=_ended(run).count())
        record("run.reparsed", run, after={"jobs": run_pass.total})
    return run_pass


def read_jobs(run_pass: Pass, *, most: int | None = None) -> Parts:
    """Continue the pass, and end it; not if `most` jobs are done and others are left. Raises LeaseLost."""
    run, counted = run_pass.run, Reread(**run_pass.result)
    purpose, prompts = purpose_of(run), prompts_of(run)
    for jobs in _chunks(run, run_pass.at):
        if most is not None and counted.jobs + len(jobs) > most:
            return
        cases = purpose.load(run, jobs, prompts)
        outcomes = replayed(run, purpose, cases)
        with transaction.atomic():
            plan.leases.keep(
                run_pass
            )  # first, so that nobody takes it over or changes the run while outcomes are stored
            _keep(run, purpose, cases, outcomes, counted)
            counted.jobs += len(jobs)
            counted.failed = counted.jobs - counted.read
            plan.leases.keep(run_pass, at=jobs[-1].pk, done=counted.jobs, result=_stored(counted))
        yield len(jobs)
    plan.end(run_pass)


def _stored(counted: Reread) -> dict[str, Any]:
    return {name: value for name, value in asdict(counted).items() if name not in ("total", "over", "detail")}


def _ended(run: Run) -> QuerySet[Job]:
    return Job.objects.filter(run=run, state__in=[Job.State.DONE, Job.State.FAILED]).order_by("pk")


def _chunks(run: Run, last_pk: int) -> Iterator[list[Job]]:
    ended = _ended(run)
    while jobs := list(ended.filter(pk__gt=last_pk)[:CHUNK]):
        yield jobs
        last_pk = jobs[-1].pk


def replayed(run: Run, purpose: Purpose, cases: list[Case]) -> list[Any]:
    """For each case the outcome of its work now, or the exception that it ends with."""
    desk, replies = ThreadBridge(), _replies([case.job for case in cases])

    async def work() -> list[Any]:
        with prompt_texts.using(cases[0].prompts.parts if cases else {}):
            coroutines = (purpose.work(case, _replayed(run, case.job, replies, desk)) for case in cases)
            return await asyncio.gather(*coroutines, return_exceptions=True)

    return desk.run(work())


def _replies(jobs: list[Job]) -> dict[tuple[int, str], Call]:
    """(job, step) -> its last call, one with a reply if there is any."""
    calls = Call.objects.filter(job__in=jobs, cause__isnull=False).defer("request").order_by("pk")
    call_by_step: dict[tuple[int, str], Call] = {}
    for call in calls:
        previous_call = call_by_step.get((call.job_id, call.step))
        if previous_call is None or call.cause in READABLE or previous_call.cause not in READABLE:
            call_by_step[call.job_id, call.step] = call
    return call_by_step


def _replayed(run: Run, job: Job, replies: dict[tuple[int, str], Call], desk: ThreadBridge) -> Ask:
    async def ask(question: Question, /) -> Reply:
        call = replies.get((job.pk, question.step))
        if call is None and (run.shares_replies or question.shared):
            call = await desk.do(_shared, run, question)
        if call is None or call.cause not in READABLE:
            why = call.cause if call is not None else job.cause
            raise CallFailed(Cause(why or Cause.UNSUITABLE), "No reply is stored.", step=question.step)
        try:
            content = engine_replies.parse_reply(question, call.reply)
        except engine_replies.Unread as unread:
            raise CallFailed(
                unread.cause, unread.detail, engine_replies.without_thoughts(call.reply), step=question.step
            ) from unread
        return Reply(engine_replies.without_thoughts(call.reply), content, call.model, replayed=True)

    return ask


def _shared(run: Run, question: Question) -> Call | None:
    question = wire.with_parameters(question, wire.parameters_of(run.endpoint, run.parameters))
    if question.images:
        stored = stored_images(run.project_id, [image.name for image in question.images])
        question = with_stored(question, stored)
    return ledger.shared(run, question.digest(run.endpoint.model))


def _keep(run: Run, purpose: Purpose, cases: list[Case], outcomes: list[Any], counted: Reread) -> None:
    items = [case.item.pk for case in cases]
    outcomes_before = purpose.outcomes(run, items)
    for case, outcome in zip(cases, outcomes, strict=True):
        if isinstance(outcome, CallFailed):
            continue
        if isinstance(outcome, BaseException):
            log.error("run %s, %s: reading again", run.pk, case.job.subject, exc_info=outcome)
            continue
        counted.read += _is_stored(run, purpose, case, outcome)
    outcomes_after = purpose.outcomes(run, items)
    changed = [item for item in items if outcomes_before.get(item) != outcomes_after.get(item)]
    counted.changed += len(changed)
    counted.items += changed[: LISTED - len(counted.items)]


def _is_stored(run: Run, purpose: Purpose, case: Case, outcome: Any) -> bool:
    """False if it cannot be stored: that is an error of one job, and no reason to leave out the others."""
    try:
        with transaction.atomic():
            failed = Job.objects.filter(pk=case.job.pk, state=Job.State.FAILED)
            failed.update(state=Job.State.DONE, cause="", detail="", ended_at=timezone.now())
            purpose.store(case, outcome)
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        log.exception("run %s, %s: storing what was read again", run.pk, case.job.subject)
        return False
    return True
