"""The page of a sample: rows with their texts and decisions, and deciding there."""

from decimal import Decimal

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from annotate.items import actions
from annotate.models import Annotation, Item, Sample, Slot
from annotate.quality import acceptance_sampling
from annotate.review import claim, decisions
from tests.support.reviews import WRITTEN, Case

pytestmark = pytest.mark.django_db


@pytest.fixture
def sample(case: Case) -> Sample:
    """Two of five accepted items, see tests/annotate/quality/test_sampling.py; the lead has had no part in them."""
    for number in range(5):
        item = case.item(f"k-{number}")
        case.written(item)
        review = case.review(item)
        decisions.accept(review=review, token=review.slot.token, by=case.reviewer)
    return acceptance_sampling.draw(
        project=case.project,
        items=Item.objects.all(),
        tolerated=Decimal("0.5"),
        risk=Decimal("0.35"),
        by=case.lead,
    )


def waiting() -> list[Slot]:
    return list(Slot.objects.open().filter(stage="review").order_by("item"))


def page_of(client: Client, sample: Sample) -> str:
    return client.get(reverse("sample", args=["fb", sample.pk])).content.decode()


def post(client: Client, sample: Sample, slot: Slot, verb: str, note: str = "", **headers: str) -> HttpResponse:
    data = {"slot": str(slot.pk), "verb": verb, "note": note}
    return client.post(reverse("sample_decide", args=["fb", sample.pk]), data, headers=headers)


def test_the_page_shows_the_drawn_rows_their_texts_and_what_happens(lead: Client, sample: Sample) -> None:
    text = page_of(lead, sample)
    assert text.count("data-waits") == 2
    assert text.count(WRITTEN["feedback"]) == 2
    assert "0 of 2 checked" in text
    assert "a lead can send the 3 items that were not drawn to review, too" in text


def test_accepting_every_row_passes_the_batch(lead: Client, case: Case, sample: Sample) -> None:
    first, second = waiting()
    answer = post(lead, sample, first, "accept")
    assert answer.url == reverse("sample", args=["fb", sample.pk]) + f"?done={first.pk}"
    text = lead.get(answer.url).content.decode()
    assert f'action="{reverse("review_undo", args=["fb", first.pk])}"' in text
    assert "1 of 2 checked" in text
    post(lead, sample, second, "accept")
    assert "The batch passed." in page_of(lead, sample)
    assert set(Item.objects.values_list("state", flat=True)) == {"accepted"}


def test_returning_a_row_fails_the_batch_and_keeps_the_words(lead: Client, case: Case, sample: Sample) -> None:
    slot = waiting()[0]
    post(lead, sample, slot, "return", "Too harsh.")
    assert Annotation.objects.get(slot=slot).said["reasons"] == [{"field": "", "text": "Too harsh."}]
    text = page_of(lead, sample)
    assert "The batch failed" in text
    assert "Too harsh." in text
    assert reverse("sample_whole", args=["fb", sample.pk]) in text


def test_returning_without_words_takes_nothing_up(lead: Client, sample: Sample) -> None:
    answer = post(lead, sample, waiting()[0], "return", "  ")
    assert answer.status_code == 422
    assert "at least one reason" in answer.content.decode()
    assert len(waiting()) == 2


def test_a_row_that_somebody_else_took_keeps_what_was_written(lead: Client, case: Case, sample: Sample) -> None:
    slot = waiting()[0]
    claim.take(case.member(case.reviewer), slot)
    answer = post(lead, sample, slot, "return", "Keep these words.")
    text = answer.content.decode()
    assert answer.status_code == 409
    assert "reviewer has started this review." in text
    assert "Keep these words." in text


def test_a_review_with_edits_is_not_accepted_by_its_row(lead: Client, case: Case, sample: Sample) -> None:
    slot = waiting()[0]
    claim.take(case.member(case.lead), slot)
    case.fix(Annotation.objects.get(slot=slot, author=case.lead), feedback="Mine.")
    answer = post(lead, sample, slot, "accept")
    assert answer.status_code == 422
    assert "You have edits" in answer.content.decode()
    assert Annotation.objects.get(slot=slot).draft["feedback"] == "Mine."


def test_htmx_gets_the_rows_alone_with_the_toast(lead: Client, sample: Sample) -> None:
    answer = post(lead, sample, waiting()[0], "accept", **{"HX-Request": "true"})
    text = answer.content.decode()
    assert answer.status_code == 200
    assert "<html" not in text
    assert "accepted." in text
    assert text.count("data-waits") == 1


def test_an_item_that_was_dropped_counts_as_a_fault(lead: Client, case: Case, sample: Sample) -> None:
    actions.drop(waiting()[0].item, by=case.lead, reason="duplicate")
    text = page_of(lead, sample)
    assert "left its review: counts as a fault" in text
    assert text.count("data-waits") == 1


def test_people_with_a_part_in_a_row_cannot_decide_it(client: Client, case: Case, sample: Sample) -> None:
    slot = waiting()[0]
    Annotation.objects.filter(item=slot.item, authored=True).update(author=case.reviewer)
    client.force_login(case.reviewer)
    text = page_of(client, sample)
    assert "for another reviewer" in text
    answer = post(client, sample, slot, "accept")
    assert answer.status_code == 409
    assert "You wrote text in this item" in answer.content.decode()


def test_reviewers_find_the_page_from_their_list(client: Client, case: Case, sample: Sample) -> None:
    client.force_login(case.reviewer)
    assert reverse("sample", args=["fb", sample.pk]) in client.get(reverse("review", args=["fb"])).content.decode()


def test_a_row_of_nowhere_is_refused(lead: Client, case: Case, sample: Sample) -> None:
    case.written(case.item("other"))
    other = Slot.objects.open().get(item__key="other", stage="review")
    assert post(lead, sample, other, "accept").status_code == 422
    other.refresh_from_db()
    assert other.state == "open"


@pytest.mark.parametrize("extra", [0, 30])
def test_the_page_takes_few_queries_however_many_rows(
    lead: Client, case: Case, extra: int, django_assert_max_num_queries
) -> None:
    for number in range(5 + extra):
        case.written(item := case.item(f"k-{number}"))
        review = case.review(item)
        decisions.accept(review=review, token=review.slot.token, by=case.reviewer)
    plan = {"tolerated": Decimal("0.01"), "risk": Decimal("0.01")}
    sample = acceptance_sampling.draw(project=case.project, items=Item.objects.all(), by=case.lead, **plan)
    with django_assert_max_num_queries(20):
        assert page_of(lead, sample).count("data-row") >= 5
