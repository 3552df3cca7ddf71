from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotate.models import Annotation, Item, SetAside, Skip, Slot
from annotate.services import queue
from tests.support.desks import Worker, colleague, posted, worker
from tests.support.people import DRAFT, make_member

pytestmark = pytest.mark.django_db
EDITED = {**DRAFT, "feedback": "That is one moon too many: count again."}


def expire_all() -> None:
    Slot.objects.held().update(lease_until=timezone.now() - timedelta(minutes=1))
    queue.sweep()


class TestSaving:
    def test_a_script_gets_the_parts_that_changed(self) -> None:
        ada = worker()
        slot = ada.opened()
        answer = ada.post("work_save", slot, parts=True, **posted(EDITED), seconds="7")
        page = answer.content.decode()
        saved = ada.annotation(slot)
        assert answer.status_code == 200
        assert (saved.draft["feedback"], saved.revision, saved.active_seconds) == (EDITED["feedback"], 1, 7)
        assert '<div id="live">' in page
        assert "<html" not in page
        assert 'name="revision" value="1"' in page
        assert "Saved <time" in page
        assert "<ins>" in page

    def test_without_a_script_the_page_comes_back(self) -> None:
        ada = worker()
        slot = ada.opened()
        answer = ada.post("work_save", slot, **posted(EDITED))
        assert answer.headers["Location"] == ada.address("work_item", slot)
        assert ada.annotation(slot).draft["feedback"] == EDITED["feedback"]

    def test_what_cannot_be_read_is_kept_as_typed(self) -> None:
        ada = worker()
        slot = ada.opened()
        answer = ada.post("work_save", slot, parts=True, weight=["0.6", "abc"])
        assert ada.annotation(slot).draft["checklist"][1] == ["Does it name Phobos and Deimos?", "abc"]
        assert "The weight must be a number." in answer.content.decode()

    @pytest.mark.parametrize("weight", ["nan", "1e999", "9" * 400, "\x00"])
    def test_odd_numbers_do_no_harm(self, weight: str) -> None:
        ada = worker()
        slot = ada.opened()
        assert ada.post("work_save", slot, parts=True, weight=["0.6", weight]).status_code == 200
        assert ada.post("work_submit", slot, weight=["0.6", weight]).status_code == 422

    def test_a_sign_of_life_keeps_the_lease(self) -> None:
        ada = worker(lease_minutes=10)
        slot = ada.opened()
        Slot.objects.update(lease_until=timezone.now() + timedelta(minutes=1))
        ada.post("work_save", slot, parts=True, **posted(EDITED))
        assert Slot.objects.get().lease_until > timezone.now() + timedelta(minutes=9)

    def test_a_text_is_saved_after_the_lease_was_lost(self) -> None:
        ada = worker()
        slot = ada.opened()
        form = ada.form(slot, EDITED)
        expire_all()
        answer = ada.client.post(ada.address("work_save", slot), form, headers={"HX-Request": "true"})
        assert answer.status_code == 200
        assert "Not yours any more" in answer.content.decode()
        assert ada.annotation(slot).draft["feedback"] == EDITED["feedback"]

    def test_the_same_save_twice_is_one_save(self) -> None:
        ada = worker()
        slot = ada.opened()
        form = ada.form(slot, EDITED)
        codes = [ada.client.post(ada.address("work_save", slot), form).status_code for _ in range(2)]
        assert codes == [302, 302]
        assert ada.annotation(slot).revision == 1

    def test_a_get_leads_back_to_the_page(self) -> None:
        ada = worker()
        slot = ada.opened()
        for name in ("save", "submit", "skip", "release", "heartbeat", "undo", "resolve", "continue"):
            assert ada.get(f"work_{name}", slot).headers["Location"] == ada.address("work_item", slot)


