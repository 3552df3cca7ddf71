from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from annotate.items import drafts, flow, leases, queue
from annotate.models import Annotation, Comment, Item, Slot
from annotate.review import claim, decisions
from tests.support.people import make_member
from tests.support.reviews import SUGGESTED, WRITTEN, Case

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
EVERY_DECISION = [
    ("accept", {}),
    ("fix", {}),
    ("return", {"reason_field": "feedback", "reason_text": "Too harsh."}),
    ("drop", {"drop_reason": "other"}),
]
every_decision = pytest.mark.parametrize(("verb", "said"), EVERY_DECISION)


@pytest.fixture
def review(case: Case) -> Annotation:
    return case.under_review()


def form(review: Annotation, **changes: Any) -> dict[str, Any]:
    """What the page posts: the whole form, as it stands."""
    draft = {**review.draft, **changes}
    return {
        "token": str(review.slot.token),
        "revision": str(review.revision),
        "seconds": "5",
        "task": f"{draft['task_type']} / {draft['sub_task_type']}",
        "error_type": draft["error_type"],
        "feedback": draft["feedback"],
        "feedback_type": draft["feedback_type"],
        "question": [row[0] for row in draft["checklist"]],
        "weight": [str(row[1]) for row in draft["checklist"]],
    }


def post(
    client: Client,
    case: Case,
    review: Annotation,
    verb: str,
    data: dict[str, Any],
    headers: dict[str, str] | None = None,
) -> HttpResponse:
    client.force_login(case.reviewer)
    return client.post(reverse(f"review_{verb}", args=["fb", review.slot_id]), data, headers=headers)


def stored(review: Annotation) -> Annotation:
    return Annotation.objects.select_related("item", "slot").get(pk=review.pk)


# --- saving -----------------------------------------------------------------------------------------------------------
def test_a_fix_is_saved_while_it_is_typed(client: Client, case: Case, review: Annotation) -> None:
    answer = post(client, case, review, "save", form(review, feedback="Both weigh"), HTMX)
    text = answer.content.decode()
    assert answer.status_code == 200
    assert "<html" not in text
    assert 'id="points"' in text
    assert "Fixed by the reviewer" in text
    assert "not while you have edits" in text
    kept = stored(review)
    assert (kept.draft["feedback"], kept.revision, kept.submitted_at) == ("Both weigh", 1, None)


def test_an_untouched_form_is_no_edit(client: Client, case: Case, review: Annotation) -> None:
    text = post(client, case, review, "save", form(review), HTMX).content.decode()
    assert "not while you have edits" not in text


def test_one_field_is_taken_back(client: Client, case: Case, review: Annotation) -> None:
    data = form(review, feedback="Mine.", checklist=[["Mine?", 1]]) | {"action": "reset:feedback"}
    assert post(client, case, review, "save", data).status_code == 302
    kept = stored(review)
    assert (kept.draft["feedback"], kept.draft["checklist"]) == (WRITTEN["feedback"], [["Mine?", 1]])


@pytest.mark.parametrize(
    ("button", "where"),
    [
        ({"open": "return"}, "?open=return"),
        ({"open": "drop"}, "?open=drop"),
        ({"field": "feedback"}, "?open=return&field=feedback"),
        ({"open": "https://evil.example"}, "?open=fix#fix"),
    ],
)
def test_without_a_script_the_buttons_save_and_lead_to_their_form(
    client: Client, case: Case, review: Annotation, button: dict[str, str], where: str
) -> None:
    answer = post(client, case, review, "save", form(review, feedback="Mine.") | button)
    assert answer.url.endswith(where)
    assert stored(review).draft["feedback"] == "Mine."
    assert client.get(answer.url.partition("#")[0]).status_code == 200


