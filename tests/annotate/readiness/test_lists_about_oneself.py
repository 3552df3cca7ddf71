"""What people read about themselves lists checks as work that is not decided yet, so that nothing tells them apart."""

import json
from typing import Any

import pytest
from django.utils import timezone

from annotate.errors import Refused
from annotate.models import Annotation, Item, Member, Project
from annotate.people.own_record import as_file, recorded_about
from annotate.quality.pace import pace_of, weeks_of
from annotate.review.corrections import correction_of, corrections, counts
from annotate.review.disputes import dispute
from tests.support.checks import asking, check, fresh, work_through
from tests.support.pages import client_of, html_of
from tests.support.people import DRAFT, make_item, make_member

pytestmark = pytest.mark.django_db


def made(purpose: str = "gold", **project: Any) -> Project:
    found = asking(check_share=1, project=project)
    make_item(found, suggestion=DRAFT, group="Maths", key="k-work", title="k-work")
    check(found, purpose, key="k-check", title="k-check", round=2)
    return found


@pytest.fixture(params=["gold", "attention"])
def ada(request: pytest.FixtureRequest) -> Member:
    """She has handed in one check and one work item."""
    member = make_member(made(request.param))
    slots = work_through(member, 2)
    assert [slot.item.purpose for slot in slots] == [request.param, "work"]
    return fresh(member)


def test_corrections_list_checks_as_undecided(ada: Member) -> None:
    rows = corrections(ada).rows
    assert {one.text.item.key for one in rows} == {"k-work", "k-check"}
    assert {(one.became, one.round, one.may_be_disputed, *one.by) for one in rows} == {("waiting", 1, False)}
    assert counts(ada)["waiting"] == 2
    page = html_of(client_of(ada.user), f"/p/{ada.project.slug}/mine/corrections/")
    assert "round 2" not in page


def test_a_dispute_about_a_check_is_refused_as_about_work(ada: Member) -> None:
    refused = set()
    for text in Annotation.objects.filter(author=ada.user):
        with pytest.raises(Refused) as caught:
            dispute(text=text, by=ada.user, reason="Not so.")
        refused.add(str(caught.value))
    assert len(refused) == 1


def test_without_reviews_both_look_accepted() -> None:
    member = make_member(made(reviews=0))
    work_through(member, 2)
    rows = corrections(fresh(member)).rows
    assert [(one.became, one.by) for one in rows] == [("accepted", [])] * 2


def test_what_was_decided_about_the_item_before_it_was_a_check_is_not_about_its_answers(ada: Member) -> None:
    item = Item.objects.get(key="k-check")
    item.slots.create(project=ada.project, stage="adjudicate", round=2, no=1, state="submitted")
    Annotation.objects.create(
        item=item, slot=item.slots.get(stage="adjudicate"), author=make_member(ada.project, "lead").user,
        draft=DRAFT, outcome="accepted", submitted_at=timezone.now(),
    )  # fmt: skip
    text = Annotation.objects.get(item=item, author=ada.user)
    assert correction_of(text, ada.project.kind).became == "waiting"


def test_the_calibration_is_no_work() -> None:
    project = asking(calibration_each=1, passes_at="0.1")
    check(project)
    member = make_member(project)
    work_through(member, 1)
    assert corrections(fresh(member)).rows == []


def test_the_numbers_on_my_pace_grow_with_each_of_both(ada: Member) -> None:
    mine = pace_of(ada.project, checks=True).person(ada)
    assert (mine.texts, mine.items, mine.kept.n) == (2, 2, 2)
    assert sum(week.texts for week in weeks_of(pace_of(ada.project, checks=True), ada, timezone.localdate())) == 2
    assert pace_of(ada.project).person(ada).texts == 1  # the lead's table opens items of work


def test_what_is_recorded_says_the_same_of_both(ada: Member) -> None:
    told = json.loads("".join(as_file(ada.user)))
    for name, left_aside in {
        "annotate.slot.holder": {"id", "item_id", "opens_at", "lease_until"},
        "annotate.event.actor": {"id", "item_id", "annotation_id", "at"},
    }.items():
        first, second = ({key: row[key] for key in row.keys() - left_aside} for row in told[name])
        assert first == second
    assert told["annotate.slot.reserved_for"] == []
    assert not [row for row in told["annotate.slot.holder"] if "own" in row]
    assert {line.place.name: line.count for line in recorded_about(ada.user)}["annotate.slot.reserved_for"] == 0
