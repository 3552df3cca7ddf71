from typing import Any

import pytest

from annotate.items.authorship import Authorship, authorship, authorship_as_json, lineages
from annotate.models import Annotation, Item, Slot
from annotate.review import decisions
from tests.support.reviews import SUGGESTED, WRITTEN, Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case()


def of(text: Annotation) -> Authorship:
    item = Item.objects.select_related("project").get(pk=text.item_id)
    kind = item.project.kind
    return authorship(kind, kind.read_facts(item.facts), lineages([text])[text.pk])


def test_a_release_is_told_the_same(case: Case) -> None:
    """A single text has a way of its own."""
    item = case.item()
    kind = item.project.kind
    facts, suggestion = kind.read_facts(item.facts), item.annotations.get()
    for chain in ([suggestion], [suggestion, case.written(item)]):
        for draft in (chain[-1].draft, chain[-1].draft | {"feedback": "", "error_type": []}, {}):
            assert authorship_as_json(kind, facts, chain, draft) == authorship(kind, facts, chain, draft).as_json()


def feedback(found: Authorship) -> dict[str, int]:
    (share,) = [share for share in found.texts if share.field.name == "feedback"]
    return share.characters


def fixed(case: Case, **changes: Any) -> Annotation:
    review = case.fix(case.under_review(), **changes)
    decisions.fix_and_accept(review=review, token=review.slot.token, by=case.reviewer)
    review.refresh_from_db()
    return review


def test_an_untouched_suggestion_is_the_models(case: Case) -> None:
    item = case.item()
    found = of(case.written(item, SUGGESTED))
    assert found.shares == {"model": 1.0, "annotator": 0.0, "reviewer": 0.0}
    assert {setter for _field, setter in found.values} == {"model"}


def test_what_was_written_without_a_suggestion_is_the_annotators(case: Case) -> None:
    found = of(case.written(case.item(suggestion=None)))
    assert found.shares == {"model": 0.0, "annotator": 1.0, "reviewer": 0.0}


def test_who_never_saw_the_suggestion_owes_it_nothing(case: Case) -> None:
    item = case.item()
    Slot.objects.filter(item=item).update(blind=True)
    assert of(case.written(item, SUGGESTED)).shares == {"model": 0.0, "annotator": 1.0, "reviewer": 0.0}


def test_a_fix_leaves_each_hand_its_own(case: Case) -> None:
    # SUGGESTED "That is wrong. Both weigh the same." -> WRITTEN "That is not right. Both weigh the same: a kilogram…"
    feedback_now = WRITTEN["feedback"] + " Indeed!"
    found = of(fixed(case, feedback=feedback_now, task_type="Knowledge Q&A", sub_task_type="Objective Facts"))
    told = feedback(found)
    assert told["reviewer"] == len("Indeed!")
    assert told["model"] > 0
    assert told["annotator"] > 0
    assert sum(told.values()) == len("".join(feedback_now.split()))
    setters = {field.name: setter for field, setter in found.values}
    assert (setters["task_type"], setters["checklist"]) == ("reviewer", "model")
    assert "suitable" not in setters  # it is empty, and nobody's


def test_what_was_changed_and_set_back_belongs_to_the_last_hand(case: Case) -> None:
    changed = {**WRITTEN, "error_type": ["Factual Error"]}
    review = case.fix(case.under_review(draft=changed), error_type=SUGGESTED["error_type"])
    decisions.fix_and_accept(review=review, token=review.slot.token, by=case.reviewer)
    review.refresh_from_db()
    setters = {field.name: setter for field, setter in of(review).values}
    assert (setters["error_type"], setters["task_type"]) == ("reviewer", "model")


def test_a_value_that_the_annotator_changed_is_theirs(case: Case) -> None:
    found = of(case.written(case.item(), {**WRITTEN, "error_type": ["Factual Error"]}))
    setters = {field.name: setter for field, setter in found.values}
    assert (setters["error_type"], setters["task_type"]) == ("annotator", "model")


def test_a_later_round_goes_back_to_the_first(case: Case) -> None:
    review = case.under_review()
    item = Item.objects.get(pk=review.item_id)
    reasons = [decisions.Reason("feedback", "Shorter.")]
    decisions.send_back(review=review, token=review.slot.token, by=case.reviewer, reasons=reasons)
    item.refresh_from_db()
    again = case.written(item, {**SUGGESTED, "feedback": SUGGESTED["feedback"]})
    assert of(again).shares == {"model": 1.0, "annotator": 0.0, "reviewer": 0.0}


def test_chains_are_read_in_one_query(case: Case, django_assert_num_queries: Any) -> None:
    texts = [case.written(case.item(f"k-{number}")) for number in range(5)]
    with django_assert_num_queries(1):
        assert len(lineages(texts)) == 5
