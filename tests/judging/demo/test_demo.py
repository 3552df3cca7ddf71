from pathlib import Path
from statistics import mean

import pytest
from pytest_django import Settings

from annotate.models import Project
from annotate.upkeep import demo
from judging.answers.queries import coverage
from judging.models import Answer
from lib.simulated.candidate import SKILLS, merit

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.delenv("DEMO_PASSWORD", raising=False)
    settings.DATA_DIR = tmp_path
    demo.seed()
    return Project.objects.get(slug=demo.SLUG)


def test_three_simulated_authors_have_answered_everything_that_is_accepted(project: Project) -> None:
    found = coverage(project)
    assert [one.author.name for one in found] == sorted(SKILLS)
    assert all(one.answered == one.items == one.simulated > 5 for one in found)


def test_their_answers_are_as_good_as_their_skill(project: Project) -> None:
    answers = Answer.objects.filter(author__project=project).values_list("author__name", "text")
    merits = {name: mean(merit(text) or 0.0 for author, text in answers if author == name) for name in SKILLS}
    assert sorted(merits, key=merits.__getitem__, reverse=True) == list(SKILLS)


def test_seeding_again_adds_nothing(project: Project) -> None:
    before = Answer.objects.count()
    demo.seed()
    assert Answer.objects.count() == before
