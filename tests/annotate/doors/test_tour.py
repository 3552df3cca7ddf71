"""The tour: offered once, a step on every page until it is ended, remembered for each person and role."""

import pytest
from django.test import Client
from django.urls import resolve

from annotate.doors.tour import STEPS, Tour
from annotate.models import Member, User
from tests.support.people import make_item, make_member, make_project

pytestmark = pytest.mark.django_db
OFFER, PANEL = "New here?", 'id="tour"'


def signed_in(client: Client, role: str) -> Member:
    member = make_member(make_project(), role)
    make_item(member.project)
    client.force_login(member.user)
    return member


def path(member: Member, rest: str = "") -> str:
    return f"/p/{member.project.slug}/{rest}"


def go(client: Client, member: Member, to: str, **posted: str) -> str:
    return str(client.post(path(member, "tour/"), {"to": to, **posted}).headers.get("Location", ""))


@pytest.mark.parametrize(
    ("role", "titles"),
    [
        ("lead", ["Overview", "Data", "Models", "Results", "Work", "Team & settings"]),
        ("viewer", ["Overview", "Data", "Models", "Results"]),
        ("reviewer", ["Work", "At an item", "Review", "My corrections", "Guidelines"]),
        ("annotator", ["Work", "At an item", "My corrections", "Guidelines"]),
    ],
)
def test_each_role_is_shown_what_it_sees(client: Client, role: str, titles: list[str]) -> None:
    tour = Tour(signed_in(client, role))
    assert [str(step.title).partition(":")[0] for step, _path in tour.steps] == titles
    for _step, address in tour.steps:
        assert client.get(address).status_code == 200


def test_it_takes_two_minutes_to_read() -> None:
    """At 200 words a minute."""
    words = [sum(len(f"{step.title} {step.text}".split()) for step in steps) for steps in STEPS.values()]
    assert max(words) < 400


def test_it_is_offered_on_the_first_page_until_it_is_taken_or_declined(client: Client) -> None:
    ada = signed_in(client, "annotator")
    assert OFFER in client.get(path(ada, "work/")).content.decode()
    assert PANEL not in client.get(path(ada, "guidelines/")).content.decode()
    assert go(client, ada, "0", next=path(ada, "work/")) == path(ada, "work/")
    assert PANEL not in client.get(path(ada, "work/")).content.decode()
    assert PANEL not in client.get(path(make_second(ada), "work/")).content.decode()


def make_second(member: Member) -> Member:
    return Member.objects.create(project=make_project(), user=member.user, role=member.role)


def test_each_step_is_shown_on_its_page_and_stays_until_the_end(client: Client) -> None:
    lena = signed_in(client, "lead")
    addresses, to = [], 1
    while (address := go(client, lena, str(to))).endswith("#tour"):
        page = client.get(address.removesuffix("#tour")).content.decode()
        assert f"Tour, {to} of 6" in page
        assert "Go to its page" not in page
        addresses.append(resolve(address.removesuffix("#tour")).url_name)
        to += 1
    assert addresses == ["overview", "items", "runs", "results", "work", "people"]
    assert User.objects.get(pk=lena.user_id).tours == {"lead": 0}
    assert PANEL not in client.get(path(lena)).content.decode()


def test_on_other_pages_the_step_leads_to_its_own(client: Client) -> None:
    lena = signed_in(client, "lead")
    go(client, lena, "2")
    page = client.get(path(lena, "guidelines/")).content.decode()
    assert "Tour, 2 of 6" in page
    assert f'href="{path(lena, "items/")}#tour"' in page


def test_at_an_item_the_keys_of_the_person_are_shown(client: Client) -> None:
    ada = signed_in(client, "annotator")
    User.objects.filter(pk=ada.user_id).update(keys={"keep": "y"})
    go(client, ada, "2")
    desk = client.post(path(ada, "work/next/"), follow=True).content.decode()
    assert "At an item: keep, edit, go on" in desk
    assert '<kbd class="key">Y</kbd> Keep the suggestion' in desk


def test_ending_it_in_place_answers_nothing_to_swap(client: Client) -> None:
    ada = signed_in(client, "annotator")
    go(client, ada, "2")
    answer = client.post(path(ada, "tour/"), {"to": "0"}, headers={"HX-Request": "true"})
    assert (answer.status_code, answer.content) == (200, b"")
    assert User.objects.get(pk=ada.user_id).tours == {"work": 0}


@pytest.mark.parametrize("to", ["", "x", "-1", "99", "9" * 30, "²"])
def test_steps_that_there_are_not_end_it(client: Client, to: str) -> None:
    ada = signed_in(client, "annotator")
    go(client, ada, "1")
    go(client, ada, to)
    assert User.objects.get(pk=ada.user_id).tours == {"work": 0}


def test_all_steps_can_be_read_and_the_tour_taken_again(client: Client) -> None:
    ada = signed_in(client, "annotator")
    go(client, ada, "0")
    page = client.get(path(ada, "tour/")).content.decode()
    assert page.count('<li class="panel') == 4
    assert go(client, ada, "1") == f"{path(ada, 'work/')}#tour"
    assert f'href="{path(ada, "tour/")}"' in client.get(path(ada, "work/")).content.decode()


def test_whoever_becomes_a_lead_is_offered_the_other_tour(client: Client) -> None:
    ada = signed_in(client, "annotator")
    go(client, ada, "0")
    Member.objects.filter(pk=ada.pk).update(role="lead")
    assert OFFER in client.get(path(ada)).content.decode()


def test_a_step_that_fewer_have_after_a_change_of_role_is_the_last(client: Client) -> None:
    rui = signed_in(client, "reviewer")
    go(client, rui, "5")
    Member.objects.filter(pk=rui.pk).update(role="annotator")
    assert "Tour, 4 of 4" in client.get(path(rui, "work/")).content.decode()
