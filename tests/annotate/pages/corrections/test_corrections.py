import pytest
from django.test import Client
from django.urls import reverse

from annotate.models import Annotation, Dispute, Item, Notification
from annotate.review import decisions
from annotate.review.disputes import decide, dispute
from tests.support.pages import client_of, said
from tests.support.people import make_member, make_project
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db
MINE, DESK = "/p/fb/mine/corrections/", "/p/fb/disputes/"


@pytest.fixture
def text(case: Case) -> Annotation:
    """What the annotator wrote; the reviewer has changed it."""
    review = case.fix(case.under_review(), feedback="Both weigh the same.")
    decisions.fix_and_accept(review=review, token=review.slot.token, by=case.reviewer, note="Shorter.")
    return Annotation.objects.select_related("item__project").get(slot__stage="annotate")


@pytest.fixture
def disputed(case: Case, text: Annotation) -> Dispute:
    return dispute(text=text, by=case.annotator, reason="Mine says why.")


def page(client: Client, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status
    return answer.content.decode()


def objection(text: Annotation) -> str:
    return reverse("correction_dispute", args=["fb", text.pk])


def test_my_corrections_show_what_was_changed_by_whom_and_why(case: Case, text: Annotation) -> None:
    shown = page(client_of(case.annotator), MINE)
    words = said(shown)
    assert "Fixed and accepted: 1" in words
    assert "decided by reviewer" in words
    assert "Shorter." in words
    assert "<ins>" in shown or "<del>" in shown
    assert objection(text) in shown


def test_nobody_sees_the_corrections_of_others(case: Case, text: Annotation) -> None:
    assert "k-1" not in page(client_of(case.reviewer), MINE)
    assert client_of(case.viewer).get(MINE).status_code == 403
    assert client_of(case.stranger).get(MINE).status_code == 404


def test_a_filter_that_makes_no_sense_shows_everything_and_says_so(case: Case, text: Annotation) -> None:
    assert "k-1" in page(client_of(case.annotator), MINE + "?became=nonsense", 422)
    assert "k-1" in page(client_of(case.annotator), MINE + "?became=fixed")
    assert "k-1" not in page(client_of(case.annotator), MINE + "?became=returned")


def test_an_author_disputes_once(case: Case, text: Annotation) -> None:
    client = client_of(case.annotator)
    assert client.post(objection(text), {"reason": "Mine says why."}).status_code == 302
    assert "Mine says why." in page(client, MINE)
    assert objection(text) not in page(client, MINE)
    assert client.post(objection(text), {"reason": "Again."}).status_code == 422
    assert Dispute.objects.get().reason == "Mine says why."


def test_a_dispute_without_a_reason_is_asked_for_one(case: Case, text: Annotation) -> None:
    answer = client_of(case.annotator).post(objection(text), {"reason": "  "})
    assert answer.status_code == 422
    assert "Say why you disagree" in answer.content.decode()
    assert not Dispute.objects.exists()


def test_nobody_disputes_for_somebody_else(case: Case, text: Annotation) -> None:
    for person, status in ((case.reviewer, 404), (case.lead, 404), (case.viewer, 403), (case.stranger, 404)):
        assert client_of(person).post(objection(text), {"reason": "No."}).status_code == status
    assert not Dispute.objects.exists()


def test_the_inbox_leads_to_the_desk_and_back(case: Case, disputed: Dispute) -> None:
    line = Notification.objects.get(user=case.lead, verb="disputed")
    assert client_of(case.lead).post(reverse("inbox_read"), {"one": line.pk}).url == DESK
    decide(made=disputed, by=case.lead, decision="upheld", answer="It stays.")
    line = Notification.objects.get(user=case.annotator, verb="decided")
    assert client_of(case.annotator).post(reverse("inbox_read"), {"one": line.pk}).url == MINE


def test_the_desk_is_for_reviewers_and_leads(case: Case, disputed: Dispute) -> None:
    one = reverse("dispute", args=["fb", disputed.pk])
    for person, status in ((case.annotator, 403), (case.viewer, 403), (case.stranger, 404)):
        for address in (DESK, one):
            assert client_of(person).get(address).status_code == status
    assert "k-1" in page(client_of(case.lead), DESK)


def test_whoever_decided_sees_the_dispute_but_no_form(case: Case, disputed: Dispute) -> None:
    one = reverse("dispute", args=["fb", disputed.pk])
    assert "You took part in this" in page(client_of(case.reviewer), one)
    assert "decide-form" not in page(client_of(case.reviewer), one)
    told = {"decision": "upheld", "answer": "I was right."}
    assert client_of(case.reviewer).post(one + "decide/", told).status_code == 409
    assert Dispute.objects.get().decision == ""


def test_a_dispute_that_is_right_offers_to_reopen_and_changes_nothing_itself(case: Case, disputed: Dispute) -> None:
    client, one = client_of(case.lead), reverse("dispute", args=["fb", disputed.pk])
    assert client.post(one + "decide/", {"decision": "changed", "answer": "You are right."}).status_code == 302
    item = Item.objects.get()
    assert item.state == "accepted"
    shown = page(client, one)
    assert "Reopen the item" in shown
    again = {"verb": "reopen", "note": "A dispute was right."}
    assert client.post(reverse("item_decide", args=["fb", item.pk]), again).status_code == 302
    assert "already being worked on" in page(client, one)
    assert "You are right." in page(client_of(case.annotator), MINE)


def test_a_reviewer_who_agrees_is_told_that_a_lead_reopens(case: Case, disputed: Dispute) -> None:
    decide(made=disputed, by=case.lead, decision="changed", answer="You are right.")
    shown = page(client_of(case.reviewer), reverse("dispute", args=["fb", disputed.pk]))
    assert "A lead can open another round" in shown
    assert reverse("item_decide", args=["fb", disputed.annotation.item_id]) not in shown


def test_an_incomplete_answer_is_shown_again(case: Case, disputed: Dispute) -> None:
    answer = client_of(case.lead).post(reverse("dispute_decide", args=["fb", disputed.pk]), {"answer": "Because."})
    assert answer.status_code == 422
    assert "Because." in answer.content.decode()
    assert Dispute.objects.get().decision == ""


def test_a_dispute_of_another_project_is_not_there(case: Case, disputed: Dispute) -> None:
    type(case.project).objects.filter(pk=case.project.pk).update(slug="moved")
    elsewhere = make_member(make_project(slug="fb"), "lead")
    assert client_of(elsewhere.user).get(reverse("dispute", args=["fb", disputed.pk])).status_code == 404
