import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from annotate.items import queue
from annotate.models import Invitation, Member, User
from annotate.people import accounts, pages
from tests.support.reviews import Case
from tests.support.rights import become

pytestmark = pytest.mark.django_db
PEOPLE = "/p/fb/people/"


def address(case: Case, user, end: str = "") -> str:
    return f"{PEOPLE}{case.member(user).pk}/{end}"


def test_the_page_lists_members_with_what_they_hold(lead: Client, case: Case) -> None:
    queue.claim(case.open_slot(case.item(), "annotate").pk, case.member(case.annotator))
    text = lead.get(PEOPLE).content.decode()
    assert f'href="/p/fb/items/?held={case.annotator.pk}">1</a>' in text
    for name in ("annotator", "reviewer", "lead", "viewer"):
        assert name in text


@pytest.mark.parametrize(
    ("role", "status"), [("reviewer", 403), ("annotator", 403), ("viewer", 403), ("stranger", 404)]
)
def test_the_page_is_for_leads(client: Client, case: Case, role: str, status: int) -> None:
    client.force_login(getattr(case, role))
    invitation = accounts.invite(project=case.project, role="lead", by=case.lead)
    for path in (PEOPLE, address(case, case.annotator), address(case, case.annotator, "remove/")):
        assert client.get(path).status_code == status
    for path in (f"{PEOPLE}invite/", f"{PEOPLE}invitations/{invitation.pk}/revoke/"):
        assert client.post(path, {"role": "lead", "days": 1}).status_code == status
    assert client.post(address(case, case.viewer), {"role": "lead"}).status_code == status
    assert client.post(address(case, case.viewer, "remove/")).status_code == status
    assert case.member(case.viewer).role == "viewer"
    assert Invitation.objects.get() == invitation


def test_role_and_limits_are_changed(lead: Client, case: Case) -> None:
    said = {"role": "reviewer", "daily_limit": "5", "total_limit": "", "languages": "en, zh,en", "groups": "Coding"}
    assert lead.post(address(case, case.annotator), said).status_code == 302
    member = case.member(case.annotator)
    assert (member.role, member.daily_limit, member.total_limit) == ("reviewer", 5, None)
    assert (member.languages, member.groups) == (["en", "zh"], ["Coding"])


@pytest.mark.parametrize("bad", [{"role": "king"}, {"role": "viewer", "daily_limit": "-1"}, {}])
def test_a_bad_form_changes_nothing(lead: Client, case: Case, bad: dict[str, str]) -> None:
    answer = lead.post(address(case, case.annotator), bad)
    assert answer.status_code == (422 if bad else 200)
    assert case.member(case.annotator).role == "annotator"


def test_the_last_lead_stays(lead: Client, case: Case) -> None:
    assert lead.post(address(case, case.lead), {"role": "viewer"}).status_code == 422
    answer = lead.post(address(case, case.lead, "remove/"))
    assert answer.status_code == 422
    assert "A project needs a lead" in answer.content.decode()
    assert case.member(case.lead).role == "lead"


def test_removing_asks_first(lead: Client, case: Case) -> None:
    assert "Remove annotator?" in lead.get(address(case, case.annotator, "remove/")).content.decode()
    assert Member.objects.filter(user=case.annotator).exists()


def test_a_removed_member_is_a_stranger(lead: Client, case: Case) -> None:
    queue.claim(case.open_slot(case.item(), "annotate").pk, case.member(case.annotator))
    answer = lead.post(address(case, case.annotator, "remove/"), follow=True)
    assert "1 of their items is back in the queue." in answer.content.decode()
    lead.force_login(case.annotator)
    assert lead.get("/p/fb/").status_code == 404


def test_a_lead_who_removes_themselves_goes_home(lead: Client, case: Case) -> None:
    Member.objects.filter(user=case.annotator).update(role="lead")
    assert lead.post(address(case, case.lead, "remove/")).headers["location"] == "/"


