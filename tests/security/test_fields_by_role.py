"""What stands in the pages of each role, and nowhere else."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.db import transaction

from annotate.models import ApiToken, Invitation, Slot, User, Webhook
from tests.security.crawl import pages_of
from tests.security.world import OURS, World, build

pytestmark = pytest.mark.django_db

PEOPLE = ("viewer", "annotator", "colleague", "reviewer", "lead")

# Text -> who finds it on some page. Drafts are their author's alone until they are handed in, then for those who read
# other people's items; annotators find nothing of other annotators, and of reviewers what is said to them.
FOUND_BY = {
    "feedback held by annotator": {"annotator"},
    "feedback held by colleague": {"colleague"},
    "feedback held by lead": {"lead"},
    "feedback set aside by colleague": {"colleague"},
    "feedback set aside by reviewer": {"reviewer"},
    "feedback review of reviewer": {"reviewer"},
    "feedback review of lead": {"lead"},
    "feedback submitted by annotator": {"annotator", "viewer", "reviewer", "lead"},
    "feedback submitted by colleague": {"colleague", "viewer", "reviewer", "lead"},
    "feedback fixed by lead": {"colleague", "viewer", "reviewer", "lead"},
    "reason": {"colleague", "viewer", "reviewer", "lead"},
    "answer": {"colleague", "viewer", "reviewer", "lead"},
    "comment": {"colleague", "viewer", "reviewer", "lead"},
    "decision note": {"colleague", "viewer", "reviewer", "lead"},
    "display name of annotator": {"annotator", "viewer", "reviewer", "lead"},
    "display name of colleague": {"colleague", "viewer", "reviewer", "lead"},
    "invitation note": {"lead"},
    "licence": {"viewer", "reviewer", "lead"},
    "release note": {"viewer", "reviewer", "lead"},
    "file name": {"viewer", "reviewer", "lead"},
    "unknown field": {"lead"},
    "token name of viewer": {"lead", "viewer"},  # the viewer: in the file of all that is recorded about them
    "webhook address": {"lead"},
    "answer of it": {"lead"},
    "doubt": {"annotator", "colleague", "reviewer", "lead"},
    "prompt 0": {"lead"},
    "prompt note": {"lead"},
    "endpoint model": {"lead"},
    "reply reference": {"lead"},
    "judge name": {"viewer", "reviewer", "lead"},
    "reply of a model": {"lead"},
}


def marked(where: str) -> str:
    return f"«{where}»"


@pytest.fixture(scope="module")
def marked_world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    with django_db_blocker.unblock(), transaction.atomic():
        yield build(marked)
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def pages(marked_world: World) -> dict[str, dict[str, str]]:
    """person -> path -> page."""
    return {person: pages_of(marked_world, person) for person in PEOPLE}


@pytest.mark.parametrize("text", FOUND_BY)
def test_a_text_is_found_by_those_it_is_for(pages: dict[str, dict[str, str]], text: str) -> None:
    assert {person for person in PEOPLE if places(pages[person], marked(text))} == FOUND_BY[text]


@pytest.mark.parametrize("person", PEOPLE)
def test_e_mail_addresses_are_their_owners(pages: dict[str, dict[str, str]], person: str) -> None:
    """A lead also finds the address to which an invitation went."""
    addresses = {address for page in pages[person].values() for address in re.findall(r"[\w.-]+@mail\.invalid", page)}
    invited = {f"invited-to-{OURS}@mail.invalid"} if person == "lead" else set()
    assert addresses == {f"{person}@mail.invalid"} | invited


@pytest.mark.parametrize("person", PEOPLE)
def test_leases_are_known_to_their_holders(marked_world: World, pages: dict[str, dict[str, str]], person: str) -> None:
    held = Slot.objects.held().values_list("holder__username", "token")
    assert {name for name, token in held if places(pages[person], str(token))} <= {person}


@pytest.mark.parametrize("person", PEOPLE)
def test_links_of_invitations_are_the_leads(pages: dict[str, dict[str, str]], person: str) -> None:
    ours, theirs = (Invitation.objects.get(project__slug=slug).token for slug in (OURS, "theirs"))
    elsewhere = [path for path in places(pages[person], ours) if ours not in path]
    assert elsewhere == ([f"/p/{OURS}/people/"] if person == "lead" else [])
    assert places(pages[person], theirs) == []


@pytest.mark.parametrize("person", PEOPLE)
def test_nothing_that_opens_an_account_is_in_a_page(
    marked_world: World, pages: dict[str, dict[str, str]], person: str
) -> None:
    keys = [*User.objects.values_list("password", flat=True), *Session.objects.values_list("session_key", flat=True)]
    keys += [*marked_world.tokens.values(), *ApiToken.objects.values_list("sha256", flat=True)]
    keys += Webhook.objects.values_list("secret", flat=True)
    assert [place for key in keys for place in places(pages[person], key)] == []


def places(pages: dict[str, str], text: str) -> list[str]:
    return [path for path, page in pages.items() if text in page]
