"""Further demo projects: one pre-annotated by runs of the simulated model, and one of perturbations."""

import json
import os
import tempfile
from contextlib import AbstractContextManager, ExitStack
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.module_loading import import_string

from annotate.engine import endpoints, prompts
from annotate.engine.addresses import SIMULATED, announced
from annotate.engine.prompt_files import shipped
from annotate.errors import Refused
from annotate.intake.batches import import_files
from annotate.intake.row_reader import Settings
from annotate.items import comments
from annotate.models import Endpoint, Item, Member, Project, Readiness, Run, User
from annotate.project import actions
from annotate.runs import actions as runs_actions
from annotate.runs.execution import work
from annotate.runs.plan import plan_run
from annotate.upkeep import demo
from lib.simulated.server import serving
from lib.simulated.service import MODEL

ENDPOINT = "simulated"
PREANNOTATED_SLUG = "demo-preannotated"
# Prices of a typical small model: the simulated one costs nothing, but a run should show costs.
PRICES = {"price_in": Decimal("0.15"), "price_out": Decimal("0.60")}
REMEDY = "Choose another with --model-port; 0 takes any free one."
OPEN = (Run.State.PLANNED, Run.State.RUNNING)
FACTS = ("key", "bench_type", "user_query", "origin_first_response")


def keep_endpoint() -> Endpoint:
    """The endpoint of the simulated model at its current address; people's changes to it are kept."""
    Endpoint.objects.filter(simulated=True, name__startswith=f"{ENDPOINT}-").update(base_url=SIMULATED)
    endpoint = Endpoint.objects.filter(name=ENDPOINT, simulated=True).first()
    if endpoint is None:
        if Endpoint.objects.filter(name=ENDPOINT).exists():
            raise Refused(f"The endpoint “{ENDPOINT}” is somebody's own. Rename it, then seed the demo again.")
        columns: dict[str, Any] = {"base_url": SIMULATED, "model": MODEL, "deadline": 30, **PRICES}
        return endpoints.create(by=None, name=ENDPOINT, **columns)
    if endpoint.base_url != SIMULATED:
        Endpoint.objects.filter(pk=endpoint.pk).update(base_url=SIMULATED)
        endpoint.base_url = SIMULATED
    return endpoint


def seed_preannotated(port: int) -> Project:
    """Make the project, classify its items, then draft them, in this process; finished parts are not repeated.

    The demo project is classified too, so that labels can be compared with people's. The model answers at this port
    (0: any port) during this call. Raises Refused where the port is taken.
    """
    endpoint, lead = keep_endpoint(), User.objects.get(username="lead")
    project = Project.objects.filter(slug=PREANNOTATED_SLUG).first() or _preannotated_project()
    tasks = [(Project.objects.get(slug=demo.SLUG), "classify"), (project, "classify"), (project, "preannotate")]
    missing = [(where, purpose) for where, purpose in tasks if not _is_done(where, purpose)]
    again = _runs_again(project)
    if missing or not again or again[0].state in OPEN:
        with _answering(port):
            for where, purpose in missing:
                _work(where, purpose, endpoint, lead)
            _draft_again(project, endpoint, lead)
    return project


def seed_further(port: int, people: dict[str, str]) -> None:
    """Run the demo runs of other apps, see settings.DEMO_RUNS. Raises Refused where the port is taken."""
    with _answering(port):
        for part in settings.DEMO_RUNS:
            import_string(part)(people)


def _is_done(project: Project, purpose: str) -> bool:
    """True also if a person has paused or cancelled the run: it is then left to them."""
    return project.runs.filter(purpose=purpose).exclude(state__in=[*OPEN, Run.State.PLANNING]).exists()


def _work(project: Project, purpose: str, endpoint: Endpoint, lead: User) -> None:
    run = project.runs.filter(purpose=purpose, state__in=OPEN).first()
    _execute(run or plan_run(project=project, purpose=purpose, endpoint=endpoint, by=lead), lead)


def _execute(run: Run, lead: User) -> None:
    """Unless it has nothing to do, or a person has paused or cancelled it."""
    if not run.jobs.exists():
        return
    if run.state == Run.State.PLANNED:
        runs_actions.start(run, by=lead, ring=False)
    if run.state in OPEN:
        work(run)


# Some items are drafted again with a second version of a prompt, so that versions and runs can be compared.
AGAIN = 10
REWORDED = {"en": "Keep it to one or two sentences.", "zh": "只写一两句话。"}


