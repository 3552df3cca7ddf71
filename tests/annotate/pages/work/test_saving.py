"""What a save keeps, what the buttons of a field do, and the lease that it keeps alive."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.models import Slot
from tests.support.desks import expire_all, posted, worker
from tests.support.people import DRAFT

pytestmark = pytest.mark.django_db
EDITED = {**DRAFT, "feedback": "That is one moon too many: count again."}


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
        assert "No longer reserved for you" in answer.content.decode()
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
        assert "Suggestion accepted" in page

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
        assert "No longer reserved for you" in answer.content.decode()
