from decimal import Decimal
from typing import Any

import pytest

from annotate.models import Project, Readiness
from annotate.readiness.actions import change_requirements
from annotate.readiness.requirement_effects import effects
from annotate.work.desk import open_next
from tests.support.checks import WRONG, asking, check, fresh, work_through
from tests.support.people import DRAFT, make_item, make_member, make_project

pytestmark = pytest.mark.django_db
ONE = {"calibration_each": 1}


def told(project: Project, **values: Any) -> list[str]:
    project = Project.objects.get(pk=project.pk)
    return [f"{effect.text} {effect.listed}".strip() for effect in effects(project, values)]


def test_who_will_be_paused_until_they_pass_is_named_and_then_is_paused() -> None:
    """A lead needs no calibration, a viewer gets no work; who was let in before stays in."""
    project = make_project()
    check(project)
    make_item(project)
    ada, bo = make_member(project), make_member(project, "reviewer")
    make_member(project, "lead")
    make_member(project, "viewer")
    make_member(project, calibrated_at="2026-01-01T00:00Z")
    assert told(project, **ONE) == [
        f"2 people will be paused until they pass the calibration: {ada.user}, {bo.user}",
        "Nothing changes for stored work: 0 submitted texts stay as they are.",
    ]
    change_requirements(project, ONE, opened={"calibration_each": 0})
    slot = open_next(fresh(ada))
    assert slot is not None
    assert slot.item.purpose == "calibration"


def test_who_cannot_pass_for_want_of_items_is_named() -> None:
    project = make_project()
    check(project, language="en")
    make_member(project)
    zhou = make_member(project, languages=["zh"])
    assert told(project, **ONE)[1] == (
        f"1 of them cannot pass yet, because no calibration item fits their languages and groups: {zhou.user}"
    )


def test_who_passes_by_a_lower_share_can_work_at_once() -> None:
    project = asking(calibration_each=1, passes_at="1")
    check(project)
    make_item(project)
    ada = make_member(project)
    work_through(ada, 1, WRONG)  # 3 of 5 fields
    assert told(project, passes_at=Decimal("0.6"))[0] == f"1 person can work at once: {ada.user}"
    assert told(project, passes_at=Decimal("0.7")) == told(project, passes_at=Decimal("0.9"))
    Readiness.objects.update(passes_at="0.6")
    slot = open_next(fresh(ada))
    assert slot is not None
    assert slot.item.purpose == "work"


def test_who_waits_for_a_review_is_named() -> None:
    project = asking(calibration_each=1, passes_at="1")
    check(project)
    ada = make_member(project)
    work_through(ada, 1, WRONG)
    assert told(project, calibration_by="review")[0] == (
        f"1 person has done the calibration and waits for your review: {ada.user}"
    )


def test_hidden_checks_say_what_there_is_to_hand_out() -> None:
    project = make_project()
    assert told(project, check_share=Decimal("0.1"))[0].startswith("No hidden check is handed out until you mark")
    check(project, "gold")
    check(project, "attention")
    assert told(project, check_share=Decimal("0.1"))[0].startswith("2 items can be handed out as hidden checks")


def test_who_is_below_a_new_minimum_is_named() -> None:
    project = asking(check_share=1, window=1)
    check(project, "gold")
    make_item(project, suggestion=DRAFT)
    ada = make_member(project)
    work_through(ada, 1, WRONG)
    said = told(project, floor=Decimal("0.8"))
    assert said[0].startswith("1 person is below this minimum now")
    assert said[0].endswith(str(ada.user))
    assert "below" not in " ".join(told(project, floor=Decimal("0.5")))


def test_two_leads_change_different_requirements() -> None:
    project = make_project()
    first = {"calibration_each": 0, "window": 10}
    change_requirements(project, first | {"window": 5}, opened=first)
    assert change_requirements(project, first | {"calibration_each": 2}, opened=first) == ["window"]
    stored = Readiness.objects.get(project=project)
    assert (stored.calibration_each, stored.window) == (2, 5)
