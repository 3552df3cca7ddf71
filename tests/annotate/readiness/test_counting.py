"""Whatever people do in checks and calibrations, no figure of the project moves."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from annotate.models import Annotation, Item, Member, Project, Skip, Slot
from annotate.people import members
from annotate.project import overview
from annotate.project import overview as needs
from annotate.quality import acceptance_sampling
from annotate.readiness import calibration
from annotate.releases.actions import ANY, ReleaseFilters
from annotate.work.progress import totals
from judging.answers.cases import board_basics
from judging.boards.statistics.numbers import table
from tests.support.checks import asking, check, fresh, taken, work_through
from tests.support.people import DRAFT, make_item, make_member

pytestmark = pytest.mark.django_db

FIGURES: dict[str, Callable[[Project], Any]] = {
    "states": lambda project: overview.states(project).counts,
    "pace": lambda project: overview.pace(project, timezone.localdate()).week,
    "left drafts": overview.left_draft_count,
    "waiting longest": overview.waiting_longest,
    "coverage": overview.coverage,
    "returned by person": lambda project: needs.returned_by_person(needs.reviewed(project)),
    "returned by group": lambda project: needs.returned_by_group(needs.reviewed(project)),
    "skips": needs.skips,
    "cost": lambda project: needs.cost(project, 1),
    "items of each": lambda project: [(row.member.pk, row.figures.items) for row in members.member_rows(project)],
    "release": lambda project: list(ReleaseFilters().items(project)),
    "release of any state": lambda project: list(ReleaseFilters(state=ANY).items(project)),
    "samples": lambda project: set(acceptance_sampling.candidates(Item.objects.filter(project=project))),
    "statistics": lambda project: len(table(project).ids),
    "judgeable": board_basics,
}


def everything(project: Project) -> dict[str, Any]:
    return {name: figure(project) for name, figure in FIGURES.items()}


def test_no_figure_moves() -> None:
    project = asking(project={"reviews": 0}, check_share=1, calibration_each=2)
    ada, bo = make_member(project), make_member(project)
    Member.objects.update(calibrated_at=timezone.now())
    for _ in range(4):
        make_item(project, suggestion=DRAFT, group="Maths")
    work_through(bo, 1)
    before = everything(project)
    assert before["states"]["accepted"] == 1

    for purpose in ("calibration", "calibration", "gold", "gold", "attention", "attention"):
        check(project, purpose)
    Member.objects.filter(pk=ada.pk).update(calibrated_at=None)
    assert {slot.item.purpose for slot in work_through(ada, 5)} == {"calibration", "gold", "attention"}
    last = taken(ada)
    assert last.item.purpose != "work"
    Annotation.objects.filter(author=ada.user).update(active_seconds=100, revision=1)
    Skip.objects.create(item=last.item, person=bo.user, reason="broken")
    Slot.objects.filter(pk=last.pk).update(state="open", holder=None, token=None, lease_until=None)

    after = everything(project)
    assert {name for name in before if before[name] != after[name]} == set()
    assert calibration.standing(fresh(ada)).tally.checks == 2


def test_the_totals_of_a_person_leave_out_the_calibration_only() -> None:
    """Were checks left out, their own totals would tell them which ones they were."""
    project = asking(calibration_each=1, check_share=1)
    check(project)
    check(project, "gold")
    make_item(project, suggestion=DRAFT)
    ada = make_member(project)
    work_through(ada, 3)
    assert totals(fresh(ada)).items == 2
