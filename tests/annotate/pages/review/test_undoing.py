from datetime import timedelta

import pytest
from django.contrib.messages import get_messages
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.items import leases, queue
from annotate.models import Annotation, Comment, Event, Skip, Slot
from annotate.review.take_back import GRACE
from tests.annotate.pages.review.test_posting import every_decision, form, post, stored
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db


@pytest.fixture
def review(case: Case) -> Annotation:
    return case.under_review()


def undo(client: Client, case: Case, review: Annotation) -> HttpResponse:
    return post(client, case, review, "undo", {})


def address(name: str, review: Annotation) -> str:
    return reverse(name, args=["fb", review.slot_id])


# --- a decision -------------------------------------------------------------------------------------------------------
@every_decision
def test_the_page_after_a_decision_offers_to_undo_it(
    client: Client, case: Case, review: Annotation, verb: str, said: dict[str, str]
) -> None:
    answer = post(client, case, review, verb, form(review) | said)
    page = client.get(answer.url).content.decode()
    assert f'action="{address("review_undo", review)}"' in page


def test_one_toast_says_what_was_decided_and_offers_to_undo_it(client: Client, case: Case, review: Annotation) -> None:
    answer = post(client, case, review, "accept", form(review))
    page = client.get(answer.url).content.decode()
    assert page.count("k-1 accepted.") == 1
    assert page.index('id="toast"') < page.index("k-1 accepted.")
    again = client.get(answer.url).content.decode()
    assert "k-1 accepted." not in again
    assert "Decided." in again


def test_a_message_of_a_toast_is_shown_where_there_is_none(client: Client, case: Case, review: Annotation) -> None:
    post(client, case, review, "accept", form(review))
    page = client.get(reverse("home")).content.decode()
    assert "k-1 accepted." in page
    assert 'id="toast"' not in page


@every_decision
def test_an_undo_gives_the_review_back(
    client: Client, case: Case, review: Annotation, verb: str, said: dict[str, str]
) -> None:
    post(client, case, review, verb, form(review) | said)
    answer = undo(client, case, review)
    assert answer.status_code == 200
    assert 'data-decides="accept"' in answer.content.decode()
    assert (stored(review).item.state, stored(review).slot.state) == ("reviewing", "held")


def test_reasons_stand_in_their_form_again(client: Client, case: Case, review: Annotation) -> None:
    post(client, case, review, "return", form(review) | {"reason_field": "feedback", "reason_text": "Too harsh."})
    page = undo(client, case, review).content.decode()
    assert '<dialog class="side panel" id="return" aria-labelledby="return-title" open>' in page
    assert ">Too harsh.</textarea>" in page
    assert not Comment.objects.exists()


def test_the_note_of_a_drop_stands_in_its_form_again(client: Client, case: Case, review: Annotation) -> None:
    post(client, case, review, "drop", form(review) | {"drop_reason": "duplicate", "drop_note": "As k-7."})
    page = undo(client, case, review).content.decode()
    assert '<dialog class="side panel" id="drop" aria-labelledby="drop-title" open>' in page
    assert 'value="duplicate" checked' in page
    assert ">As k-7.</textarea>" in page


def test_the_note_of_a_fix_stands_beside_it_again(client: Client, case: Case, review: Annotation) -> None:
    post(client, case, review, "fix", form(review, feedback="Mine.") | {"fix_note": "Shorter is kinder."})
    page = undo(client, case, review).content.decode()
    assert ">Shorter is kinder.</textarea>" in page
    assert stored(review).draft["feedback"] == "Mine."


def test_the_page_of_ones_own_decision_offers_it_while_it_is_possible(
    client: Client, case: Case, review: Annotation
) -> None:
    post(client, case, review, "accept", form(review))
    assert "Take back decision" in client.get(address("review_item", review)).content.decode()
    Event.objects.update(at=timezone.now() - 2 * GRACE)
    Annotation.objects.filter(pk=review.pk).update(submitted_at=timezone.now() - 3 * GRACE)
    assert "Take back decision" not in client.get(address("review_item", review)).content.decode()


def test_the_page_of_another_ones_decision_does_not(client: Client, case: Case, review: Annotation) -> None:
    post(client, case, review, "accept", form(review))
    client.force_login(case.lead)
    assert "Take back decision" not in client.get(address("review_item", review)).content.decode()
    assert client.post(address("review_undo", review)).status_code == 409
    assert stored(review).item.state == "accepted"


