"""One draft in two windows: nothing is overwritten."""

from typing import Any

import pytest

from annotate.models import SetAside, Slot
from tests.support.desks import Worker, colleague, worker

pytestmark = pytest.mark.django_db


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

    def test_nothing_is_called_saved_beside_the_question(self) -> None:
        _ada, _slot, answer = self.conflict()
        page = answer.content.decode()
        assert "Not saved: choose one of the two texts." in page
        assert "Saved <time" not in page

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
        assert "The text in the other window has been submitted." in answer.content.decode()
        assert ada.annotation(slot).draft["feedback"] == self.THEIRS
        assert SetAside.objects.get().draft["feedback"] == self.MINE
