import re
from unittest import mock

import pytest
from django.test import Client

from annotate.models import Guideline, Invitation, Member, User
from annotate.people import accounts
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db
JOIN = {
    "username": "nina",
    "display_name": "Nina Roth",
    "password1": "quite long, this",
    "password2": "quite long, this",
}


@pytest.fixture
def link(case: Case) -> str:
    return f"/invite/{accounts.invite(project=case.project, role='annotator', by=case.lead).token}/"


def test_somebody_new_makes_an_account_and_is_in(client: Client, case: Case, link: str) -> None:
    assert "Join Feedback" in client.get(link).content.decode()
    answer = client.post(link, JOIN)
    assert answer.headers["location"] == "/p/fb/guidelines/"
    member = case.member(User.objects.get(username="nina"))
    assert (member.role, str(member.user)) == ("annotator", "Nina Roth")
    assert client.get("/p/fb/guidelines/").status_code == 200


def test_without_guidelines_a_new_member_comes_to_what_waits(client: Client, link: str) -> None:
    Guideline.objects.all().delete()
    assert client.post(link, JOIN).headers["location"] == "/"


def test_somebody_known_signs_in_and_joins(client: Client, case: Case, link: str) -> None:
    assert f"/accounts/login/?next={link}" in client.get(link).content.decode()
    client.force_login(case.stranger)
    assert "Join as stranger" in client.get(link).content.decode()
    client.post(link)
    assert case.member(case.stranger).role == "annotator"


def test_opening_the_link_joins_nobody(client: Client, case: Case, link: str) -> None:
    client.force_login(case.stranger)
    client.get(link)
    assert not Member.objects.filter(user=case.stranger).exists()


@pytest.mark.parametrize(
    "bad",
    [
        {"password2": "another one"},
        {"password1": "short", "password2": "short"},
        {"username": "lead"},
        {"username": ""},
    ],
)
def test_a_bad_form_makes_no_account_and_keeps_the_link(client: Client, link: str, bad: dict[str, str]) -> None:
    before = User.objects.count()
    assert client.post(link, JOIN | bad).status_code == 422
    assert User.objects.count() == before
    assert Invitation.objects.get().accepted_at is None


def test_a_used_link_lets_nobody_in(client: Client, case: Case, link: str) -> None:
    client.post(link, JOIN)
    other = Client()
    assert other.get(link).status_code == 404
    assert other.post(link, JOIN | {"username": "second"}).status_code == 404
    assert not User.objects.filter(username="second").exists()


def test_a_link_that_nobody_made_looks_like_one_that_ran_out(client: Client, link: str) -> None:
    text = client.get("/invite/nonsense/").content.decode()
    accounts.revoke(Invitation.objects.get())
    without_tokens = re.compile(r'"X-CSRFToken": "[^"]*"|value="[^"]*"|/invite/[^/]*/')
    revoked = client.get(link).content.decode()
    assert without_tokens.sub("", revoked) == without_tokens.sub("", text)


def test_a_member_is_told_and_keeps_their_role(client: Client, case: Case, link: str) -> None:
    client.force_login(case.lead)
    answer = client.post(link)
    assert answer.status_code == 409
    assert "You are already in this project" in answer.content.decode()
    assert case.member(case.lead).role == "lead"


def demote(case: Case, role: str = "viewer") -> None:
    case.project.members.filter(user=case.lead).update(role=role)


def test_an_invitation_of_a_former_lead_says_so_and_what_to_do(client: Client, case: Case, link: str) -> None:
    demote(case)
    for answer in (client.get(link), client.post(link, JOIN)):
        assert answer.status_code == 404
        text = answer.content.decode()
        assert "This invitation is no longer valid" in text
        assert "Ask a project lead for a new invitation." in text
        assert case.project.name not in text
        assert "invites you" not in text
    assert not User.objects.filter(username="nina").exists()


def test_a_former_lead_does_not_come_back_by_their_own_link(client: Client, case: Case) -> None:
    link = f"/invite/{accounts.invite(project=case.project, role='lead', by=case.lead).token}/"
    case.project.members.filter(user=case.lead).delete()
    client.force_login(case.lead)
    assert client.post(link).status_code == 404
    assert not Member.objects.filter(user=case.lead).exists()


def test_a_lead_who_is_promoted_again_invites_again(client: Client, case: Case, link: str) -> None:
    demote(case)
    demote(case, "lead")
    assert client.post(link, JOIN).status_code == 302


def test_a_link_that_was_taken_back_stays_so(client: Client, case: Case, link: str) -> None:
    demote(case)
    accounts.revoke(Invitation.objects.get())
    demote(case, "lead")
    assert client.get(link).status_code == 404


def test_a_demotion_while_somebody_joins_leaves_no_account(client: Client, case: Case, link: str) -> None:
    """The page was checked before; the account is made in the transaction that asks once more."""
    with mock.patch("annotate.rights.giver", side_effect=[case.member(case.lead), None]):
        answer = client.post(link, JOIN)
    assert "This invitation is no longer valid" in answer.content.decode()
    assert not User.objects.filter(username="nina").exists()


# --- password links ----------------------------------------------------------------------------------------------
@pytest.fixture
def staff(case: Case) -> Client:
    User.objects.filter(pk=case.lead.pk).update(is_staff=True)
    client = Client()
    client.force_login(case.lead)
    return client


def test_staff_make_a_link_that_sets_a_password(staff: Client, case: Case) -> None:
    text = staff.post("/accounts-admin/", {"username": "annotator"}).content.decode()
    (made,) = re.findall(r'<code id="reset-link">http://testserver([^<]+)</code>', text)
    other = Client()
    form = other.get(made, follow=True).redirect_chain[-1][0]
    other.post(form, {"password1": "chosen by myself", "password2": "chosen by myself"})
    assert User.objects.get(pk=case.annotator.pk).check_password("chosen by myself")


def test_only_staff_make_password_links(client: Client, case: Case) -> None:
    client.force_login(case.lead)
    assert client.post("/accounts-admin/", {"username": "annotator"}).status_code == 403
    assert Client().get("/accounts-admin/").status_code == 302


def test_staff_cannot_take_over_a_superuser(staff: Client, case: Case) -> None:
    User.objects.filter(pk=case.stranger.pk).update(is_superuser=True)
    answer = staff.post("/accounts-admin/", {"username": "stranger"})
    assert answer.status_code == 422
    assert b'id="reset-link"' not in answer.content


def test_an_unknown_account_is_named(staff: Client) -> None:
    assert staff.post("/accounts-admin/", {"username": "nobody"}).status_code == 422