def test_too_late_is_said_and_changes_nothing(client: Client, case: Case, review: Annotation) -> None:
    post(client, case, review, "return", form(review) | {"reason_field": "", "reason_text": "Too harsh."})
    queue.claim_next(case.member(case.annotator), "annotate")
    answer = undo(client, case, review)
    assert answer.url == address("review_item", review)
    assert "already started on this again" in str(list(get_messages(answer.wsgi_request))[-1])
    assert stored(review).item.round == 2


def test_a_second_undo_leads_to_the_review(client: Client, case: Case, review: Annotation) -> None:
    post(client, case, review, "accept", form(review))
    undo(client, case, review)
    assert undo(client, case, review).url == address("review_item", review)
    assert Event.objects.filter(verb="reconsidered").count() == 1


# --- a skip -----------------------------------------------------------------------------------------------------------
def skip(client: Client, case: Case, review: Annotation, reason: str = "too_hard") -> HttpResponse:
    return post(client, case, review, "skip", form(review, feedback="Half a") | {"reason": reason})


def test_a_skip_goes_on_keeps_the_words_and_says_why(client: Client, case: Case, review: Annotation) -> None:
    case.written(item := case.item("k-2"))
    answer = skip(client, case, review)
    following = Slot.objects.get(item=item, stage="review")
    assert (
        answer.url
        == address("review_item", review).replace(str(review.slot_id), str(following.pk)) + f"?skipped={review.slot_id}"
    )
    skipped = Skip.objects.get()
    assert (skipped.item_id, skipped.person, skipped.reason) == (review.item_id, case.reviewer, "too_hard")
    assert (stored(review).slot.state, stored(review).draft["feedback"]) == ("open", "Half a")


def test_a_skipped_review_never_returns_to_the_skipper(client: Client, case: Case, review: Annotation) -> None:
    answer = skip(client, case, review)
    assert answer.url.startswith(reverse("review", args=["fb"]) + "?")
    assert queue.claim_next(case.member(case.reviewer), "review") is None
    refused = client.post(address("review_take", review))
    assert refused.status_code == 409
    assert "You skipped this item" in refused.content.decode()
    assert queue.claim_next(case.member(case.lead), "review") is not None


def test_a_skip_without_a_reason_is_asked_for_one(client: Client, case: Case, review: Annotation) -> None:
    answer = skip(client, case, review, reason="because")
    assert answer.url == address("review_item", review)
    assert (stored(review).slot.state, stored(review).draft["feedback"]) == ("held", "Half a")
    assert not Skip.objects.exists()


def test_a_skip_is_undone_from_the_next_page(client: Client, case: Case, review: Annotation) -> None:
    page = client.get(skip(client, case, review).url).content.decode()
    assert f'action="{address("review_undo", review)}"' in page
    assert "Skipped</span>" in page
    assert undo(client, case, review).url == address("review_item", review)
    assert (stored(review).slot.state, stored(review).slot.holder) == ("held", case.reviewer)
    assert not Skip.objects.exists()


def test_a_skip_stays_where_somebody_has_the_review_meanwhile(client: Client, case: Case, review: Annotation) -> None:
    skip(client, case, review)
    queue.claim(review.slot_id, case.member(case.lead))
    assert undo(client, case, review).url == reverse("review", args=["fb"])
    assert stored(review).slot.holder == case.lead
    assert Skip.objects.filter(person=case.reviewer).exists()


def test_who_neither_decided_nor_skipped_undoes_nothing(client: Client, case: Case, review: Annotation) -> None:
    leases.release(review.slot, review.slot.token)
    undo(client, case, review)
    assert stored(review).slot.state == "open"


def test_a_skip_after_the_lease_is_lost_is_409(client: Client, case: Case, review: Annotation) -> None:
    leases.sweep(timezone.now() + timedelta(days=1))
    answer = skip(client, case, review)
    assert answer.status_code == 409
    assert stored(review).draft["feedback"] == "Half a"
    assert not Skip.objects.exists()


def test_the_history_shows_whose_lease_ran_out(client: Client, case: Case, review: Annotation) -> None:
    leases.sweep(timezone.now() + timedelta(days=1))
    client.force_login(case.lead)
    page = client.get(address("review_item", review)).content.decode()
    assert "ended the expired lease of reviewer" in " ".join(page.split())
