from typing import Any

import pytest

from annotate.items import actions
from annotate.models import Annotation, Item, Slot
from annotate.quality.anchoring import Anchoring, Meter, anchoring, texts_behind
from tests.support.reviews import SUGGESTED, WRITTEN, Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case()


def handed_in(case: Case, key: str, draft: dict[str, Any], *, blind: bool = False, **options: Any) -> Item:
    item = case.item(key, **options)
    Slot.objects.filter(item=item).update(blind=blind)
    case.written(item, draft)
    return item


def meter(found: Anchoring, name: str) -> Meter:
    (one,) = [one for one in found.meters if one.field.name == name]
    return one


def other_label() -> dict[str, Any]:
    return {**SUGGESTED, "task_type": "Knowledge Q&A", "sub_task_type": "Objective Facts"}


def test_the_kept_share_stands_beside_that_of_those_who_did_not_see_the_suggestion(case: Case) -> None:
    for number in range(3):
        handed_in(case, f"seen-{number}", SUGGESTED)
    handed_in(case, "changed", WRITTEN)
    handed_in(case, "blind-same", SUGGESTED, blind=True)
    handed_in(case, "blind-other", other_label(), blind=True)
    found = anchoring(case.project)
    assert (found.texts, found.items, found.left_out) == ({"shown": 4, "blind": 2}, 6, {})
    feedback, task = meter(found, "feedback"), meter(found, "task_type")
    assert (feedback.kept.shown.value, feedback.kept.shown.n) == (0.75, 4)
    assert (feedback.kept.blind.value, feedback.kept.blind.n) == (1.0, 2)
    assert feedback.kept.difference.value == -0.25
    assert (task.kept.shown.value, task.kept.blind.value, task.kept.difference.value) == (1.0, 0.5, 0.5)
    assert task.kept.difference.interval is not None
    assert feedback.kept.shown.too_few


def test_the_distance_is_of_texts_and_counts_what_was_rewritten(case: Case) -> None:
    handed_in(case, "same", SUGGESTED)
    handed_in(case, "rewritten", {**SUGGESTED, "feedback": "Neither."})
    found = meter(anchoring(case.project), "feedback").distance
    assert found is not None
    # "That is wrong. Both weigh the same." are 9 tokens; "Neither." keeps the full stop at the end: 8 of 9
    assert found.shown.value == pytest.approx((0 + 8 / 9) / 2)
    assert found.blind.value is None
    assert meter(anchoring(case.project), "task_type").distance is None


def test_labels_are_compared_between_both_groups_with_what_chance_would_do(case: Case) -> None:
    for number in range(4):
        handed_in(case, f"seen-{number}", SUGGESTED)
        handed_in(case, f"blind-{number}", other_label() if number % 2 else SUGGESTED, blind=True)
    task = meter(anchoring(case.project), "task_type")
    assert task.shift is not None
    assert task.shift.value == pytest.approx(0.5)  # all Reasoning against half: half of 1/2 + 1/2
    assert task.shift.interval is not None
    assert task.shift.interval.low < 0.5 < task.shift.interval.high
    assert (task.shift.n, task.shift.too_few) == (4, True)
    assert task.by_chance is not None
    assert 0 < task.by_chance < 0.5
    given = {label.value: (label.given.shown.value, label.given.blind.value) for label in task.labels}
    assert given == {"Reasoning": (1.0, 0.5), "Knowledge Q&A": (0.0, 0.5)}


def test_what_is_left_out_says_why(case: Case) -> None:
    handed_in(case, "nothing suggested", WRITTEN, suggestion=None)
    handed_in(case, "unsuitable", {**SUGGESTED, "suitable": False})
    again = handed_in(case, "again", SUGGESTED)
    actions.requeue(again, by=case.lead)
    case.written(again, SUGGESTED)
    found = anchoring(case.project)
    assert found.left_out == {"later": 1, "unsuitable": 1, "nothing": 1}
    assert found.texts == {"shown": 1, "blind": 0}


def test_a_suggestion_made_after_a_blind_text_was_begun_is_not_compared_with_it(case: Case) -> None:
    item = handed_in(case, "blind", WRITTEN, blind=True, suggestion=None)
    Annotation.objects.create(item=item, model="drafter-b", draft=SUGGESTED)
    assert anchoring(case.project).left_out == {"nothing": 1}


def test_gold_and_calibration_stay_out(case: Case) -> None:
    item = handed_in(case, "gold", SUGGESTED)
    Item.objects.filter(pk=item.pk).update(purpose="gold")
    assert anchoring(case.project).texts == {"shown": 0, "blind": 0}


def test_a_number_opens_its_items(case: Case) -> None:
    handed_in(case, "kept", SUGGESTED)
    handed_in(case, "changed", WRITTEN)
    opened = texts_behind(case.project, field="feedback", arm="shown", kept=False)
    assert ([row.item.key for row in opened.rows], opened.count) == (["changed"], 1)
    assert opened.rows[0].suggested == SUGGESTED["feedback"]
    assert opened.rows[0].written == WRITTEN["feedback"]
    labelled = texts_behind(case.project, field="task_type", arm="shown", label="Reasoning")
    assert [row.item.key for row in labelled.rows] == ["changed", "kept"]
    assert texts_behind(case.project, field="feedback", arm="blind").count == 0


def test_the_queries_do_not_grow_with_the_texts(case: Case, django_assert_num_queries: Any) -> None:
    for number in range(4):
        handed_in(case, f"k-{number}", SUGGESTED, blind=number % 2 == 0)
    with django_assert_num_queries(6):
        assert anchoring(case.project).items == 4
