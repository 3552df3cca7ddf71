"""Who may read and do what in a project of perturbations, whose pages the big matrix only knows as not being there."""

import pytest
from django.test import Client

from annotate.models import Slot, User
from tests.security.asking import outcome, watched
from tests.security.world import plain
from tests.security.world_perturbed import build
from tests.support.people import make_member, make_project

pytestmark = pytest.mark.django_db
ROLES = ("anonymous", "stranger", "viewer", "annotator", "colleague", "reviewer", "lead")
TABLE = """
desk          sign-in 404 403 ok  404 404 404
adjudication  sign-in 404 403 403 403 ok  ok
decided       sign-in 404 ok  ok  ok  ok  ok
coverage      sign-in 404 ok  ok  ok  ok  ok
samples       sign-in 404 403 403 403 403 ok
blind_spots   sign-in 404 ok  403 403 ok  ok
pairs         sign-in 404 ok  403 403 ok  ok
explanations  sign-in 404 ok  403 403 ok  ok
check         sign-in 404 403 403 403 ok  ok
checked       sign-in 404 ok  403 403 ok  ok
"""
ROWS = [line.split() for line in TABLE.strip().splitlines()]
DECISIONS = ["take", "save", "accept", "fix", "return", "drop", "skip", "release", "undo"]


@pytest.fixture
def paths() -> dict[str, str]:
    made = build(plain)
    stranger = User.objects.create_user("stranger")
    make_project(slug="elsewhere").members.create(user=stranger, role="lead")
    return made


def client_of(role: str) -> Client:
    client = Client(raise_request_exception=False)
    if role != "anonymous":
        client.force_login(User.objects.get(username=role))
    return client


@pytest.mark.parametrize(("page", "expected"), [(row[0].replace("_", " "), row[1:]) for row in ROWS], ids=str)
def test_pages(paths: dict[str, str], page: str, expected: list[str]) -> None:
    visitors = [client_of(role) for role in ROLES]
    with watched() as written:
        seen = [outcome(visitor.get(paths[page])) for visitor in visitors]
    assert seen == expected
    assert written == []


@pytest.mark.parametrize("what", DECISIONS)
def test_only_whoever_has_it_in_hand_adjudicates(paths: dict[str, str], what: str) -> None:
    """Neither those who disagree, nor a lead while somebody else holds it."""
    for role in ROLES:
        if role != "reviewer":
            answer = client_of(role).post(f"{paths['adjudication']}{what}/", {"drop_reason": "other"})
            assert answer.status_code < 500
    slot = Slot.objects.get(stage="adjudicate")
    assert (slot.state, slot.holder.username, slot.item.state) == ("held", "reviewer", "adjudicating")


def test_the_adjudicator_reads_no_names_beside_the_texts(paths: dict[str, str]) -> None:
    whole = client_of("reviewer").get(paths["adjudication"]).content.decode()
    points = whole[whole.index('id="points"') : whole.index('id="annotation"')]
    assert "Annotator 1" in points
    assert "colleague" not in points.replace("note of the colleague", "")


def test_an_item_of_another_project_is_not_there(paths: dict[str, str]) -> None:
    other = make_member(make_project(kind_slug="perturbation", slug="other"), "lead")
    client = Client()
    client.force_login(other.user)
    for path in paths.values():
        assert client.get(path.replace("/p/worse/", "/p/other/")).status_code in (200, 404)
        moved = client.get(path.replace("/p/worse/", "/p/other/")).content.decode()
        assert "gold answer as written" not in moved
