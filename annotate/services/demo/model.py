"""The demo's model: an endpoint of the simulated model, and a project that it has pre-annotated by real runs."""

import json
import tempfile
from contextlib import AbstractContextManager, ExitStack
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from annotate.llm.addresses import NAME, announced
from annotate.models import Endpoint, Member, Project, Run, User
from annotate.services import demo, endpoints, projects, runs
from annotate.services.errors import Refused
from annotate.services.importing.commands import import_files
from annotate.services.importing.rows import Settings
from lib.simulated.server import serving
from lib.simulated.service import MODEL

ENDPOINT = "simulated"
SLUG = "demo-preannotated"
# Of a small model somewhere: the simulated one costs nothing, but a run should show what it would.
PRICES = {"price_in": Decimal("0.15"), "price_out": Decimal("0.60")}
REMEDY = "Choose another with --model-port; 0 takes any free one."
OPEN = (Run.State.PLANNED, Run.State.RUNNING)
FACTS = ("key", "bench_type", "user_query", "origin_first_response")


def keep_endpoint() -> Endpoint:
    """The endpoint of the simulated model, wherever that answers. What people changed about it stays."""
    Endpoint.objects.filter(simulated=True, name__startswith=f"{ENDPOINT}-").update(base_url=NAME)
    endpoint = Endpoint.objects.filter(name=ENDPOINT, simulated=True).first()
    if endpoint is None:
        if Endpoint.objects.filter(name=ENDPOINT).exists():
            raise Refused(f"The endpoint “{ENDPOINT}” is somebody's own. Rename it, then seed the demo again.")
        columns: dict[str, Any] = {"base_url": NAME, "model": MODEL, "deadline": 30, **PRICES}
        return endpoints.create(by=None, name=ENDPOINT, **columns)
    if endpoint.base_url != NAME:
        Endpoint.objects.filter(pk=endpoint.pk).update(base_url=NAME)
        endpoint.base_url = NAME
    return endpoint


def seed(port: int) -> Project:
    """Make the project, classify its items, then draft them, here and now; what is done already is left alone.

    The demo project is classified too, so that there is something to compare with people's labels. The model answers
    at this port (0: at any) while this works. Raises Refused where the port is taken.
    """
    endpoint, lead = keep_endpoint(), User.objects.get(username="lead")
    project = Project.objects.filter(slug=SLUG).first() or _made()
    tasks = [(Project.objects.get(slug=demo.SLUG), "classify"), (project, "classify"), (project, "preannotate")]
    missing = [(where, purpose) for where, purpose in tasks if not _is_done(where, purpose)]
    if missing:
        with _answering(port):
            for where, purpose in missing:
                _work(where, purpose, endpoint, lead)
    return project


def seed_further(port: int, people: dict[str, str]) -> None:
    """What other apps let the model do, see settings.DEMO_RUNS. Raises Refused where the port is taken."""
    with _answering(port):
        for part in settings.DEMO_RUNS:
            import_string(part)(people)


def _is_done(project: Project, purpose: str) -> bool:
    """Also where somebody has paused or cancelled it: then it is theirs."""
    return project.runs.filter(purpose=purpose).exclude(state__in=[*OPEN, Run.State.PLANNING]).exists()


def _work(project: Project, purpose: str, endpoint: Endpoint, lead: User) -> None:
    run = project.runs.filter(purpose=purpose, state__in=OPEN).first()
    run = run or runs.plan(project=project, purpose=purpose, endpoint=endpoint, by=lead)
    if not run.jobs.exists():
        return
    if run.state == Run.State.PLANNED:
        runs.start(run, by=lead, ring=False)
    runs.work(run)


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


def _made() -> Project:
    with transaction.atomic():
        project = projects.create_project(
            slug=SLUG,
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