@pytest.mark.parametrize("headers", [None, HTMX])
def test_two_windows_never_overwrite_each_other(
    client: Client, case: Case, review: Annotation, headers: dict[str, str] | None
) -> None:
    case.fix(review, feedback="First window.")
    old = form(review, feedback="Second window.") | {"revision": "0"}
    answer = post(client, case, review, "save", old, headers)
    text = answer.content.decode()
    assert answer.status_code == 409
    assert "First window." in text
    assert "Second window." in text
    assert "Not saved: choose one of the two texts." in text
    assert "Saved <time" not in text
    assert stored(review).draft["feedback"] == "First window."
    aside = review.set_aside.get()
    post(client, case, review, "resolve", {"aside": aside.pk, "keep": "mine"})
    assert stored(review).draft["feedback"] == "Second window."
    assert review.set_aside.get().draft["feedback"] == "First window."


def test_a_save_keeps_the_lease_alive(client: Client, case: Case, review: Annotation) -> None:
    before = Slot.objects.get(pk=review.slot_id)
    Slot.objects.update(lease_until=before.lease_until - (before.lease_until - before.opens_at) / 2)
    shortened = Slot.objects.get(pk=review.slot_id).lease_until
    post(client, case, review, "heartbeat", form(review))
    assert Slot.objects.get(pk=review.slot_id).lease_until > shortened


def test_a_heartbeat_without_the_lease_is_409(client: Client, case: Case, review: Annotation) -> None:
    leases.release(review.slot, review.slot.token)
    assert post(client, case, review, "heartbeat", form(review)).status_code == 409


def test_putting_a_review_back_keeps_the_words(client: Client, case: Case, review: Annotation) -> None:
    answer = post(client, case, review, "release", form(review, feedback="Half a"))
    assert answer.url == reverse("review", args=["fb"])
    kept = stored(review)
    assert (kept.slot.state, kept.draft["feedback"]) == ("open", "Half a")
    again = queue.claim(review.slot_id, case.member(case.reviewer))
    assert again is not None
    client.force_login(case.reviewer)
    assert "Half a" in client.get(reverse("review_item", args=["fb", review.slot_id])).content.decode()


# --- deciding ---------------------------------------------------------------------------------------------------------
def test_accepting_goes_on_to_the_next(client: Client, case: Case, review: Annotation) -> None:
    case.written(item := case.item("k-2"))
    following = case.open_slot(item, "review")
    answer = post(client, case, review, "accept", form(review))
    assert answer.url == reverse("review_item", args=["fb", following.pk]) + f"?done={review.slot_id}"
    assert stored(review).item.state == "accepted"


def test_after_the_last_one_comes_the_list(client: Client, case: Case, review: Annotation) -> None:
    answer = post(client, case, review, "accept", form(review))
    assert answer.url == reverse("review", args=["fb"]) + f"?done={review.slot_id}"
    assert "k-1 accepted." in client.get(answer.url).content.decode()


def test_accepting_over_edits_is_refused_and_keeps_them(client: Client, case: Case, review: Annotation) -> None:
    answer = post(client, case, review, "accept", form(review, feedback="Mine."))
    assert answer.status_code == 422
    assert "You have edits" in answer.content.decode()
    kept = stored(review)
    assert (kept.draft["feedback"], kept.item.state) == ("Mine.", "reviewing")


def test_a_fix_is_accepted_with_its_note(client: Client, case: Case, review: Annotation) -> None:
    data = form(review, feedback="Both weigh the same.") | {"fix_note": "Shorter is kinder."}
    assert post(client, case, review, "fix", data).status_code == 302
    kept = stored(review)
    assert (kept.item.state, kept.item.base_id, kept.note) == ("accepted", kept.pk, "Shorter is kinder.")
    assert kept.draft == {**WRITTEN, "feedback": "Both weigh the same."}


def test_a_fix_that_does_not_pass_says_where_and_keeps_the_text(client: Client, case: Case, review: Annotation) -> None:
    answer = post(client, case, review, "fix", form(review, checklist=[["Is it kind?", 0.3]]))
    text = answer.content.decode()
    assert answer.status_code == 422
    assert "add up to 0.3" in text
    assert 'href="#field-checklist"' in text
    assert stored(review).draft["checklist"] == [["Is it kind?", 0.3]]


def test_sending_back_pins_each_reason(client: Client, case: Case, review: Annotation) -> None:
    reasons = {
        "reason_field": ["feedback", "", "checklist"],
        "reason_text": ["Too harsh.", "  ", "One more\r\nplease."],
    }
    post(client, case, review, "return", form(review) | reasons)
    item = Item.objects.get()
    assert (item.state, item.round) == ("ready", 2)
    pinned = list(Comment.objects.values_list("field", "text"))
    assert pinned == [("feedback", "Too harsh."), ("checklist", "One more\nplease.")]