class TestButtonsOfAField:
    def test_keep_decides_a_field_and_says_so(self) -> None:
        ada = worker()
        slot = ada.opened()
        page = ada.post("work_save", slot, parts=True, action="keep:feedback_type").content.decode()
        assert ada.annotation(slot).decided == ["feedback_type"]
        assert "Draft kept" in page

    def test_reset_takes_the_drafts_value_back(self) -> None:
        ada = worker()
        slot = ada.opened()
        ada.post("work_save", slot, **posted(EDITED))
        ada.post("work_save", slot, action="reset:feedback")
        assert ada.annotation(slot).draft["feedback"] == DRAFT["feedback"]

    def test_two_fields_behind_one_control_go_together(self) -> None:
        ada = worker()
        slot = ada.opened()
        ada.post("work_save", slot, task="Coding / Code Debugging")
        ada.post("work_save", slot, action="reset:task_type,sub_task_type")
        draft = ada.annotation(slot).draft
        assert (draft["task_type"], draft["sub_task_type"]) == (DRAFT["task_type"], DRAFT["sub_task_type"])

    @pytest.mark.parametrize(
        ("action", "questions"),
        [
            ("add-row", ["A", "B", ""]),
            ("remove-1", ["B"]),
            ("up-2", ["B", "A"]),
            ("down-1", ["B", "A"]),
            ("remove-9", ["A", "B"]),
            ("keep:nothing", ["A", "B"]),
            ("nonsense", ["A", "B"]),
        ],
    )
    def test_the_checklist_is_edited_without_a_script(self, action: str, questions: list[str]) -> None:
        ada = worker()
        slot = ada.opened()
        ada.post("work_save", slot, question=["A", "B"], weight=["0.5", "0.5"], action=action)
        assert [question for question, _weight in ada.annotation(slot).draft["checklist"]] == questions

    @pytest.mark.parametrize(("action", "weights"), [("distribute", [0.5, 0.5]), ("normalise", [0.25, 0.75])])
    def test_weights_are_shared_out(self, action: str, weights: list[float]) -> None:
        ada = worker()
        slot = ada.opened()
        ada.post("work_save", slot, weight=["0.2", "0.6"], action=action)
        assert [weight for _question, weight in ada.annotation(slot).draft["checklist"]] == weights


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
        assert "You have not changed the machine's draft." in asked.content.decode()
        assert Slot.objects.get(pk=slot.pk).state == "held"
        assert ada.post("work_submit", slot, confirm="1").status_code == 302
        assert ada.annotation(slot).unchanged

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
        assert "went back to the queue" in page
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
        assert "somebody else has handed it in" in answer.content.decode()
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


class TestUndo:
    def test_a_submission_is_taken_back(self) -> None:
        ada = worker(items=2)
        slot = ada.opened()
        ada.post("work_submit", slot, confirm="1")
        answer = ada.client.post(ada.address("work_undo", slot))
        assert answer.headers["Location"] == ada.address("work_item", slot)
        assert Item.objects.get(pk=slot.item_id).state == "ready"
        assert Slot.objects.get(pk=slot.pk).holder == ada.member.user

    def test_a_reviewed_one_is_not(self) -> None:
        ada = worker(items=1)
        slot = ada.opened()
        ada.post("work_submit", slot, confirm="1")
        Slot.objects.filter(stage="review").update(
            state="held",
            holder=make_member(ada.project, "reviewer").user,
            token="6ec3b1a0-0000-4000-8000-000000000000",
            lease_until=timezone.now(),
        )
        answer = ada.client.post(ada.address("work_undo", slot), follow=True)
        assert "A reviewer has taken this up" in answer.content.decode()
        assert Item.objects.get().state == "reviewing"

    def test_a_skip_is_taken_back_as_long_as_nobody_has_the_item(self) -> None:
        ada = worker(items=1)
        slot = ada.opened()
        ada.post("work_skip", slot, reason="too_hard")
        ada.client.post(ada.address("work_undo", slot))
        assert Slot.objects.get().holder == ada.member.user
        assert not Skip.objects.exists()

    def test_a_skip_stays_when_somebody_else_has_the_item(self) -> None:
        ada = worker(items=1)
        slot = ada.opened()
        ada.post("work_skip", slot, reason="too_hard")
        bob = colleague(ada.project)
        bob.opened()
        answer = ada.client.post(ada.address("work_undo", slot), follow=True)
        assert "Somebody else has taken this item meanwhile." in answer.content.decode()
        assert Slot.objects.get().holder == bob.member.user
        assert Skip.objects.count() == 1

    def test_a_slot_never_skipped_is_not_given_by_undo(self) -> None:
        ada = worker(items=1)
        slot = ada.opened()
        ada.post("work_release", slot)
        bob = colleague(ada.project)
        bob.client.post(ada.address("work_undo", slot))
        assert Slot.objects.get().holder is None