def test_members_of_other_projects_are_not_found(lead: Client, case: Case) -> None:
    other = type(case.project).objects.create(slug="other", name="Other", kind_slug="feedback")
    theirs = other.members.create(user=case.stranger, role="lead")
    assert lead.post(f"{PEOPLE}{theirs.pk}/", {"role": "viewer"}).status_code == 404
    assert lead.post(f"{PEOPLE}{theirs.pk}/remove/").status_code == 404


def test_an_invitation_is_made_and_shown(lead: Client, case: Case) -> None:
    lead.post(f"{PEOPLE}invite/", {"role": "annotator", "invitees": "Hanna", "days": "3"})
    invitation = Invitation.objects.get()
    assert invitation.note == "Hanna"
    assert f"/invite/{invitation.token}/" in lead.get(PEOPLE).content.decode()


def test_each_line_is_an_invitation(lead: Client) -> None:
    lines = "Hanna\r\n Hanna Berg <hanna@example.org>\r\n\r\nbo@example.org\r\nHanna"
    answer = lead.post(f"{PEOPLE}invite/", {"role": "reviewer", "invitees": lines, "days": "3"}, follow=True)
    assert "3 links created." in answer.content.decode()
    invited = set(Invitation.objects.values_list("note", "email", "role"))
    assert invited == {
        ("Hanna", "", "reviewer"),
        ("Hanna Berg", "hanna@example.org", "reviewer"),
        ("", "bo@example.org", "reviewer"),
    }


def test_people_with_an_account_are_added_by_name(lead: Client, case: Case) -> None:
    other = User.objects.create_user("zoe")
    names = {"usernames": f"{case.stranger.username}, zoe", "role": "reviewer"}
    answer = lead.post(f"{PEOPLE}add/", names, follow=True)
    assert "Added:" in answer.content.decode()
    added = case.project.members.filter(user__in=(case.stranger, other))
    assert list(added.values_list("role", flat=True)) == ["reviewer", "reviewer"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("stranger, nobody-of-this-name", "No account has this user name: nobody-of-this-name."),
        ("stranger, annotator", "Already in this project: annotator."),
        ("stranger, off", "No account has this user name: off."),
        ("Stranger", "No account has this user name: Stranger."),
        ("", "This field is required."),
        (",".join(f"n{n}" for n in range(51)), "At most 50 people at once."),
    ],
)
def test_nobody_is_added_if_one_name_does_not_fit(lead: Client, case: Case, names: str, message: str) -> None:
    User.objects.create_user("off", is_active=False)
    answer = lead.post(f"{PEOPLE}add/", {"usernames": names, "role": "annotator"})
    assert answer.status_code == 422
    assert message in answer.content.decode()
    assert not case.project.members.filter(user=case.stranger).exists()


def test_nobody_tries_names_for_hours(lead: Client, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "ADDITIONS_AN_HOUR", 1)
    lead.post(f"{PEOPLE}add/", {"usernames": "nobody", "role": "annotator"})
    answer = lead.post(f"{PEOPLE}add/", {"usernames": "stranger", "role": "annotator"})
    assert "Try again in an hour" in answer.content.decode()
    assert not case.project.members.filter(user=case.stranger).exists()


def test_no_role_is_a_row_of_hyphens(lead: Client, case: Case) -> None:
    for page in (PEOPLE, address(case, case.annotator)):
        text = lead.get(page).content.decode()
        assert 'name="role"' in text
        assert "---------" not in text


@pytest.mark.parametrize("bad", [{"days": "0"}, {"days": "1000"}, {"role": "king"}, {"invitees": "Bo\n@nobody"}])
def test_a_bad_invitation_is_not_made(lead: Client, bad: dict[str, str]) -> None:
    answer = lead.post(f"{PEOPLE}invite/", {"role": "annotator", "days": "3"} | bad)
    assert answer.status_code == 422
    assert not Invitation.objects.exists()


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        ("viewer", "may no longer do so as Viewer."),
        ("removed", "is no longer in this project."),
        ("off", "who created it, is deactivated."),
    ],
)
def test_the_list_says_why_a_link_is_no_longer_valid(lead: Client, case: Case, state: str, reason: str) -> None:
    Member.objects.create(project=case.project, user=case.stranger, role="lead")
    token = accounts.invite(project=case.project, role="viewer", by=case.stranger).token
    become(case.stranger, case.project.pk, state)
    text = lead.get(PEOPLE).content.decode()
    assert "No longer valid" in text
    assert reason in text
    assert token not in text
    become(case.stranger, case.project.pk, "on")
    become(case.stranger, case.project.pk, "lead")
    assert token in lead.get(PEOPLE).content.decode()