def test_sending_back_without_words_opens_the_form_again(client: Client, case: Case, review: Annotation) -> None:
    answer = post(client, case, review, "return", form(review, feedback="Mine.") | {"reason_text": ""})
    text = answer.content.decode()
    assert answer.status_code == 422
    assert "at least one reason" in text
    assert '<dialog class="side panel" id="return" aria-labelledby="return-title" open>' in text
    assert stored(review).draft["feedback"] == "Mine."


def test_a_reason_about_an_unknown_field_is_refused_with_its_words(
    client: Client, case: Case, review: Annotation
) -> None:
    data = form(review) | {"reason_field": "nonsense", "reason_text": "Keep these words."}
    answer = post(client, case, review, "return", data)
    assert answer.status_code == 422
    assert "Keep these words." in answer.content.decode()


def test_dropping_takes_a_reason_and_a_note(client: Client, case: Case, review: Annotation) -> None:
    refused = post(client, case, review, "drop", form(review) | {"drop_note": "Seen before."})
    assert refused.status_code == 422
    assert "Seen before." in refused.content.decode()
    post(client, case, stored(review), "drop", form(stored(review)) | {"drop_reason": "duplicate", "drop_note": "k-7"})
    item = Item.objects.get()
    assert (item.state, item.drop_reason, stored(review).note) == ("dropped", "duplicate", "k-7")


# --- faults -----------------------------------------------------------------------------------------------------------
@every_decision
def test_a_double_click_decides_once(
    client: Client, case: Case, review: Annotation, verb: str, said: dict[str, str]
) -> None:
    data = form(review) | said
    assert post(client, case, review, verb, data).status_code == 302
    assert post(client, case, review, verb, data).status_code == 302
    assert Annotation.objects.exclude(outcome="").filter(slot__stage="review").count() == 1
    assert Comment.objects.count() == (verb == "return")


@every_decision
def test_a_text_is_kept_although_somebody_else_has_decided_meanwhile(
    client: Client, case: Case, review: Annotation, verb: str, said: dict[str, str]
) -> None:
    """The lease had run out, and another reviewer got the item."""
    leases.release(review.slot, review.slot.token)
    other = make_member(case.project, "reviewer")
    slot = queue.claim(review.slot_id, other)
    assert slot is not None
    decisions.accept(review=claim.open_review(slot, other), token=slot.token, by=other.user)
    answer = post(client, case, review, verb, form(review, feedback="My own words.") | said)
    assert answer.status_code == 409
    assert stored(review).set_aside.get().draft["feedback"] == "My own words."


def test_another_text_after_the_decision_is_set_aside(client: Client, case: Case, review: Annotation) -> None:
    """From a second window, or after an answer that got lost although the decision was stored."""
    assert post(client, case, review, "fix", form(review, feedback="First words.")).status_code == 302
    answer = post(client, case, review, "fix", form(review, feedback="Second words."))
    assert answer.status_code == 409
    assert "Second words." in answer.content.decode()
    assert stored(review).draft["feedback"] == "First words."
    assert stored(review).set_aside.get().draft["feedback"] == "Second words."


