from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from annotate.items import queue
from annotate.models import Slot
from annotate.review import claim, decisions
from tests.support.reviews import Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case()


def three_waiting(case: Case) -> None:
    for key in ("a", "b", "c"):
        case.written(case.item(key))


def keys(case: Case, show: str = "pending", after: str = "", size: int = 50) -> list[str]:
    page = claim.page(case.member(case.reviewer), show, after, size)
    return [slot.item.key for slot in page.slots]


def test_what_waits_comes_oldest_first(case: Case) -> None:
    three_waiting(case)
    assert keys(case) == ["a", "b", "c"]


def test_priority_comes_before_age_as_in_the_queue(case: Case) -> None:
    three_waiting(case)
    Slot.objects.filter(item__key="c", stage="review").update(priority=5)
    assert keys(case) == ["c", "a", "b"]
    claimed = queue.claim_next(case.member(case.reviewer), "review")
    assert claimed is not None
    assert claimed.item.key == "c"


def reorder(case: Case) -> list[str]:
    """Ten reviews of two priorities, which opened in another order than they were made; gives the keys in order."""
    opened = dict(zip("abcdefghij", [7, 3, 9, 1, 5, 2, 8, 4, 6, 3], strict=True))
    for key, minutes in opened.items():
        case.written(case.item(key))
        at = timezone.now().replace(microsecond=0) - timedelta(days=1, minutes=minutes)
        Slot.objects.filter(item__key=key, stage="review").update(opens_at=at, priority=int(key in "gh"))
    return sorted(opened, key=lambda key: (key not in "gh", -opened[key], key))


def test_reviews_are_handed_out_in_the_order_of_the_list(case: Case) -> None:
    order = reorder(case)
    assert keys(case) == order
    handed = []
    for _key in order:
        slot = claim.take_next(case.member(case.reviewer))
        assert slot is not None
        handed.append(slot.item.key)
        review = slot.annotations.get(author=case.reviewer)
        decisions.accept(review=review, token=slot.token, by=case.reviewer)
    assert handed == order


@pytest.mark.parametrize("size", [1, 3])
def test_pages_keep_the_order_too(case: Case, size: int) -> None:
    order, after, read = reorder(case), "", []
    while len(read) < len(order):
        page = claim.page(case.member(case.reviewer), "pending", after, size)
        read += [slot.item.key for slot in page.slots]
        after = page.after
    assert (read, after) == (order, "")


def neighbours_of(case: Case, key: str, *, listed: bool) -> list[str | None]:
    """The keys before and after; listed: from the list, as on the page of a review, or by queries."""
    member, slot = case.member(case.reviewer), Slot.objects.get(item__key=key, stage="review")
    first_page = claim.page(member, "pending", size=8) if listed else None
    key_of = dict(Slot.objects.values_list("pk", "item__key")).get
    return [key_of(pk) if pk else None for pk in claim.neighbours(member, slot, first_page)]


@pytest.mark.parametrize("listed", [True, False])
def test_each_review_leads_to_the_ones_before_and_after_it_in_the_list(case: Case, listed: bool) -> None:
    order = [None, *reorder(case), None]
    for before, key, after in zip(order, order[1:], order[2:], strict=False):
        assert neighbours_of(case, str(key), listed=listed) == [before, after]


def test_a_decided_review_leads_through_the_decided_ones_newest_first(case: Case) -> None:
    for key in ("a", "b", "c"):
        review = case.under_review(key)
        decisions.accept(review=review, token=review.slot.token, by=case.reviewer)
    assert neighbours_of(case, "b", listed=True) == ["c", "a"]
    assert neighbours_of(case, "c", listed=True) == [None, "b"]


def test_claiming_reads_the_first_reviews_from_an_index(case: Case) -> None:
    case.written(case.item())
    candidates = queue.candidates(case.member(case.reviewer), "review", timezone.now())
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:  # of a table this small it would read every row
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute("SET LOCAL enable_sort = off")
    assert "open_reviews_in_order" in candidates[: queue.WINDOW].explain()


def test_pages_follow_each_other_without_gap_or_double(case: Case) -> None:
    three_waiting(case)
    Slot.objects.filter(item__key="b", stage="review").update(priority=5)
    first = claim.page(case.member(case.reviewer), "pending", size=2)
    assert [slot.item.key for slot in first.slots] == ["b", "a"]
    second = claim.page(case.member(case.reviewer), "pending", first.after, size=2)
    assert ([slot.item.key for slot in second.slots], second.after) == (["c"], "")


@pytest.mark.parametrize(
    "after",
    [
        "x",
        "1",
        "review.1.x.1",
        "review.99999999999.1.1",
        "review.1.1.-5",
        f"review.0.{10**30}.1",
        f"review.0.1.{10**20}",
    ],
)
def test_an_address_that_somebody_bent_starts_at_the_beginning(case: Case, after: str) -> None:
    three_waiting(case)
    assert keys(case, after=after) == ["a", "b", "c"]


def test_what_can_still_be_taken_back_does_not_wait_yet(case: Case) -> None:
    case.written(case.item())
    Slot.objects.filter(stage="review").update(opens_at=timezone.now() + timedelta(seconds=9))
    assert keys(case) == []


def test_own_and_skipped_work_is_not_offered(case: Case) -> None:
    case.written(case.item("own"), by=case.reviewer)
    skipped = case.item("skipped")
    case.written(skipped)
    skipped.skips.create(person=case.reviewer, reason="other")
    assert keys(case) == []


def test_what_others_hold_is_listed_with_their_name(case: Case) -> None:
    case.written(item := case.item())
    case.review(item, by=case.lead)
    page = claim.page(case.member(case.reviewer), "pending")
    assert [slot.holder for slot in page.slots] == [case.lead]


def test_decided_ones_are_done_newest_first(case: Case) -> None:
    for key in ("a", "b"):
        review = case.under_review(key)
        decisions.accept(review=review, token=review.slot.token, by=case.reviewer)
    case.written(case.item("c"))
    assert keys(case, "done") == ["b", "a"]
    assert keys(case, "all") == ["c", "b", "a"]
    member = case.member(case.reviewer)
    assert claim.counts(member, claim.page(member, "pending")) == {"pending": 1, "done": 2, "all": 3}


@pytest.mark.parametrize("after", ["review.-40000.0.1", "review.40000.0.1", "review.0.0.-1", "review.0.0", "x"])
def test_an_impossible_cursor_starts_from_the_beginning(case: Case, after: str) -> None:
    three_waiting(case)
    assert keys(case, after=after) == ["a", "b", "c"]
