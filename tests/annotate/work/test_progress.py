from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.core.cache import caches
from django.utils import timezone

from annotate.models import Member, Slot
from annotate.work import progress
from annotate.work.progress import WorkProgress
from tests.support.desks import colleague, worker
from tests.support.people import make_item

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_cached() -> Iterator[None]:
    yield
    caches["local"].clear()


def test_the_total_is_what_one_has_done_holds_and_can_reach() -> None:
    ada = worker(items=4)
    ada.post("work_submit", ada.opened(), confirm="1")
    assert progress.progress(ada.member, fresh=True) == WorkProgress(done=1, total=4)


def test_the_total_does_not_jump_while_others_work() -> None:
    ada = worker(items=4)
    assert progress.progress(ada.member).total == 4
    colleague(ada.project).opened()
    assert progress.progress(ada.member).total == 4
    assert progress.progress(ada.member, fresh=True).total == 3


def test_a_long_queue_is_not_counted_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "COUNTED_AT_MOST", 2)
    ada = worker(items=4)
    assert progress.progress(ada.member, fresh=True).shown_total == "2+"


def test_both_slots_of_an_overlapped_item_are_one_item() -> None:
    ada = worker(items=3, overlap=2, reviews=0)
    assert progress.progress(ada.member, fresh=True).total == 3


def test_a_long_queue_of_overlapped_items_is_counted_by_items_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "COUNTED_AT_MOST", 3)
    ada = worker(items=4, overlap=3, reviews=0)
    assert progress.progress(ada.member, fresh=True).shown_total == "3+"


def test_a_limit_shortens_the_way() -> None:
    ada = worker(items=4)
    Member.objects.filter(pk=ada.member.pk).update(total_limit=2)
    ada.member.refresh_from_db()
    assert progress.within_reach(ada.member) == 2


def test_a_paused_project_has_nothing_in_reach() -> None:
    ada = worker(items=4)
    ada.project.paused_at = timezone.now()
    assert progress.within_reach(ada.member) == 0


def test_there_is_no_reason_while_there_is_work() -> None:
    assert progress.why_empty(worker(items=1).member) is None


def test_items_with_others_say_when_the_first_lease_ends() -> None:
    ada = worker(items=2)
    colleague(ada.project).opened()
    colleague(ada.project).opened()
    first = timezone.now() + timedelta(minutes=3)
    Slot.objects.filter(pk=Slot.objects.order_by("pk")[0].pk).update(lease_until=first)
    found = progress.why_empty(ada.member)
    assert found is not None
    assert (found.why, found.count, found.until) == ("others", 2, first)


def test_what_i_skipped_does_not_come_to_me_when_others_hand_it_back() -> None:
    ada = worker(items=1)
    ada.post("work_skip", ada.opened(), reason="too_hard")
    colleague(ada.project).opened()
    found = progress.why_empty(ada.member)
    assert found is not None
    assert found.why == "none"


def test_totals_count_what_became_of_my_items() -> None:
    ada = worker(items=1)
    slot = ada.opened()
    ada.post("work_submit", slot, confirm="1", seconds="90")
    make_item(ada.project)
    found = progress.totals(ada.member)
    assert (found.items, found.time, found.accepted) == (1, timedelta(seconds=90), 0)
