from pathlib import Path

import pytest
from pytest_django import Settings

from annotate.guidelines.sections import parts
from annotate.models import Annotation, Item, Member, Precedent, Project
from annotate.upkeep import demo
from judging.demo import demo_votes
from judging.models import Study
from judging.studies.progress import with_progress

pytestmark = pytest.mark.django_db
ROLES = {"lead": "lead", "ana": "annotator", "bo": "annotator", "rui": "reviewer"}


@pytest.fixture
def projects(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Project]:
    monkeypatch.delenv("DEMO_PASSWORD", raising=False)
    settings.DATA_DIR = tmp_path
    demo.seed()
    return demo_votes.seed(ROLES)


def test_some_votes_are_in_and_some_are_left(projects: list[Project]) -> None:
    rows = [row for project in projects for row in with_progress(list(Study.objects.filter(project=project)))]
    assert [(row.done, row.wanted) for row in rows] == [(31, 36), (107, 126)]
    for project in projects:
        assert dict(Member.objects.filter(project=project).values_list("user__username", "role")) == ROLES


def test_no_item_names_an_author(projects: list[Project]) -> None:
    told = str(list(Item.objects.filter(project__in=projects).values_list("key", "title", "facts", "group")))
    assert "simulated" not in told


def test_people_cast_every_sort_of_vote(projects: list[Project]) -> None:
    votes = Annotation.objects.filter(item__project=projects[1], submitted_at__isnull=False)
    assert {vote.draft["choice"] for vote in votes} == {"first", "second", "tie", "both_bad"}


def test_another_call_changes_nothing(projects: list[Project]) -> None:
    assert demo_votes.seed({}) == projects
    assert Study.objects.count() == 2


def test_questions_were_asked_and_one_is_ruled_and_sections_say_what_they_are_about(projects: list[Project]) -> None:
    asked = Precedent.objects.filter(project__slug=demo.SLUG).order_by("pk")
    assert [bool(one.ruling) for one in asked] == [True, False]
    source = Project.objects.get(slug=demo.SLUG)
    newest = source.guidelines.latest("version")
    scoped = [
        (list(part.fields), list(part.groups), len(part.examples))
        for part in parts(source, newest.text)
        if part.is_scoped
    ]
    assert scoped == [(["Feedback", "Checklist"], [], 0), (["Checklist"], ["Mathematics"], 1)]
