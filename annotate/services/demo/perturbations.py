"""The demo's second project: perturbations of our own writing, some validated, some with something to look at."""

import os
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotate.models import Item, Member, Project, Readiness, User
from annotate.services import comments, projects
from annotate.services.errors import Refused
from annotate.services.importing.commands import import_files
from annotate.services.importing.rows import Settings

SLUG = "demo-blindspots"
FOLDER = Path(settings.BASE_DIR) / "fixtures"
FILE, CALIBRATION = FOLDER / "perturbation_demo.jsonl", FOLDER / "perturbation_calibration_demo.jsonl"
NEWCOMER = "bo"  # who has not passed the calibration, so that it can be seen; the others have
WANTED = 2  # of each category, so that few items show what coverage means


def seed(people: dict[str, str]) -> Project:
    """Make the project once, with these people (username -> role) as its members; later calls leave it as it is.

    Raises Refused with what is wrong where the file was changed and does not fit the kind.
    """
    project = Project.objects.filter(slug=SLUG).first()
    if project:
        return project
    with transaction.atomic():
        return _made(people)


def _made(people: dict[str, str]) -> Project:
    project = projects.create_project(
        slug=SLUG,
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
    """One item of each of three categories, with a word about why."""
    _import(project, CALIBRATION)
    Readiness.objects.create(project=project, calibration_each=1)
    project.members.exclude(user__username=NEWCOMER).update(calibrated_at=timezone.now())
    lead = User.objects.filter(memberships__project=project, memberships__role=Member.Role.LEAD).first()
    for item in Item.objects.filter(project=project, purpose=Item.Purpose.CALIBRATION).select_related("base"):
        if lead and item.base:
            comments.start(item=item, by=lead, text=item.base.draft["note"], field="verdict")
