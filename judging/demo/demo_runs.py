"""Runs and answers of the demo's projects, and judges of different accuracy on the demo project.

They complement the people's work that annotate's own demo makes. See settings.DEMO_PARTS.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from annotate.engine import endpoints, prompts
from annotate.engine.addresses import SIMULATED
from annotate.engine.prompt_files import shipped
from annotate.engine.prompts import Key
from annotate.models import Endpoint, Notification, Project, Run, User
from annotate.runs import actions
from annotate.runs.execution import work
from annotate.runs.plan import plan_run
from annotate.upkeep.demo import SLUG
from annotate.upkeep.demo_projects import PRICES
from judging.answers.cases import Case, cases, judgeable
from judging.answers.store import GivenAnswer, store
from judging.models import Author
from lib.simulated.candidate import SKILLS
from lib.simulated.knobs import Knobs
from lib.simulated.requests import read
from lib.simulated.service import answer

SOURCE = "seed_demo"  # the source that its answers name


def seed_answers(project: Project) -> None:
    """Answers of three simulated authors to accepted items: made without a server, the same in every installation."""
    decided = list(cases(judgeable(project)))
    for model in SKILLS:
        author = Author.objects.create(project=project, name=model, family="Simulated", provider="Touchstone")
        new_answers = [GivenAnswer(case.item.pk, author.pk, simulated_answer(model, case)) for case in decided]
        store(new_answers, simulated=True, source=SOURCE)


def simulated_answer(model: str, case: Case) -> str:
    """The reply of this simulated model to a candidate's request."""
    messages = [dict(message) for message in case.asked.messages]
    return answer(read({"model": model, "messages": messages}), Knobs()).content or ""


# Runs: real ones, worked off immediately while the simulated model answers.


OPEN = (Run.State.PLANNED, Run.State.RUNNING)


def endpoint_of(model: str, name: str = "") -> Endpoint:
    """An endpoint of the simulated service, at its current address. Changes that people made to it are kept."""
    endpoint = Endpoint.objects.filter(name=name or model).first()
    if endpoint is None:
        columns: dict[str, Any] = {"base_url": SIMULATED, "model": model, "deadline": 30}
        return endpoints.create(by=None, name=name or model, **columns, **PRICES)
    if endpoint.simulated and endpoint.base_url != SIMULATED:
        Endpoint.objects.filter(pk=endpoint.pk).update(base_url=SIMULATED)
        endpoint.base_url = SIMULATED
    return endpoint


@dataclass(frozen=True)
class DemoRun:
    """shares: equal questions of its jobs are sent once."""

    purpose: str
    endpoint: Endpoint
    options: Mapping[str, Any]
    shares: bool = False


def plan_demo_run(project: Project, number: int, run_request: DemoRun, lead: User) -> None:
    """Make sure that the project has `number` runs of this purpose; plan the last one if missing and finish it.

    A run that somebody has paused or cancelled is left alone.
    """
    existing_runs = list(project.runs.filter(purpose=run_request.purpose).order_by("pk"))
    if len(existing_runs) >= number:
        finish(existing_runs[number - 1], lead)
        return
    planned = plan_run(
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
        actions.start(run, by=lead, ring=False)
    if run.state in OPEN:
        work(run)
        # Nobody waited for it, so the inbox of a fresh demo should not contain its notices.
        Notification.objects.filter(run=run, read_at=None).update(read_at=timezone.now())


# Judges of different accuracy over the answers of the demo project, on some of which people have voted.
#
# See settings.DEMO_RUNS. They are asked by real runs, so that the runs can be inspected too.


NOISY = ("simulated-judge-noisy", "simulated-noisy")  # model, endpoint
CHECKLIST_JUDGES = (
    ("simulated-judge", "simulated-judge"),
    NOISY,
    ("simulated-judge-severe", "simulated-severe"),
    ("simulated-judge-lenient", "simulated-lenient"),
)
PAIR_JUDGES = (("simulated-careful", "simulated-careful"), ("simulated-careless", "simulated-careless"))
# A second wording of the judge's prompt, after which it is steadier (lib/simulated/shapes/verdicts.py).
BETTER = {
    "en": "Before you decide a question, quote the words of the reply that decide it.",
    "zh": "判断每个问题之前，先引用回应中决定结论的原文。",
}


def seed_judges(people: dict[str, str]) -> Project:
    """Let each judge once, the noisy one again with a better prompt. The simulated model has to answer meanwhile."""
    project, lead = Project.objects.get(slug=SLUG), User.objects.get(username="lead")
    checklists = [DemoRun("judge", endpoint_of(*judge), {"strategy": "checklist"}) for judge in CHECKLIST_JUDGES]
    pairs = [DemoRun("judge", endpoint_of(*judge), {"strategy": "pairwise"}) for judge in PAIR_JUDGES]
    planned = [*checklists, *pairs]
    for number, run_request in enumerate(planned, 1):
        plan_demo_run(project, number, run_request, lead)
    _write_better_prompt(project, lead)
    plan_demo_run(project, len(planned) + 1, DemoRun("judge", endpoint_of(*NOISY), {"strategy": "checklist"}), lead)
    return project


def _write_better_prompt(project: Project, lead: User) -> None:
    for language, sentence in BETTER.items():
        key = Key("checklist", "verdicts", language)
        if prompts.newest_number(project, key) == 0:
            text = f"{shipped(key.scope)[key.step, language].text}\n\n{sentence}"
            prompts.write(project, key, text=text, note="Quote before deciding", by=lead, based_on=0)
