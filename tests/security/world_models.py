"""Endpoints, prompts and a try of the world."""

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from annotate.engine import prompts
from annotate.engine.prompts import Key
from annotate.models import Call, Endpoint, Job, Project, PromptVersion, Run, User
from annotate.prompts import trials

Say = Callable[[str], str]
# Nothing answers there, and nothing is asked of anybody else.
NOWHERE = "http://127.0.0.1:9/v1"
KEY = Key("feedback", "checklist", "en")


def endpoint(say: Say) -> int:
    made, _new = Endpoint.objects.get_or_create(
        name="nowhere",
        defaults={"base_url": NOWHERE, "model": say("endpoint model")[:120], "attempts": 1, "deadline": 1},
    )
    return made.pk


def wordings(project: Project, lead: User, say: Say) -> dict[str, Any]:
    """A version in use, one that was only tried, and the try of it with an answered item and one that failed.

    Prompts are named by their step, not by a project: for another project's id stands one that nobody ships.
    """
    shipped = prompts.current(project, KEY.scope, KEY.step, KEY.language)
    for number, adopted in enumerate((True, False)):
        text = f"{shipped.text}\n\n{number} " + say(f"prompt {number}").replace("{", "(")
        note = say("prompt note")[:200]
        prompts.write(project, KEY, text=text, note=note, by=lead, based_on=number, adopted=adopted)
    before, tried = PromptVersion.objects.filter(project=project).order_by("number")
    run = trials.begin(
        project=project,
        version=tried,
        before=before,
        endpoint=Endpoint.objects.get(name="nowhere"),
        budget=Decimal(1),
        by=lead,
    )
    for one in (run, Run.objects.get(pk=run.options["beside"])):
        _ended(one, say)
    prompt, raw = (str(KEY), "single.explained.en") if project.slug == "ours" else ("feedback.no-such-step.en",) * 2
    return {"prompt": prompt, "raw prompt": raw, "trial": run.pk}


def _ended(run: Run, say: Say) -> None:
    answered, failed, *others = run.jobs.order_by("pk")
    for step, reply in _replies(say).items():
        Call.objects.create(
            job=answered, step=step, attempt=1, digest="0", request={}, cause="", reply=json.dumps(reply), model="m"
        )
    Job.objects.filter(pk=answered.pk).update(state=Job.State.DONE)
    Job.objects.filter(pk=failed.pk).update(state=Job.State.FAILED, cause="server_error", detail=say("detail"))
    Job.objects.filter(pk__in=[job.pk for job in others]).update(state=Job.State.CANCELLED)
    Run.objects.filter(pk=run.pk).update(state=Run.State.FINISHED)


def _replies(say: Say) -> dict[str, Any]:
    return {
        "reference": {"response": say("reply reference")},
        "deficiencies": {"deficiencies": [{"type": say("reply type"), "reason": say("reply reason")}]},
        "feedback": {"feedback": say("reply feedback"), "types": ["Pointing Out Errors"]},
        "follow_up": {"response": say("reply follow-up")},
        "checklist": {"checklist": [{"question": say("reply question"), "weight": 1.0}]},
    }
