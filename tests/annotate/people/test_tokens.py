from datetime import timedelta
from itertools import product

import pytest
from django.utils import timezone

from annotate.errors import Refused
from annotate.models import ApiToken, Member
from annotate.people import tokens
from tests.support.people import make_member, make_project

pytestmark = pytest.mark.django_db
ROLES = ("lead", "reviewer", "annotator", "viewer")
# A viewer reads what an annotator may not, and an annotator works where a viewer only looks.
MAY_MAKE = {
    *product(["lead"], ROLES),
    *product(["reviewer"], ["reviewer", "annotator", "viewer"]),
    ("annotator", "annotator"),
    ("viewer", "viewer"),
}


@pytest.fixture
def lead() -> Member:
    return make_member(make_project(), "lead")


@pytest.mark.parametrize(("own", "wanted"), list(product(ROLES, ROLES)))
def test_a_token_can_do_no_more_than_whoever_makes_it(own: str, wanted: str) -> None:
    member = make_member(make_project(), own)
    if (own, wanted) in MAY_MAKE:
        assert tokens.make(by=member, name="x", role=wanted).token.role == wanted
    else:
        with pytest.raises(Refused):
            tokens.make(by=member, name="x", role=wanted)
        assert not ApiToken.objects.exists()


def test_the_bearer_is_the_creator_in_the_role_of_the_token(lead: Member) -> None:
    found = tokens.bearer(tokens.make(by=lead, name="x", role="viewer").secret)
    assert found is not None
    assert (found.member.user, found.member.role, found.member.project) == (lead.user, "viewer", lead.project)
    lead.refresh_from_db()
    assert lead.role == "lead"


@pytest.mark.parametrize("secret", ["", "ts_", "ts_wrong", "\udc80", "ts_\x00", "x" * 10_000])
def test_what_is_no_secret_opens_nothing(lead: Member, secret: str) -> None:
    tokens.make(by=lead, name="x", role="viewer")
    assert tokens.bearer(secret) is None


def test_the_hash_is_no_secret(lead: Member) -> None:
    made = tokens.make(by=lead, name="x", role="lead")
    assert tokens.bearer(made.token.sha256) is None
    assert tokens.bearer(made.token.starts_with) is None


def test_a_revoked_token_opens_nothing(lead: Member) -> None:
    made = tokens.make(by=lead, name="x", role="lead")
    assert tokens.revoke(made.token)
    assert tokens.bearer(made.secret) is None
    assert not tokens.revoke(made.token)


def test_a_token_opens_nothing_from_the_moment_it_expires(lead: Member) -> None:
    made = tokens.make(by=lead, name="x", role="lead", days=1)
    assert tokens.bearer(made.secret)
    ApiToken.objects.update(expires_at=timezone.now())
    assert tokens.bearer(made.secret) is None


def test_a_token_is_dead_once_its_creator_has_left(lead: Member) -> None:
    made = tokens.make(by=lead, name="x", role="viewer")
    lead.delete()
    assert tokens.bearer(made.secret) is None


def test_a_token_is_dead_while_its_creator_is_switched_off(lead: Member) -> None:
    made = tokens.make(by=lead, name="x", role="viewer")
    lead.user.is_active = False
    lead.user.save()
    assert tokens.bearer(made.secret) is None


@pytest.mark.parametrize(("now", "role"), list(product(ROLES, ROLES)))
def test_a_token_lives_as_long_as_its_creator_may_make_it(lead: Member, now: str, role: str) -> None:
    made = tokens.make(by=lead, name="x", role=role)
    Member.objects.filter(pk=lead.pk).update(role=now)
    assert (tokens.bearer(made.secret) is not None) == ((now, role) in MAY_MAKE)


def test_a_membership_elsewhere_does_not_keep_a_token_alive(lead: Member) -> None:
    made = tokens.make(by=lead, name="x", role="lead")
    Member.objects.create(project=make_project(), user=lead.user, role="lead")
    lead.delete()
    assert tokens.bearer(made.secret) is None


def test_use_is_noted_once_a_minute(lead: Member, django_assert_num_queries) -> None:
    token = tokens.make(by=lead, name="x", role="lead").token
    tokens.note_use(token)
    token.refresh_from_db()
    first = token.used_at
    assert first is not None
    with django_assert_num_queries(0):
        tokens.note_use(token)
    ApiToken.objects.update(used_at=first - timedelta(minutes=2))
    token.refresh_from_db()
    tokens.note_use(token)
    token.refresh_from_db()
    assert token.used_at >= first


def test_knowing_a_token_takes_two_queries(lead: Member, django_assert_num_queries) -> None:
    secret = tokens.make(by=lead, name="x", role="lead").secret
    with django_assert_num_queries(2):
        tokens.bearer(secret)
