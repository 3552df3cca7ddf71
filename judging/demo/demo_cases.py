"""The demo's project of use cases: cases of every intent in two languages, answers, judges in several settings, people.

See settings.DEMO_RUNS. Judged and scored by real runs, so that the runs can be inspected too.
"""

import os
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotate.errors import Refused
from annotate.intake.batches import import_files
from annotate.intake.row_reader import Settings
from annotate.kinds.intents import NAMES
from annotate.models import Member, Participant, Project, Survey, User
from annotate.project import actions
from annotate.survey.survey_questions import AGES, FREQUENCIES, SERVICES
from judging.answers.cases import cases, judgeable
from judging.answers.store import GivenAnswer, store
from judging.boards.judge_settings.numbers import Setting, SettingsPlan, plan_settings
from judging.demo.demo_runs import SOURCE, DemoRun, endpoint_of, finish, plan_demo_run, simulated_answer
from judging.models import Author
from lib.simulated.chance import Draw

SLUG, NAME = "demo-cases", "Use cases demo"
FILE = Path(settings.BASE_DIR) / "fixtures" / "use_cases_judged_demo.jsonl"
AUTHORS = ("simulated-strong", "simulated-weak")  # whose answers are judged
OTHER = "simulated-fair"  # whose answers are references in some settings
JUDGE, LENIENT, SEVERE = "simulated-judge", "simulated-judge-lenient", "simulated-judge-severe"
SETTINGS = ((JUDGE, "reference"), (JUDGE, OTHER), (LENIENT, "reference"), (LENIENT, OTHER), (SEVERE, OTHER))
SAMPLE, SEED = 28, 7
PEOPLE = {"sent": 36, "aside": 3, "withdrawn": 1, "begun": 2}
COUNTRIES = ("China", "Germany", "United States", "Brazil", "Kenya", "Iceland")
PROFESSIONS = ("student", "teacher", "engineer", "nurse", "clerk")


def seed(people: dict[str, str]) -> Project:
    """Make the project and its runs once, with these people (username -> role) as members; existing work is kept.

    The simulated model has to answer meanwhile.
    """
    project = Project.objects.filter(slug=SLUG).first() or _make_project(people)
    lead = User.objects.get(username="lead")
    _judge(project, lead)
    for number, model in enumerate(reversed(AUTHORS), 1):
        plan_demo_run(project, number, DemoRun("arithmetic", endpoint_of(model), {"seed": SEED}), lead)
    return project


@transaction.atomic
def _make_project(people: dict[str, str]) -> Project:
    project = actions.create_project(
        slug=SLUG, kind="use_case", name=NAME, languages=["en", "zh"], licence="CC0-1.0", lease_minutes=60
    )
    for user in User.objects.filter(username__in=people):
        Member.objects.create(project=project, user=user, role=people[user.username])
    _import(project)
    _answer(project)
    _survey(project, User.objects.get(username="lead"))
    return project


def _import(project: Project) -> None:
    how = Settings(format="jsonl")
    report = import_files(project=project, names=[os.path.relpath(FILE)], settings=how, strict=True)
    if not report.kept:
        raise Refused(f"{FILE.name}: {report.problems}")


def _answer(project: Project) -> None:
    """Two answers of each author to every case; both samples have the same text."""
    decided = list(cases(judgeable(project)))
    for model in (*AUTHORS, OTHER):
        author = Author.objects.create(project=project, name=model, family="Simulated", provider="Touchstone")
        texts = {case.item.pk: simulated_answer(model, case) for case in decided}
        for sample in (1, 2):
            new_answers = [GivenAnswer(pk, author.pk, text, sample) for pk, text in texts.items()]
            store(new_answers, simulated=True, source=SOURCE)


def _judge(project: Project, lead: User) -> None:
    """One judge over all cases, three on their own scale, five settings over a sample."""
    shared_options: dict[str, Any] = {"strategy": "intent", "authors": [*AUTHORS, OTHER]}
    judge_runs: list[tuple[str, dict[str, Any]]] = [(JUDGE, {"reference": "reference"})]
    judge_runs += [(model, {"own_reference": True}) for model in (JUDGE, LENIENT, SEVERE)]
    for number, (model, options) in enumerate(judge_runs, 1):
        plan_demo_run(project, number, DemoRun("judge", endpoint_of(model), shared_options | options), lead)
    if project.runs.filter(purpose="judge").count() == len(judge_runs):
        judge_settings = [Setting(endpoint_of(model), reference) for model, reference in SETTINGS]
        plan_settings(SettingsPlan(project, judge_settings, SAMPLE, SEED, AUTHORS), by=lead)
    for run in project.runs.filter(purpose="judge").order_by("pk")[len(judge_runs) :]:
        finish(run, lead)


def _survey(project: Project, lead: User) -> None:
    """A closed survey with some participants; none of them reported a case of the project."""
    survey = Survey.objects.create(project=project, created_by=lead)
    now, number = timezone.now(), 0
    for state, n in PEOPLE.items():
        for _person in range(n):
            number += 1
            token = sha256(os.urandom(32)).hexdigest()  # nobody has the link with this token
            sent_at = now if state in (Participant.State.SENT, Participant.State.ASIDE) else None
            answers = {} if state == Participant.State.WITHDRAWN else _answers(number)
            columns = {"language": "en", "state": state, "answers": answers, "sent_at": sent_at}
            Participant.objects.create(survey=survey, token_sha256=token, **columns)


def _answers(number: int) -> dict[str, Any]:
    """The answers of the person with this number; some values are rare, so that folding is visible."""
    draw = Draw(SEED, f"person {number}")
    rated = {intent: 3 + index % 3 - draw.of(intent).choice((0, 0, 1)) for index, intent in enumerate(NAMES)}
    return {
        "country": draw.one(COUNTRIES[: 2 + number % 5], "country"),
        "age": draw.one(AGES[1:5], "age"),
        "profession": draw.one(PROFESSIONS, "profession"),
        "services": draw.some(SERVICES[:5], 2, "services"),
        "frequency": draw.one(list(FREQUENCIES)[: 1 + number % 3], "frequency"),
        "satisfaction": rated,
        "anchor": 2,
    }