class TestSkippingAndHandingBack:
    def test_a_skip_keeps_the_text_and_goes_on(self) -> None:
        ada = worker(items=2)
        slot = ada.opened()
        answer = ada.post("work_skip", slot, **posted(EDITED), reason="broken")
        assert answer.headers["Location"].endswith(f"?skipped={slot.pk}")
        assert (Skip.objects.get().reason, ada.annotation(slot).draft["feedback"]) == ("broken", EDITED["feedback"])
        assert Slot.objects.get(pk=slot.pk).state == "open"

    def test_a_skip_without_a_reason_does_nothing(self) -> None:
        ada = worker(items=2)
        slot = ada.opened()
        answer = ada.client.post(ada.address("work_skip", slot), ada.form(slot) | {"reason": "x"}, follow=True)
        assert "Choose why you skip this item." in answer.content.decode()
        assert Slot.objects.get(pk=slot.pk).state == "held"

    def test_handing_back_is_no_skip(self) -> None:
        ada = worker(items=1)
        slot = ada.opened()
        ada.post("work_release", slot)
        assert Slot.objects.get().state == "open"
        assert not Skip.objects.exists()

    def test_neither_works_without_the_lease(self) -> None:
        ada = worker(items=1)
        slot = ada.opened()
        form = ada.form(slot)
        expire_all()
        for name in ("work_skip", "work_release"):
            assert ada.client.post(ada.address(name, slot), form | {"reason": "broken"}).status_code == 409
        assert not Skip.objects.exists()


class TestHeartbeat:
    def test_it_extends_the_lease(self) -> None:
        ada = worker(lease_minutes=10)
        slot = ada.opened()
        Slot.objects.update(lease_until=timezone.now() + timedelta(minutes=1))
        answer = ada.post("work_heartbeat", slot)
        assert answer.status_code == 200
        assert "<span data-lease-left>10</span>" in answer.content.decode()

    def test_it_says_when_the_lease_is_lost(self) -> None:
        ada = worker()
        slot = ada.opened()
        form = ada.form(slot)
        expire_all()
        answer = ada.client.post(ada.address("work_heartbeat", slot), form)
        assert answer.status_code == 409
        assert "Not yours any more" in answer.content.decode()


class TestTwoWindows:
    MINE = "From this window."
    THEIRS = "From the other window."

    def conflict(self) -> tuple[Worker, Slot, Any]:
        ada = worker()
        slot = ada.opened()
        old = ada.form(slot)
        ada.client.post(ada.address("work_save", slot), old | {"feedback": self.THEIRS})
        answer = ada.client.post(ada.address("work_save", slot), old | {"feedback": self.MINE})
        return ada, slot, answer

    def test_nothing_is_overwritten_and_both_texts_are_shown(self) -> None:
        ada, slot, answer = self.conflict()
        page = answer.content.decode()
        assert answer.status_code == 409
        assert self.MINE in page
        assert self.THEIRS in page
        assert ada.annotation(slot).draft["feedback"] == self.THEIRS

    def test_the_text_of_this_window_is_kept_before_anything_is_chosen(self) -> None:
        ada, _slot, _answer = self.conflict()
        assert self.MINE in ada.get("my_drafts").content.decode()

    def test_a_retry_keeps_it_once(self) -> None:
        ada, slot, _answer = self.conflict()
        stale = ada.form(slot) | {"revision": "0", "feedback": self.MINE}
        ada.client.post(ada.address("work_save", slot), stale)
        assert SetAside.objects.count() == 1

    @pytest.mark.parametrize(("keep", "kept", "aside"), [("mine", MINE, THEIRS), ("theirs", THEIRS, MINE)])
    def test_the_other_text_stays_whatever_is_chosen(self, keep: str, kept: str, aside: str) -> None:
        ada, slot, _answer = self.conflict()
        ada.client.post(ada.address("work_resolve", slot), {"aside": SetAside.objects.get().pk, "keep": keep})
        assert ada.annotation(slot).draft["feedback"] == kept
        assert SetAside.objects.get().draft["feedback"] == aside

    def test_nobody_chooses_among_the_texts_of_others(self) -> None:
        ada, slot, _answer = self.conflict()
        bob = colleague(ada.project)
        answer = bob.client.post(
            ada.address("work_resolve", slot), {"aside": SetAside.objects.get().pk, "keep": "mine"}
        )
        assert answer.status_code == 404
        assert ada.annotation(slot).draft["feedback"] == self.THEIRS

    def test_an_old_window_cannot_change_what_was_handed_in(self) -> None:
        ada = worker(items=1)
        slot = ada.opened()
        old = ada.form(slot)
        ada.client.post(ada.address("work_submit", slot), old | {"feedback": self.THEIRS})
        answer = ada.client.post(ada.address("work_submit", slot), old | {"feedback": self.MINE})
        assert answer.status_code == 409
        assert "was handed in meanwhile" in answer.content.decode()
        assert ada.annotation(slot).draft["feedback"] == self.THEIRS
        assert SetAside.objects.get().draft["feedback"] == self.MINE
