"""Generated projects: their rows pass all checks, are the same for the same seed, and leave room for later rows."""

from pathlib import Path
from typing import Any

import pytest

from annotate.items import queue
from annotate.models import Annotation, Event, Item, Member, Project
from annotate.upkeep.schema_check import check_stored
from benchmarks.generated import generated, load
from benchmarks.generated_verdicts import load_verdicts
from judging.models import Part, Verdict
from judging.verdicts import verdict_scores
from tests.support.installations import Installations
from tests.support.people import make_item, make_member, make_project

pytestmark = pytest.mark.django_db


def loaded(*, count: int = 40, seed: int = 0) -> tuple[Project, Member]:
    """A project of so many generated items, and one of the people in it."""
    project = make_project()
    members = [make_member(project, "reviewer") for _number in range(3)]
    load(project, [member.user for member in members], count=count, seed=seed)
    return project, members[0]


def test_generated_items_pass_all_checks() -> None:
    project, _member = loaded()
    report = check_stored(project)
    assert (report.faults, report.items) == ([], 40)
    accepted = Item.objects.filter(project=project, state="accepted")
    assert accepted.count() == accepted.filter(base__outcome="annotated", base__authored=True).count() > 20
    assert Annotation.objects.filter(item__in=accepted).count() == 3 * accepted.count()
    assert Event.objects.filter(project=project).count() == 40 + accepted.count()


def test_items_are_the_same_for_the_same_seed() -> None:
    assert generated(7, seed=1) == generated(7, seed=1) != generated(7, seed=2)


def test_more_items_and_other_rows_can_follow() -> None:
    project, member = loaded(count=10)
    load(project, [member.user, make_member(project).user], count=5, start=10)
    assert make_item(project).pk == Item.objects.order_by("-pk")[1].pk + 1
    assert queue.claim_next(member, "annotate") is not None


def test_verdicts_make_a_leaderboard() -> None:
    project, _member = loaded()
    assert load_verdicts(project, items=12, authors=3, judges=2) == 72
    assert load_verdicts(project, items=5, authors=3, judges=2) == 30
    read = Verdict.objects.filter(reading="ok").count()
    assert Verdict.objects.count() == 102 > read
    assert Part.objects.count() == 2 * read
    for judge in verdict_scores.judges(project):
        scored = verdict_scores.scores(project, judge)
        assert (len(scored.rows), scored.outdated, scored.unjudged) == (51, 0, 0)


LOAD = """
from annotate.upkeep.schema_check import check_stored
from benchmarks.generated import load
from benchmarks.generated_verdicts import load_verdicts
from judging.models import Verdict
from tests.support.people import make_item, make_member, make_project

project = make_project()
load(project, [make_member(project, "reviewer").user for _number in range(2)], count=30)
verdicts = load_verdicts(project, items=5, authors=2, judges=2)
make_item(project)
result = [check_stored(project).faults, verdicts, Verdict.objects.count()]
"""


@pytest.mark.slow
def test_both_databases_take_the_rows(installations: Installations, database: str, tmp_path: Path) -> None:
    with installations.migrated(database) as installation:
        outcome: list[Any] = installation.python(LOAD)
    assert outcome == [[], 20, 20]
