"""Handing in: what is asked, what is refused, and where it leads."""

from typing import Any

import pytest
from django.utils import timezone

from annotate.models import Annotation, Item, Slot
from annotate.review import claim, decisions
from annotate.review.decisions import Reason
from tests.support.desks import Worker, colleague, expire_all, posted, worker
from tests.support.people import DRAFT

pytestmark = pytest.mark.django_db
EDITED = {**DRAFT, "feedback": "That is one moon too many: count again."}


def send_back(reviewer: Worker, text: str) -> None:
    Slot.objects.filter(stage="review").update(opens_at=timezone.now())
    slot = claim.take_next(reviewer.member)
    assert slot is not None
    review, by = reviewer.annotation(slot), reviewer.member.user
    decisions.send_back(review=review, token=slot.token, by=by, reasons=[Reason("feedback", text)])


class TestSubmitting:
    def test_the_next_item_is_claimed_and_undo_offered(self) -> None:
        ada = worker(items=2)
        slot = ada.opened()
        answer = ada.post("work_submit", slot, **posted(EDITED))
        following = Slot.objects.held_by(ada.member.user).get()
        assert answer.headers["Location"] == f"{ada.address('work_item', following)}?done={slot.pk}"
        page = ada.client.get(answer.headers["Location"]).content.decode()
        assert f'action="{ada.address("work_undo", slot)}"' in page
        assert Item.objects.get(pk=slot.item_id).state == "reviewing"

    def test_the_last_item_leads_to_the_truth_about_the_queue(self) -> None:
        ada = worker(items=1)
        slot = ada.opened()
        answer = ada.post("work_submit", slot, **posted(EDITED))
        assert answer.headers["Location"] == f"{ada.address('work')}?done={slot.pk}"
        assert ada.address("work_undo", slot) in ada.client.get(answer.headers["Location"]).content.decode()

    def test_an_untouched_draft_is_asked_about_once(self) -> None:
        ada = worker(items=1)
        slot = ada.opened()
        asked = ada.post("work_submit", slot)
        assert asked.status_code == 422
        assert "You have not changed the suggestion." in asked.content.decode()
        assert Slot.objects.get(pk=slot.pk).state == "held"
        assert ada.post("work_submit", slot, confirm="1").status_code == 302
        assert ada.annotation(slot).unchanged

    def test_what_came_back_is_asked_about_while_untouched_and_unanswered(self) -> None:
        ada = worker(items=1)
        first = ada.opened()
        ada.post("work_submit", first, decided=list(DRAFT))
        send_back(colleague(ada.project, "reviewer"), text="Too harsh.")
        slot = ada.opened()
        asked = ada.post("work_submit", slot)
        assert asked.status_code == 422
        page = asked.content.decode()
        assert (
            "You have changed nothing since it was returned, and 1 comment has no answer. Submit it as it is?" in page
        )
        assert Slot.objects.get(pk=slot.pk).state == "held"
        assert ada.post("work_submit", slot, confirm="1").status_code == 302

    def test_what_came_back_and_was_changed_is_not_asked_about(self) -> None:
        ada = worker(items=1)
        ada.post("work_submit", ada.opened(), **posted(EDITED))
        send_back(colleague(ada.project, "reviewer"), text="Too harsh.")
        assert ada.post("work_submit", ada.opened(), feedback="Two moons, please.").status_code == 302

    def test_an_edited_draft_is_not_asked_about(self) -> None:
        ada = worker(items=1)
        slot = ada.opened()
        assert ada.post("work_submit", slot, **posted(EDITED)).status_code == 302
        assert not ada.annotation(slot).unchanged

    def test_a_draft_kept_field_by_field_is_not_asked_about_but_recorded(self) -> None:
        ada = worker(items=1)
        slot = ada.opened()
        assert ada.post("work_submit", slot, decided=list(DRAFT)).status_code == 302
        assert ada.annotation(slot).unchanged

    def test_a_refused_submission_says_why_beside_the_field_and_keeps_the_text(self) -> None:
        ada = worker(items=1)
        slot = ada.opened()
        answer = ada.post("work_submit", slot, feedback="", weight=["0.5", "0.4"])
        page = answer.content.decode()
        assert answer.status_code == 422
        assert '<a href="#field-feedback">Feedback</a>: write the feedback.' in page
        assert "the weights add up to 0.9, not to 1." in page
        assert 'value="0.4"' in page
        assert Slot.objects.get(pk=slot.pk).state == "held"

    def test_calling_it_unsuitable_asks_nothing_else(self) -> None:
        ada = worker(items=1, reviews=0)
        slot = ada.opened()
        answer = ada.post("work_submit", slot, suitable="no", feedback="", weight=["x", "0.4"])
        assert answer.status_code == 302
        assert Item.objects.get().drop_reason == "unsuitable"

    def test_a_double_click_submits_once_and_leads_to_the_same_next_item(self) -> None:
        ada = worker(items=3)
        slot = ada.opened()
        form = ada.form(slot, EDITED)
        answers = [ada.client.post(ada.address("work_submit", slot), form) for _ in range(2)]
        assert answers[0].headers["Location"] == answers[1].headers["Location"]
        assert Annotation.objects.filter(submitted_at__isnull=False, author=ada.member.user).count() == 1
        assert Slot.objects.held().count() == 1

    def test_after_a_lost_lease_the_text_is_a_draft_and_that_is_said(self) -> None:
        ada = worker(items=1)
        slot = ada.opened()
        form = ada.form(slot, EDITED)
        expire_all()
        answer = ada.client.post(ada.address("work_submit", slot), form)
        page = answer.content.decode()
        assert answer.status_code == 409
        assert "it is back in the queue" in page
        assert "Your text is kept under" in page
        assert (ada.annotation(slot).submitted_at, ada.annotation(slot).draft["feedback"]) == (
            None,
            EDITED["feedback"],
        )

    def test_after_somebody_else_handed_it_in_the_text_is_a_draft_and_that_is_said(self) -> None:
        ada = worker(items=1)
        slot = ada.opened()
        form = ada.form(slot, EDITED)
        expire_all()
        bob = colleague(ada.project)
        bob.post("work_submit", bob.opened(), confirm="1")
        answer = ada.client.post(ada.address("work_submit", slot), form)
        assert answer.status_code == 409
        assert "someone else has submitted it" in answer.content.decode()
        assert EDITED["feedback"] in ada.get("my_drafts").content.decode()

    @pytest.mark.parametrize("token", ["", "nonsense", "00000000-0000-0000-0000-000000000000"])
    def test_a_wrong_token_submits_nothing(self, token: str) -> None:
        ada = worker(items=1)
        slot = ada.opened()
        assert ada.post("work_submit", slot, **posted(EDITED) | {"token": token}).status_code == 409
        assert Item.objects.get().state == "ready"

    def test_it_takes_a_fixed_number_of_queries(self, django_assert_max_num_queries: Any) -> None:
        ada = worker(items=30)
        form = ada.form(slot := ada.opened(), EDITED)
        with django_assert_max_num_queries(26):
            ada.client.post(ada.address("work_submit", slot), form)