def test_a_link_is_taken_back(lead: Client, case: Case) -> None:
    invitation = accounts.invite(project=case.project, role="viewer", by=case.lead)
    lead.post(f"{PEOPLE}invitations/{invitation.pk}/revoke/")
    assert Invitation.objects.get().revoked_at is not None


def test_a_used_link_cannot_be_taken_back(lead: Client, case: Case) -> None:
    invitation = accounts.invite(project=case.project, role="viewer", by=case.lead)
    accounts.accept(invitation, user=case.stranger)
    assert lead.post(f"{PEOPLE}invitations/{invitation.pk}/revoke/").status_code == 409


def test_the_number_of_queries_does_not_grow(
    lead: Client, case: Case, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for n in range(30):
        accounts.invite(project=case.project, role="viewer", by=case.lead, note=str(n))
    with django_assert_num_queries(10):
        lead.get(PEOPLE)


def test_many_people_are_on_several_pages(lead: Client, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MEMBERS_PER_PAGE", 2)
    first = lead.get(PEOPLE)
    total = case.project.members.count()
    assert f"{total} people work in this project." in first.content.decode()
    assert [len(lead.get(PEOPLE, {"page": number}).context["page"]) for number in (1, 2)] == [2, 2]
    assert 'href="?page=2" rel="next"' in first.content.decode()


def test_what_a_change_would_do_is_counted_before_it_is_made(lead: Client, case: Case) -> None:
    queue.claim(case.open_slot(case.item(), "annotate").pk, case.member(case.annotator))
    page = lead.post(address(case, case.annotator), {"role": "viewer", "preview": "1"})
    assert "1 item goes back into the queue" in page.content.decode()
    assert case.member(case.annotator).role == "annotator"


def test_what_another_lead_changed_meanwhile_is_kept_and_said(lead: Client, case: Case) -> None:
    opened = lead.get(address(case, case.annotator)).context["form"]
    Member.objects.filter(user=case.annotator).update(daily_limit=7)
    form = {"role": "reviewer", "daily_limit": "", "total_limit": "", "languages": "", "groups": ""}
    hidden = {field.html_name: field.value() for field in opened.hidden_fields()}
    page = lead.post(address(case, case.annotator), hidden | form, follow=True)
    assert "What somebody else changed meanwhile was kept." in page.content.decode()
    member = case.member(case.annotator)
    assert (member.role, member.daily_limit) == ("reviewer", 7)


@pytest.mark.parametrize(
    ("people", "message"),
    [
        ("\n".join(f"p{number}@example.org" for number in range(pages.MOST_INVITED + 1)), "people at once"),
        ("x" * (pages.LONGEST_NOTE + 1), "This name is too long"),
    ],
)
def test_more_or_longer_names_than_a_list_holds_invite_nobody(lead: Client, people: str, message: str) -> None:
    page = lead.post(f"{PEOPLE}invite/", {"role": "annotator", "days": "14", "invitees": people})
    assert (page.status_code, message in page.content.decode()) == (422, True)
    assert not Invitation.objects.exists()


def test_who_may_not_invite_is_told_so_beside_the_role(lead: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts.rights, "giver", lambda _invitation: None)
    page = lead.post(f"{PEOPLE}invite/", {"role": "annotator", "days": "14"})
    assert (page.status_code, "Only leads of this project can invite people." in page.content.decode()) == (422, True)
    assert not Invitation.objects.exists()