def _draft_again(project: Project, endpoint: Endpoint, lead: User) -> None:
    for language, sentence in REWORDED.items():
        key = prompts.Key("feedback", "feedback", language)
        if prompts.newest_number(project, key) == 0:
            text = f"{shipped(key.scope)[key.step, language].text}\n\n{sentence}"
            prompts.write(project, key, text=text, note="Shorter feedback", by=lead, based_on=0)
    planned = _runs_again(project) or [
        plan_run(project=project, purpose="preannotate", endpoint=endpoint, by=lead, limit=AGAIN)
    ]
    _execute(planned[0], lead)


def _runs_again(project: Project) -> list[Run]:
    return list(project.runs.filter(purpose="preannotate").order_by("pk")[1:2])


def _answering(port: int) -> AbstractContextManager[object]:
    """The model at this port while the context lasts. Raises Refused."""
    with ExitStack() as opened:
        try:
            model = opened.enter_context(serving(port, latency=0.0))
        except OSError as fault:
            message = f"Port {port} cannot be used for the simulated model: {fault.strerror}. {REMEDY}"
            raise Refused(message) from fault
        opened.enter_context(announced(model.base_url))
        return opened.pop_all()


def _preannotated_project() -> Project:
    with transaction.atomic():
        project = actions.create_project(
            slug=PREANNOTATED_SLUG,
            kind="feedback",
            name="Feedback, drafted by a simulated model",
            languages=["en", "zh"],
            licence="CC0-1.0",
            lease_minutes=60,
            waits_for_suggestion=True,
        )
        for username, (_shown, role) in demo.PEOPLE.items():
            Member.objects.create(project=project, user=User.objects.get(username=username), role=role)
        _import_bare_samples(project)
    return project


def _import_bare_samples(project: Project) -> None:
    """The samples of the demo without what anybody wrote about them."""
    lines = (Path(settings.BASE_DIR) / "fixtures" / "feedback_demo.jsonl").read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory(dir=settings.DATA_DIR) as folder:
        bare = Path(folder) / "feedback_samples.jsonl"
        rows = [{name: row[name] for name in FACTS} for row in map(json.loads, lines)]
        bare.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        report = import_files(project=project, names=[str(bare)], settings=Settings(format="jsonl"), strict=True)
    if not report.kept:
        raise Refused(f"feedback_demo.jsonl: {report.problems}")


# The demo's second project: perturbations of our own, some of them validated, some with problems to look at.


PERTURBATIONS_SLUG = "demo-blindspots"
FOLDER = Path(settings.BASE_DIR) / "fixtures"
FILE, CALIBRATION = FOLDER / "perturbation_demo.jsonl", FOLDER / "perturbation_calibration_demo.jsonl"
NEWCOMER = "bo"  # who has not passed the calibration, so that it can be seen; the others have
WANTED = 2  # per category, so that a few items show what coverage means


def seed_perturbations(people: dict[str, str]) -> Project:
    """Make the project once, with these people (username -> role) as its members; later calls leave it as it is.

    Raises Refused with the problems if the file was changed and does not fit the kind.
    """
    project = Project.objects.filter(slug=PERTURBATIONS_SLUG).first()
    if project:
        return project
    with transaction.atomic():
        return _perturbations_project(people)


def _perturbations_project(people: dict[str, str]) -> Project:
    project = actions.create_project(
        slug=PERTURBATIONS_SLUG,
        kind="perturbation",
        name="Blind spots demo",
        options={"wanted": WANTED},
        languages=["en", "zh"],
        licence="CC0-1.0",
        lease_minutes=60,
    )
    for user in User.objects.filter(username__in=people):
        Member.objects.create(project=project, user=user, role=people[user.username])
    _import(project, FILE)
    _ask_for_a_calibration(project)
    return project


def _import(project: Project, file: Path) -> None:
    report = import_files(
        project=project, names=[os.path.relpath(file)], settings=Settings(format="jsonl"), strict=True
    )
    if not report.kept:
        raise Refused(f"{file.name}: {report.problems}")


def _ask_for_a_calibration(project: Project) -> None:
    """A calibration with one item of each of three categories, with an explanation."""
    _import(project, CALIBRATION)
    Readiness.objects.create(project=project, calibration_each=1)
    project.members.exclude(user__username=NEWCOMER).update(calibrated_at=timezone.now())
    lead = User.objects.filter(memberships__project=project, memberships__role=Member.Role.LEAD).first()
    for item in Item.objects.filter(project=project, purpose=Item.Purpose.CALIBRATION).select_related("base"):
        if lead and item.base:
            comments.start(item=item, by=lead, text=item.base.draft["note"], field="verdict")
