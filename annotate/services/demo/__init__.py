"""The demo project: sample data of our own writing, four people, and two weeks of work that they did."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from annotate.models import Member, Project, User
from annotate.services import projects
from annotate.services.demo import dates, history
from annotate.services.errors import Refused
from annotate.services.importing.commands import import_files
from annotate.services.importing.rows import Settings

SLUG = "demo"
PEOPLE = {  # username: name shown to others, role
    "lead": ("Lin Bauer", Member.Role.LEAD),
    "ana": ("Ana Silva", Member.Role.ANNOTATOR),
    "bo": ("Bo Chen", Member.Role.ANNOTATOR),
    "rui": ("Rui Tanaka", Member.Role.REVIEWER),
}
FIRST_DAY = 14


@dataclass(frozen=True)
class Seeded:
    """password: of all accounts, as they were made. made: whether this call made them."""

    password: str
    made: bool


def seed() -> Seeded:
    """Make the demo project once; another call changes nothing and tells the same password.

    Raises Refused where accounts of these names belong to somebody else.
    """
    if Project.objects.filter(slug=SLUG).exists():
        return Seeded(kept_password(), made=False)
    usernames = User.objects.filter(username__in=PEOPLE).values_list("username", flat=True)
    if usernames:
        raise Refused(
            f"Accounts of the demo's names exist already: {', '.join(usernames)}. The demo leaves them alone; "
            "seed an installation without them (another DATA_DIR or DATABASE_URL)."
        )
    password = kept_password()
    # All or nothing, so that an interrupted call can simply be repeated.
    with transaction.atomic():
        _make(password)
    return Seeded(password, made=True)


def kept_password() -> str:
    """DEMO_PASSWORD, else one drawn for this installation and kept in its data folder for the next call."""
    path = Path(settings.DATA_DIR) / "demo-password"
    env_password = os.environ.get("DEMO_PASSWORD", "")
    if not env_password and path.exists():
        return path.read_text().strip()
    password = env_password or secrets.token_urlsafe(12)
    path.touch(mode=0o600)
    path.write_text(password)
    return password


def _make(password: str) -> None:
    project = projects.create_project(
        slug=SLUG, kind="feedback", name="Feedback demo", languages=["en", "zh"], licence="CC0-1.0", lease_minutes=60
    )
    for username, (display_name, role) in PEOPLE.items():
        user = User.objects.create_user(username, password=password, display_name=display_name)
        Member.objects.create(project=project, user=user, role=role)
    lead = User.objects.get(username="lead")
    with dates.dated(project, dates.moment(FIRST_DAY, "08:30")):
        history.publish_guidelines(project, by=lead, note="First version")
        _import_samples(project)
    history.replay(project)
    for part in settings.DEMO_PARTS:
        import_string(part)(project)


def _import_samples(project: Project) -> None:
    """Raises Refused with what is wrong where the sample file was changed and does not fit the kind."""
    path = Path(settings.BASE_DIR) / "fixtures" / "feedback_demo.jsonl"
    names, how = [os.path.relpath(path)], Settings(format="jsonl")
    report = import_files(project=project, names=names, settings=how, strict=True)
    if not report.kept:
        raise Refused(f"{path.name}: {report.problems}")
