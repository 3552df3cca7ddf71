"""The demo's second project: perturbations of our own writing, some validated, some with something to look at."""

import os
from pathlib import Path

from django.conf import settings
from django.db import transaction

from annotate.models import Member, Project, User
from annotate.services import projects
from annotate.services.errors import Refused
from annotate.services.importing.commands import import_files
from annotate.services.importing.rows import Settings

SLUG = "demo-blindspots"
FILE = Path(settings.BASE_DIR) / "fixtures" / "perturbation_demo.jsonl"
WANTED = 2  # of each category, so that few items show what coverage means


def seed(people: dict[str, str]) -> Project:
    """Make the project once, with these people (username -> role) as its members; later calls leave it as it is.

    Raises Refused with what is wrong where the file was changed and does not fit the kind.
    """
    found = Project.objects.filter(slug=SLUG).first()
    if found:
        return found
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
    report = import_files(
        project=project, names=[os.path.relpath(FILE)], settings=Settings(format="jsonl"), strict=True
    )
    if not report.kept:
        raise Refused(f"{FILE.name}: {report.problems}")
    return project
