"""Runs of the demo, worked here and now by the simulated model without its server; what they leave is as ever.

Only the demo may do this: jobs and ledger are written as the engine would write them, in the same tables.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from annotate.llm.asking import Question, Reply
from annotate.llm.reading import read as read_reply
from annotate.llm.simulated import requests
from annotate.llm.simulated.knobs import Knobs
from annotate.llm.simulated.replies import Reply as Answered
from annotate.llm.simulated.server import DEFAULT_PORT, base_url
from annotate.llm.simulated.service import answer
from annotate.llm.threads import beside
from annotate.models import Call, Endpoint, Job, Run
from annotate.purposes.base import Case
from annotate.services import endpoints
from annotate.services.runs.planning import prompts_of, purpose_of

MILLISECONDS = 20
TOGETHER = 100


def endpoint_of(model: str) -> Endpoint:
    """An endpoint of this name for this model of the simulated service."""
    found = Endpoint.objects.filter(name=model).first()
    columns: dict[str, Any] = {"base_url": base_url(DEFAULT_PORT), "model": model, "simulated": True, "deadline": 30}
    return found or endpoints.create(by=None, name=model, **columns)


def work(run: Run) -> None:
    """Every job of a planned run, with its calls in the ledger; the run is finished afterwards."""
    purpose, prompts, jobs = purpose_of(run), prompts_of(run), list(run.jobs.order_by("pk"))
    totals = [0, 0, 0]
    for start in range(0, len(jobs), TOGETHER):
        cases = purpose.load(run, jobs[start : start + TOGETHER], prompts)
        asked: list[_Ask] = [_Ask(run.endpoint.model) for _case in cases]
        outcomes = beside(_worked(run, cases, asked))
        calls = [call for case, one in zip(cases, asked, strict=True) for call in one.calls(case.job)]
        Call.objects.bulk_create(calls)
        purpose.store_together(list(zip(cases, outcomes, strict=True)))
        totals = [sum(pair) for pair in zip(totals, _sums(calls), strict=True)]
    now = timezone.now()
    Job.objects.filter(run=run).update(state=Job.State.DONE, attempts=1, ended_at=now)
    columns = dict(zip(("calls", "tokens_in", "tokens_out"), totals, strict=True))
    Run.objects.filter(pk=run.pk).update(state=Run.State.FINISHED, started_at=now, ended_at=now, **columns)


async def _worked(run: Run, cases: Sequence[Case], asked: Sequence["_Ask"]) -> list[Any]:
    purpose = purpose_of(run)
    return await asyncio.gather(*(purpose.work(case, ask) for case, ask in zip(cases, asked, strict=True)))


def _sums(calls: Sequence[Call]) -> list[int]:
    return [len(calls), sum(call.tokens_in for call in calls), sum(call.tokens_out for call in calls)]


class _Ask:
    """The `ask` of one job. See annotate.llm.asking.Ask."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.sent: list[tuple[Question, Answered]] = []

    async def __call__(self, question: Question, /) -> Reply:
        said = answer(requests.read(_body(self.model, question)), Knobs())
        self.sent.append((question, said))
        text = said.content or ""
        return Reply(text, read_reply(question, text), self.model)

    def calls(self, job: Job) -> list[Call]:
        return [
            Call(
                job=job,
                step=question.step,
                attempt=1,
                digest=question.digest(self.model),
                request=question.body(),
                cause="",
                reply=said.content or "",
                finish_reason="stop",
                model=self.model,
                tokens_in=said.asked.tokens,
                tokens_out=said.tokens,
                milliseconds=MILLISECONDS,
            )
            for question, said in self.sent
        ]


def _body(model: str, question: Question) -> dict[str, Any]:
    body = {"model": model, **question.body()}
    shape = body.pop("answer", None)
    if shape is not None:
        body["response_format"] = {"type": "json_schema", "json_schema": shape}
    return body
