"""Handing in: what is asked, what is refused, and where it leads."""

import re
from functools import partial
from typing import Any

import pytest
from django.http import HttpResponse
from django.utils import timezone

from annotate.models import Annotation, Guideline, Item, Slot
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
        assert answer.headers["Location"] == f"{ada.address('work_item', following)}?done={slot.pk}&left=5"
        page = ada.client.get(answer.headers["Location"]).content.decode()
        assert f'action="{ada.address("work_undo", slot)}"' in page
        assert Item.objects.get(pk=slot.item_id).state == "reviewing"

    def test_the_last_item_leads_to_the_truth_about_the_queue(self) -> None:
        ada = worker(items=1)
        slot = ada.opened()
        answer = ada.post("work_submit", slot, **posted(EDITED))
        assert answer.headers["Location"] == f"{ada.address('work')}?done={slot.pk}&left=5"
        assert ada.address("work_undo", slot) in ada.client.get(answer.headers["Location"]).content.decode()

    def test_suggestions_left_unconfirmed_are_counted_beside_the_undo(self) -> None:
        ada = worker(items=2)
        page = ada.client.get(ada.post("work_submit", ada.opened(), **posted(EDITED)).headers["Location"])
        toast = page.content.decode().partition('id="toast"')[2].partition("</form>")[0]
        assert "Submitted. 5 suggestions not confirmed" in " ".join(toast.split())
        confirmed = ada.client.get(ada.post("work_submit", ada.opened(), confirm="1").headers["Location"])
        assert "not confirmed" not in confirmed.content.decode().partition('id="toast"')[2].partition("</form>")[0]

    def test_an_untouched_draft_is_asked_about_once(self) -> None:
        ada = worker(items=1)
        slot = ada.opened()
        asked = ada.post("work_submit", slot)
        assert asked.status_code == 422
        assert "You have not changed the suggestion." in asked.content.decode()
        assert Slot.objects.get(pk=slot.pk).state == "held"
        assert ada.post("work_submit", slot, confirm="1").status_code == 302
        assert ada.annotation(slot).unchanged

    def test_problems_come_before_the_question_about_an_untouched_draft(self) -> None:
        ada = worker(items=1)
        slot = ada.opened()
        ada.annotation(slot)
        Annotation.objects.filter(slot=slot).update(draft={**DRAFT, "sub_task_type": ""})
        page = ada.post("work_submit", slot).content.decode()
        assert "Not submitted yet" in page
        assert "choose one of" in page
        assert "You have not changed the suggestion." not in page

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
        with django_assert_max_num_queries(24):
            ada.client.post(ada.address("work_submit", slot), form)


class TestTheNextPageAtOnce:
    """A script asks for the next page in the answer, instead of being led to it."""

    AT_ONCE = {"X-Names-Redirect": "yes", "X-Takes-Page": "yes"}

    def test_it_is_what_a_get_of_its_address_gives(self) -> None:
        ada = worker(items=3)
        Guideline.objects.create(project=ada.project, version=1, text="Be exact.")
        form = ada.form(slot := ada.opened(), EDITED)
        answer = ada.client.post(ada.address("work_submit", slot), form, headers=self.AT_ONCE)
        address = answer.headers["X-Page-Is-At"]
        following = Slot.objects.held_by(ada.member.user).get()
        assert address == f"{ada.address('work_item', following)}?done={slot.pk}&left=5"
        page = ada.client.get(address)
        assert without_tokens(answer) == without_tokens(page)
        assert answer.headers["Cache-Control"] == page.headers["Cache-Control"]

    def test_a_skip_brings_it_too(self) -> None:
        ada = worker(items=3)
        form = ada.form(slot := ada.opened()) | {"reason": "broken"}
        answer = ada.client.post(ada.address("work_skip", slot), form, headers=self.AT_ONCE)
        assert answer.headers["X-Page-Is-At"].endswith(f"?skipped={slot.pk}")
        assert f'action="{ada.address("work_undo", slot)}"' in answer.content.decode()

    def test_a_second_click_brings_the_same_item(self) -> None:
        ada = worker(items=3)
        form = ada.form(slot := ada.opened(), EDITED)
        ask = partial(ada.client.post, ada.address("work_submit", slot), form, headers=self.AT_ONCE)
        assert ask().headers["X-Page-Is-At"] == ask().headers["X-Page-Is-At"]

    def test_where_there_is_no_next_item_the_script_is_led_on(self) -> None:
        ada = worker(items=1)
        form = ada.form(slot := ada.opened(), EDITED)
        answer = ada.client.post(ada.address("work_submit", slot), form, headers=self.AT_ONCE)
        assert (answer.status_code, answer.headers["X-Redirects-To"]) == (
            204,
            f"{ada.address('work')}?done={slot.pk}&left=5",
        )

    def test_what_is_refused_has_no_other_address(self) -> None:
        ada = worker(items=2)
        form = ada.form(slot := ada.opened())
        answer = ada.client.post(ada.address("work_submit", slot), form, headers=self.AT_ONCE)
        assert answer.status_code == 422
        assert "X-Page-Is-At" not in answer.headers

    def test_it_takes_a_fixed_number_of_queries(self, django_assert_max_num_queries: Any) -> None:
        ada = worker(items=30)
        form = ada.form(slot := ada.opened(), EDITED)
        with django_assert_max_num_queries(30):
            ada.client.post(ada.address("work_submit", slot), form, headers=self.AT_ONCE)


def without_tokens(answer: HttpResponse) -> str:
    """The page without what differs between two requests: tokens against forgery, and the seconds of the lease."""
    return re.sub(r'(?<=name="csrfmiddlewaretoken" value=")\w+|(?<="X-CSRFToken": ")\w+', "", answer.content.decode())
