from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.items.keyset import ORDERS, ItemCursor, in_batches, page
from annotate.models import Item
from tests.support.reviews import Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case()


@pytest.fixture
def seven(case: Case) -> Case:
    now = timezone.now()
    for n in range(7):
        columns = {"priority": n % 2, "changed_at": now - timedelta(minutes=n % 3)}
        Item.objects.create(project=case.project, key=f"k-{n}", content_hash=f"{n}", facts={}, **columns)
    return case


@pytest.mark.parametrize("name", ORDERS)
def test_paging_forth_and_back_shows_every_item_once_in_order(seven: Case, name: str) -> None:
    order, items = ORDERS[name], Item.objects.all()
    everything = [item.pk for item in order.sorted(items, reverse=False)]
    first = page(items, order=order, size=3)
    second = page(items, order=order, after=_read(first.next, name), size=3)
    third = page(items, order=order, after=_read(second.next, name), size=3)
    assert [item.pk for shown in (first, second, third) for item in shown.items] == everything
    assert (first.previous, third.next) == (None, None)
    back = page(items, order=order, before=_read(third.previous, name), size=3)
    assert [item.pk for item in back.items] == [item.pk for item in second.items]
    home = page(items, order=order, before=_read(back.previous, name), size=3)
    assert [item.pk for item in home.items] == everything[:3]
    assert home.previous is None


def _read(cursor: ItemCursor | None, name: str) -> ItemCursor:
    """As it goes through an address."""
    found = ItemCursor.read(str(cursor), ORDERS[name])
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("", "first"),
        ("x", "first"),
        ("1~x", "first"),
        ("9" * 30 + "~1", "first"),
        ("1~" + "9" * 30, "priority"),
        ("1~2020-01-01", "changed"),
        ("1~yesterday", "changed"),
        ("9" * 5000, "first"),
    ],
)
def test_an_address_that_names_no_place_is_the_first_page(text: str, name: str) -> None:
    assert ItemCursor.read(text, ORDERS[name]) is None


def test_batches_hold_everything_once(seven: Case) -> None:
    batches = list(in_batches(Item.objects.all(), size=3))
    assert [len(batch) for batch in batches] == [3, 3, 1]
    assert len({item.pk for batch in batches for item in batch}) == 7
