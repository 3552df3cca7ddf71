from datetime import date, timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotate.models import Annotation, Item, Member, Slot
from annotate.quality.pace import PersonPace, pace_of, week_of, weeks_of
from annotate.review import adjudication, claim, decisions
from annotate.review.decisions import Reason
from annotate.work import desk, submit
from tests.support.people import DRAFT, make_item, make_member, make_project
from tests.support.people import written as draft_of
from tests.support.reviews import SUGGESTED, WRITTEN, Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case()


def of(case: Case) -> PersonPace:
    return pace_of(case.project).person(case.member(case.annotator))


def test_time_and_items_count_texts_of_work_alone(case: Case) -> None:
    for number in range(3):
        case.written(case.item(f"k-{number}"))  # a minute each
    Item.objects.filter(key="k-2").update(purpose="attention")
    found = of(case)
    assert (found.items, found.texts, found.seconds) == (2, 2, 120)
    assert (found.minutes.value, found.minutes.n, found.minutes.too_few) == (1.0, 2, True)


def test_the_kept_share_is_of_suggested_values(case: Case) -> None:
    case.written(case.item("same"), SUGGESTED)
    case.written(case.item("changed"), WRITTEN)
    # six suggested fields each, of which WRITTEN has another feedback: 11 of 12
    assert of(case).kept.value == pytest.approx(11 / 12)


def test_the_share_sent_back_is_of_what_was_reviewed(case: Case) -> None:
    back, right = case.under_review("back"), case.under_review("right")
    case.written(case.item("waiting"))
    decisions.send_back(review=back, token=back.slot.token, by=case.reviewer, reasons=[Reason("", "No.")])
    decisions.accept(review=right, token=right.slot.token, by=case.reviewer)
    found = of(case).returned
    assert (found.value, found.n) == (0.5, 2)


def test_people_come_by_name(case: Case) -> None:
    names = [str(one.member.user) for one in pace_of(case.project).people()]
    assert names == ["annotator", "lead", "reviewer"]


def test_without_work_there_is_no_number(case: Case) -> None:
    found = of(case)
    assert {found.minutes.value, found.kept.value, found.returned.value, found.with_others.value} == {None}


def test_weeks_are_there_even_without_work(case: Case) -> None:
    written = case.written(case.item())
    today = date(2026, 11, 18)  # a Wednesday
    monday = date(2026, 11, 16)
    Annotation.objects.filter(pk=written.pk).update(
        submitted_at=timezone.make_aware(timezone.datetime(2026, 11, 10, 12, 0))
    )
    weeks = weeks_of(pace_of(case.project), case.member(case.annotator), today)
    assert [week.monday for week in weeks][-2:] == [monday - timedelta(weeks=1), monday]
    assert [week.texts for week in weeks][-2:] == [1, 0]
    assert week_of(timezone.make_aware(timezone.datetime(2026, 11, 15, 23, 59))) == date(2026, 11, 9)


# --- several people -------------------------------------------------------------------------------------------------
def hand_in(member: Member, draft: dict[str, Any]) -> None:
    slot = desk.open_next(member)
    assert slot is not None
    submit.submit(annotation=draft_of(slot, member, draft), token=slot.token, by=member.user)


OTHER = {**DRAFT, "task_type": "Reasoning", "sub_task_type": "IQ Questions"}


def test_agreement_with_others_counts_the_fields_in_which_people_should_agree() -> None:
    project = make_project(overlap=2, reviews=0)
    one, other, judge = make_member(project), make_member(project), make_member(project, "reviewer")
    item = make_item(project)
    hand_in(one, DRAFT)
    hidden = pace_of(project)
    assert [hidden.person(member).with_others.n for member in (one, other)] == [0, 0]  # not before both are in
    hand_in(other, OTHER)
    Slot.objects.filter(item=item).update(opens_at=timezone.now() - timedelta(seconds=1))
    slot = claim.take_next(judge)
    assert slot is not None
    review = Annotation.objects.get(slot=slot, author=judge.user)
    names = ["task_type", "sub_task_type"]
    Annotation.objects.filter(pk=review.pk).update(draft=OTHER, decided=names)
    review.refresh_from_db()
    adjudication.accept(review=review, token=slot.token, by=judge.user)
    pace = pace_of(project)
    # suitable and references: nobody filled them in; feedback is free; of task, subtask and three others, three agree
    assert pace.person(one).with_others.value == pytest.approx(3 / 5)
    assert pace.person(one).with_adjudicated.value == pytest.approx(3 / 5)
    assert pace.person(other).with_adjudicated.value == 1.0
    assert Item.objects.get(pk=item.pk).state == "accepted"


def test_the_queries_do_not_grow_with_people_or_texts(case: Case, django_assert_num_queries: Any) -> None:
    for number in range(4):
        case.written(case.item(f"k-{number}"))
    with django_assert_num_queries(12):
        assert len(pace_of(case.project).people()) == 3
