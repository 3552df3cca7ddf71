"""Whoever has lost an item cannot act under the lease of the person who has it now."""

from typing import Any

import pytest
from django.test import Client

from annotate.errors import LeaseLost
from annotate.items import leases, queue
from annotate.models import Annotation, Slot
from annotate.work import submit
from annotate.work.desk import open_next
from tests.support.people import DRAFT, make_item, make_member, make_project, written
from tests.support.samples import rewritten

pytestmark = pytest.mark.django_db


@pytest.fixture
def lost() -> tuple[Client, Slot, str]:
    """The client of `late`, whose lease ran out, the slot, and the token of the other person who has it now."""
    project = make_project()
    make_item(project, suggestion=DRAFT)
    late, other = make_member(project), make_member(project)
    slot = open_next(late)
    assert slot is not None
    Slot.objects.update(lease_until="2001-01-01T00:00:00Z")
    leases.sweep()
    again = open_next(other)
    assert again is not None
    client = Client()
    client.force_login(late.user)
    return client, slot, str(again.token)


def address(slot: Slot, verb: str = "") -> str:
    return f"/p/{slot.project.slug}/work/{slot.pk}/{verb}"


def test_their_page_does_not_hold_the_token_of_the_other(lost: tuple[Client, Slot, str]) -> None:
    client, slot, token = lost
    page = client.get(address(slot))
    assert page.status_code == 200
    assert token not in page.text
    assert 'name="token" value=""' in page.text


@pytest.mark.parametrize("verb", ["submit/", "release/", "skip/"])
def test_the_token_of_the_other_is_of_no_use_to_them(lost: tuple[Client, Slot, str], verb: str) -> None:
    client, slot, token = lost
    before = Slot.objects.values().get()
    mine = Annotation.objects.filter(author__isnull=False).earliest("pk")
    hidden = {"token": token, "revision": str(mine.revision), "confirm": "1"}
    fields: dict[str, Any] = {**rewritten("Mine."), **hidden, "reason": "other"}
    answer = client.post(address(slot, verb), fields)
    assert answer.status_code == 409
    assert Slot.objects.values().get() == before
    assert not Annotation.objects.filter(author__isnull=False, submitted_at__isnull=False).exists()
    mine.refresh_from_db()
    assert mine.draft["feedback"] == "Mine."


def test_a_submission_counts_for_the_holder_only() -> None:
    project = make_project()
    make_item(project)
    late, other = make_member(project), make_member(project)
    first = queue.claim_next(late, "annotate")
    text = written(first, late, DRAFT)
    leases.release(first, first.token)
    second = queue.claim_next(other, "annotate")
    with pytest.raises(LeaseLost):
        submit.submit(annotation=text, token=second.token, by=late.user)
    assert Slot.objects.get().holder == other.user
