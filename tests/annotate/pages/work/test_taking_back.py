"""Undo, skip, and handing back."""

import pytest
from django.utils import timezone

from annotate.models import Item, Skip, Slot
from annotate.project.overview import left_draft_count
from tests.support.desks import colleague, expire_all, posted, worker
from tests.support.people import DRAFT, make_member

pytestmark = pytest.mark.django_db
EDITED = {**DRAFT, "feedback": "That is one moon too many: count again."}


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
        assert "A reviewer has started on this" in answer.content.decode()
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
        assert "Someone else has taken this item in the meantime." in answer.content.decode()
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

    @pytest.mark.parametrize("way", ["work_skip", "work_release"])
    def test_what_nobody_touched_is_no_abandoned_draft(self, way: str) -> None:
        ada = worker(items=2)
        ada.post(way, ada.opened(), reason="broken")
        assert left_draft_count(ada.project) == 0
        ada.post(way, ada.opened(), **posted(EDITED), reason="broken")
        assert left_draft_count(ada.project) == 1

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
