import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotate.models import ApiToken, Member
from annotate.people import tokens
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db
TOKENS = "/p/fb/tokens/"


def made(case: Case, **options) -> ApiToken:
    return tokens.make(by=case.member(case.lead), **{"name": "nightly", "role": "viewer"} | options).token


def secret_in(text: str) -> str:
    found = re.search(r'<code id="secret">([^<]+)</code>', text)
    return found[1] if found else ""


def test_a_new_token_is_shown_once_and_never_kept(lead: Client, case: Case) -> None:
    answer = lead.post(TOKENS, {"name": "nightly export", "role": "viewer", "days": "30"})
    secret = secret_in(answer.content.decode())
    assert secret.startswith("ts_")
    assert "no-store" in answer.headers["Cache-Control"]
    token = ApiToken.objects.get()
    assert (token.name, token.role, token.sha256) == ("nightly export", "viewer", tokens.digest(secret))
    assert timedelta(days=29) < token.expires_at - timezone.now() < timedelta(days=31)
    assert secret not in str(vars(token))
    again = lead.get(TOKENS).content.decode()
    assert secret not in again
    assert secret[:10] in again


def test_a_token_without_days_never_ends(lead: Client) -> None:
    lead.post(TOKENS, {"name": "x", "role": "lead", "days": ""})
    assert ApiToken.objects.get().expires_at is None


@pytest.mark.parametrize(
    "bad", [{"name": ""}, {"role": "king"}, {"days": "0"}, {"days": "9999"}, {"name": "x" * 81}], ids=str
)
def test_a_form_that_is_not_right_makes_nothing(lead: Client, bad: dict[str, str]) -> None:
    answer = lead.post(TOKENS, {"name": "x", "role": "viewer", "days": "3"} | bad)
    assert answer.status_code == 422
    assert not ApiToken.objects.exists()


def test_a_token_is_revoked(lead: Client, case: Case) -> None:
    token = made(case)
    assert lead.post(f"{TOKENS}{token.pk}/revoke/").status_code == 302
    token.refresh_from_db()
    assert token.revoked_at is not None
    assert "Revoked" in lead.get(TOKENS).content.decode()


def test_revoking_twice_keeps_the_first_moment(lead: Client, case: Case) -> None:
    token = made(case)
    lead.post(f"{TOKENS}{token.pk}/revoke/")
    first = ApiToken.objects.get().revoked_at
    assert lead.post(f"{TOKENS}{token.pk}/revoke/").status_code == 302
    assert ApiToken.objects.get().revoked_at == first


def test_a_token_of_another_project_is_not_there(lead: Client, case: Case) -> None:
    from tests.support.people import make_member, make_project

    other = tokens.make(by=make_member(make_project(), "lead"), name="theirs", role="lead").token
    assert lead.post(f"{TOKENS}{other.pk}/revoke/").status_code == 404
    assert "theirs" not in lead.get(TOKENS).content.decode()


@pytest.mark.parametrize(
    ("role", "status"), [("reviewer", 403), ("annotator", 403), ("viewer", 403), ("stranger", 404)]
)
def test_tokens_are_for_leads(client: Client, case: Case, role: str, status: int) -> None:
    token = made(case)
    client.force_login(getattr(case, role))
    assert client.get(TOKENS).status_code == status
    assert client.post(TOKENS, {"name": "x", "role": "viewer"}).status_code == status
    assert client.post(f"{TOKENS}{token.pk}/revoke/").status_code == status
    assert ApiToken.objects.get().revoked_at is None


def test_the_list_says_what_each_token_is_good_for(lead: Client, case: Case) -> None:
    second = Member.objects.create(project=case.project, user=case.stranger, role="lead")
    lost = tokens.make(by=second, name="lost one", role="lead").token
    Member.objects.filter(pk=second.pk).update(role="viewer")
    old = made(case)
    ApiToken.objects.filter(pk=old.pk).update(expires_at=timezone.now() - timedelta(days=1))
    usable, revoked = made(case), made(case)
    tokens.revoke(revoked)
    states = {row.token.pk: row.state for row in tokens.listed(case.project, case.project.tokens.all())}
    assert states == {lost.pk: "lost", old.pk: "expired", usable.pk: "usable", revoked.pk: "revoked"}
    text = lead.get(TOKENS).content.decode()
    assert all(
        words in text for words in ("Usable", "Revoked", "Expired", "No longer valid", "may no longer do so as Viewer")
    )


def test_a_list_of_tokens_takes_few_queries(lead: Client, case: Case, django_assert_max_num_queries) -> None:
    for _number in range(5):
        made(case)
    lead.get(TOKENS)
    with django_assert_max_num_queries(8):
        lead.get(TOKENS)