@every_decision
def test_what_another_window_saves_while_this_one_decides_is_not_overwritten(
    client: Client, case: Case, review: Annotation, verb: str, said: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one saves after the text of this one was saved, and before its decision is."""
    save = drafts.save

    def saved_by_both(annotation: Annotation, draft: dict[str, Any], **options: Any) -> None:
        save(annotation, draft, **options)
        save(stored(review), {**draft, "feedback": "Other words."}, revision=annotation.revision, decided=[])

    monkeypatch.setattr(drafts, "save", saved_by_both)
    answer = post(client, case, review, verb, form(review) | said)
    assert answer.status_code == 409
    assert stored(review).draft["feedback"] == "Other words."
    assert stored(review).submitted_at is None
    assert stored(review).set_aside.get().draft["feedback"] == review.draft["feedback"]
    assert stored(review).slot.state == "held"


@every_decision
def test_a_get_decides_nothing(client: Client, case: Case, review: Annotation, verb: str, said: dict[str, str]) -> None:
    client.force_login(case.reviewer)
    answer = client.get(reverse(f"review_{verb}", args=["fb", review.slot_id]), said)
    assert answer.url == reverse("review_item", args=["fb", review.slot_id])
    assert stored(review).item.state == "reviewing"


@every_decision
def test_a_lost_race_is_409_with_both_texts(
    client: Client, case: Case, review: Annotation, verb: str, said: dict[str, str]
) -> None:
    flow.move(Item.objects.get(pk=review.item_id), "dropped", by=case.lead, drop_reason="withdrawn")
    answer = post(client, case, review, verb, form(review, feedback="My own words.") | said)
    text = answer.content.decode()
    if verb == "accept":  # refused before anything else: there are edits
        assert answer.status_code == 422
    else:
        assert answer.status_code == 409
        assert "This item was dropped in the meantime." in text
        assert WRITTEN["feedback"] in text
    assert "My own words." in text
    assert stored(review).draft["feedback"] == "My own words."
    assert Item.objects.get().drop_reason == "withdrawn"


@every_decision
def test_a_lost_lease_is_409_and_the_text_is_kept(
    client: Client, case: Case, review: Annotation, verb: str, said: dict[str, str]
) -> None:
    Slot.objects.filter(pk=review.slot_id).update(state="open", holder=None, token=None, lease_until=None)
    queue.claim(review.slot_id, case.member(case.lead))
    changes = {} if verb == "accept" else {"feedback": "My own words."}
    answer = post(client, case, review, verb, form(review, **changes) | said)
    assert answer.status_code == 409
    assert "someone else is reviewing the item now" in answer.content.decode()
    kept = stored(review)
    assert (kept.submitted_at, kept.item.state) == (None, "reviewing")
    assert kept.draft["feedback"] == changes.get("feedback", WRITTEN["feedback"])


@pytest.mark.parametrize("token", ["", "x", "5cd1c1c2-5f0c-4a3c-9d57-0a3fb6a4b0c3"])
def test_a_wrong_token_decides_nothing(client: Client, case: Case, review: Annotation, token: str) -> None:
    assert post(client, case, review, "accept", form(review) | {"token": token}).status_code == 409
    assert stored(review).item.state == "reviewing"


def test_a_review_that_was_never_taken_up_is_409_with_words(client: Client, case: Case) -> None:
    case.written(item := case.item())
    slot = case.open_slot(item, "review")
    client.force_login(case.reviewer)
    answer = client.post(reverse("review_accept", args=["fb", slot.pk]), {"token": ""})
    assert answer.status_code == 409
    item.refresh_from_db()
    assert item.state == "reviewing"


@pytest.mark.parametrize("aside", ["", "x", "999999", "9" * 30])
def test_an_unknown_text_to_choose_changes_nothing(client: Client, case: Case, review: Annotation, aside: str) -> None:
    assert post(client, case, review, "resolve", {"aside": aside, "keep": "mine"}).status_code == 302
    assert stored(review).draft == WRITTEN


def test_nul_and_long_words_are_no_server_error(client: Client, case: Case, review: Annotation) -> None:
    data = form(review) | {"reason_field": "", "reason_text": "a\x00b" + "x" * 9000}
    assert post(client, case, review, "return", data).status_code == 302
    assert len(Comment.objects.get().text) == 4000


def test_an_order_of_choices_that_only_the_form_changed_is_no_edit(client: Client, case: Case) -> None:
    draft = {**SUGGESTED, "feedback_type": ["Hinting Guidance", "Pointing Out Errors"]}
    case.written(item := case.item("order"), draft)
    review = case.review(item)
    client.force_login(case.reviewer)
    data = form(review) | {"feedback_type": ["Pointing Out Errors", "Hinting Guidance"]}
    post(client, case, review, "fix", data)
    item.refresh_from_db()
    assert item.base is not None
    assert item.base.draft["feedback_type"] == ["Hinting Guidance", "Pointing Out Errors"]
