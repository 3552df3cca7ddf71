import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from annotate.models import Member, Notification, User
from annotate.notices.inbox import notify
from tests.support.people import make_item, make_member, make_project
from tests.support.runs import make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(client: Client) -> Member:
    member = make_member(make_project())
    client.force_login(member.user)
    return member


def tell(ada: Member, verb: str = "returned", times: int = 1) -> None:
    lead = User.objects.create_user(f"lead-{Notification.objects.count()}")
    item = make_item(ada.project)
    for number in range(times):
        notify(ada.user, item, verb, by=lead, note=f"note {number}")


def test_an_empty_inbox_says_what_will_stand_here(client: Client, ada: Member) -> None:
    assert "No notifications yet" in client.get("/inbox/").content.decode()


def test_lines_say_what_happened_and_are_counted_in_the_top_bar(client: Client, ada: Member) -> None:
    tell(ada)
    page = client.get("/inbox/").content.decode()
    assert "returned to you by lead-0" in page
    assert "note 0" in page
    assert '<span class="count">1</span>' in page


def test_the_top_bar_counts_to_99(client: Client, ada: Member) -> None:
    Notification.objects.bulk_create(
        Notification(user=ada.user, project=ada.project, verb="removed") for _ in range(100)
    )
    assert '<span class="count">99+</span>' in client.get("/inbox/").content.decode()


def test_opening_a_line_marks_it_as_read_and_leads_to_the_work(client: Client, ada: Member) -> None:
    tell(ada)
    answer = client.post("/inbox/read/", {"one": str(Notification.objects.get().pk)})
    assert answer.headers["Location"] == f"/p/{ada.project.slug}/work/"
    assert Notification.objects.get().read_at is not None


def test_a_decided_item_is_shown_where_it_stands(client: Client, ada: Member) -> None:
    tell(ada, verb="accepted")
    line = Notification.objects.get()
    answer = client.post("/inbox/read/", {"one": str(line.pk)})
    assert answer.headers["Location"] == f"/p/{ada.project.slug}/items/{line.item_id}/"


@pytest.mark.parametrize(("role", "leads_to"), [("lead", "runs/{run}/"), ("reviewer", "")])
def test_the_end_of_a_run_leads_to_the_run_for_those_who_may_see_it(client: Client, role: str, leads_to: str) -> None:
    member = make_member(make_project(), role)
    client.force_login(member.user)
    run = make_run(member.project)
    notify(member.user, None, "finished", by=None, project=member.project, run=run, note="4 of 4 jobs done.")
    page = client.get("/inbox/").content.decode()
    assert "run finished" in page
    assert "4 of 4 jobs done." in page
    answer = client.post("/inbox/read/", {"one": str(Notification.objects.get().pk)})
    assert answer.headers["Location"] == f"/p/{member.project.slug}/{leads_to.format(run=run.pk)}"


def test_all_lines_can_be_marked_as_read(client: Client, ada: Member) -> None:
    tell(ada, times=3)
    client.post("/inbox/read/")
    assert not Notification.objects.filter(read_at=None).exists()


def test_nobody_reads_or_marks_the_lines_of_others(client: Client, ada: Member) -> None:
    tell(ada)
    client.force_login(User.objects.create_user("eve"))
    assert "note 0" not in client.get("/inbox/").content.decode()
    client.post("/inbox/read/", {"one": str(Notification.objects.get().pk)})
    client.post("/inbox/read/")
    assert Notification.objects.get().read_at is None


def test_a_line_of_a_project_one_has_left_leads_nowhere(client: Client, ada: Member) -> None:
    tell(ada)
    ada.delete()
    assert "Open" not in client.get("/inbox/").content.decode().partition("<main")[2]


def test_long_inboxes_have_pages_and_a_fixed_number_of_queries(
    client: Client, ada: Member, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    tell(ada, times=60)
    with django_assert_max_num_queries(6):
        page = client.get("/inbox/").content.decode()
    assert "note 59" in page
    assert "note 9”" not in page
    last = Notification.objects.order_by("-pk")[49].pk
    assert f"?before={last}" in page
    assert "note 9”" in client.get(f"/inbox/?before={last}").content.decode()


def test_an_old_line_about_a_vote_names_no_co_voter(client: Client) -> None:
    voter = make_member(make_project(kind_slug="preference"))
    client.force_login(voter.user)
    co_voter = User.objects.create_user("bo")
    Notification.objects.create(user=voter.user, project=voter.project, verb="accepted", actor=co_voter)
    page = client.get("/inbox/").content.decode()
    assert "accepted" not in page
    assert "by bo" not in page


def test_what_is_the_same_of_several_items_stands_in_one_group(client: Client, ada: Member) -> None:
    lead = User.objects.create_user("lena")
    for _number in range(3):
        notify(ada.user, make_item(ada.project), "accepted", by=lead)
    notify(ada.user, make_item(ada.project), "returned", by=lead, note="Too long.")
    page = client.get("/inbox/").content.decode()
    assert page.count(' inbox-group" id="group-') == 1
    assert "3 items: accepted" in page
    newest = Notification.objects.filter(verb="accepted").values_list("pk", flat=True)
    answer = client.post("/inbox/read/", {"several": [str(pk) for pk in newest]})
    assert answer.headers["Location"] == "/inbox/"
    assert list(Notification.objects.filter(read_at=None).values_list("verb", flat=True)) == ["returned"]


def test_notifications_of_others_are_not_marked_as_read(client: Client, ada: Member) -> None:
    other = make_member(ada.project)
    notify(other.user, make_item(ada.project), "accepted", by=None)
    client.post("/inbox/read/", {"several": [str(Notification.objects.get().pk)]})
    assert Notification.objects.get().read_at is None


def test_the_list_is_filtered_by_what_is_to_do_and_by_project(client: Client, ada: Member) -> None:
    elsewhere = make_project(name="Elsewhere")
    for project, verb in ((ada.project, "returned"), (ada.project, "accepted"), (elsewhere, "answered")):
        notify(ada.user, make_item(project), verb, by=None, note=f"{project.name} {verb}")

    def noted(query: str) -> list[str]:
        html = client.get(f"/inbox/?{query}").content.decode()
        return [line.note for line in Notification.objects.order_by("pk") if line.note in html]

    here = ada.project.name
    assert len(noted("")) == 3
    assert noted("show=to_do") == [f"{here} returned"]
    assert noted(f"project={elsewhere.slug}") == ["Elsewhere answered"]
    Notification.objects.filter(verb="returned").update(read_at="2026-01-01T00:00:00Z")
    assert noted("show=unread") == [f"{here} accepted", "Elsewhere answered"]
    assert "No notification matches this filter." in client.get("/inbox/?show=to_do").content.decode()
