"""The fixture of the demo is what live seeding makes, on both databases: rows, states, releases and all reports."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotate.upkeep import demo_fixture
from tests.support.installation import ROOT, Installation
from tests.support.installations import Installations

pytestmark = [pytest.mark.slow, pytest.mark.long]

REPORTS = """
from io import StringIO
from django.core.management import CommandError, call_command
from judging.boards.board import reports

def report(slug, name):
    out = StringIO()
    try:
        call_command("report", slug, name, "--json", stdout=out)
    except CommandError as refused:
        return str(refused)
    return out.getvalue()

slugs = Project.objects.order_by("slug").values_list("slug", flat=True)
result = {slug: {name: report(slug, name) for name in reports()} for slug in slugs}
"""
CONTENTS = """
from annotate.upkeep.demo_fixture import tables
counts = {label: model._base_manager.count() for label, model in tables().items()}
states = {model.__name__: list(model.objects.order_by("pk").values_list("state", flat=True))
          for model in (Item, Slot, Run, Job)}
releases = list(Release.objects.order_by("pk").values_list("project__slug", "version", "sha256"))
result = [counts, states, releases]
"""
GOES_ON = """
from annotate.items import drafts, queue
from annotate.work import submit
ana = Member.objects.select_related("project", "user").get(user__username="ana", project__slug="demo")
slot = Slot.objects.held_by(ana.user).filter(project=ana.project).select_related("item").get()
submit.submit(annotation=slot.annotations.get(author=ana.user), token=slot.token, by=ana.user)
slot.refresh_from_db()
new = Project.objects.create(slug="new", name="New", kind_slug="feedback")
result = [slot.state, new.pk > ana.project.pk]
"""


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """Seeded by every service, as the fixture was made."""
    folder = tmp_path_factory.mktemp("live")
    subprocess.run([sys.executable, "-m", "scripts.demo_fixture", str(folder)], cwd=ROOT, check=True)
    installation = Installation(folder, f"sqlite:///{folder / 'seeded.sqlite3'}")
    yield installation
    installation.close()


def test_making_it_again_gives_the_same_rows(live: Installation) -> None:
    again, stored = demo_fixture.manifest(live.folder / "seeded.zip"), demo_fixture.manifest()
    assert differing(again["tables"], stored["tables"]) == [], demo_fixture.REMAKE
    assert again == stored, demo_fixture.REMAKE


def test_an_installation_out_of_it_says_the_same_everywhere(
    live: Installation, installations: Installations, database: str
) -> None:
    with installations.migrated(database) as loaded:
        loaded.manage("seed_demo")
        assert loaded.python(CONTENTS) == live.python(CONTENTS)
        ours, theirs = loaded.python(REPORTS), live.python(REPORTS)
        assert [(slug, name) for slug in theirs for name in differing(ours[slug], theirs[slug])] == []
        assert sum(text.startswith("{") for texts in ours.values() for text in texts.values()) > 20
        assert loaded.python(GOES_ON) == ["submitted", True]
        assert "already exists" in loaded.manage("seed_demo").stdout
        assert not list(Path(loaded.folder).glob("restoring"))


def differing(left: dict[str, Any], right: dict[str, Any]) -> list[str]:
    return [name for name in left.keys() | right.keys() if left.get(name) != right.get(name)]
