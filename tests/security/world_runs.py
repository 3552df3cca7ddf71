"""Runs of the world: one under way with a ledger, one that is only planned."""

from collections.abc import Callable
from typing import Any

from annotate.models import Call, Endpoint, Job, Project, User
from tests.security import world_suggestions
from tests.support.runs import make_call, make_jobs, make_run

Say = Callable[[str], str]


def runs(project: Project, lead: User, say: Say, endpoint: Endpoint) -> dict[str, Any]:
    items = list(project.items.order_by("pk")[:3])
    options = {"items": {"q": say("filter of a run")}, "tone": say("option of a run")}
    run = make_run(project, endpoint=endpoint, created_by=lead, calls=3, budget=2, cost="0.5", options=options)
    make_jobs(run, items=items, done=1, leased=1, causes={"wrong_shape": 1})
    Job.objects.filter(run=run, state="failed").update(detail=say("detail of a job"))
    for job in run.jobs.order_by("pk"):
        _calls(job, say)
    planned = make_run(project, endpoint=endpoint, state="planned", options=options)
    make_jobs(planned, items=items, pending=2)
    failed = run.jobs.get(state="failed")
    world_suggestions.suggestions(project, run, say)
    world_suggestions.labels(project, run, say)
    return {"run": run.pk, "planned run": planned.pk, "job": failed.pk}


def _calls(job: Job, say: Say) -> Call:
    request = {"messages": [{"role": "user", "content": say("question to a model")}], "answer": {"name": say("shape")}}
    told = {"request": request, "reply": say("reply of a model"), "model": say("model of a reply")[:120]}
    return make_call(job, cause="wrong_shape", detail=say("detail of a call"), finish_reason="stop", **told)
