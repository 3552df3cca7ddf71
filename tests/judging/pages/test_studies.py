import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotate.items import queue
from annotate.models import Member, Project, Slot
from judging.models import Answer, Study
from tests.support.people import make_member, make_project
from tests.support.studies import AUTHORS, answered_project, drawn, prefers, vote

pytestmark = pytest.mark.django_db
ASKED: dict[str, Any] = {
    "kind": "preference",
    "authors": list(AUTHORS),
    "items": 3,
    "by": "group",
    "overlap": 2,
    "design": "all",
    "named": "mask",
    "seed": 7,
    "into": "votes",
    "name": "Autumn",
}


@pytest.fixture
def source() -> Project:
    return answered_project()


@pytest.fixture
def lead(source: Project) -> Member:
    return make_member(source, "lead")


@pytest.fixture
def client(lead: Member, client: Client) -> Client:
    client.force_login(lead.user)
    return client


def address(project: Project) -> str:
    return reverse("studies", args=[project.slug])


def test_a_look_says_what_would_be_drawn_and_draws_nothing(client: Client, source: Project) -> None:
    page = client.get(address(source), ASKED)
    assert page.status_code == 200
    assert "3 items with 9 answers: 9 to vote on." in page.content.decode()
    assert not Study.objects.exists()
    assert not Project.objects.filter(slug="votes").exists()


def test_only_what_begins_empty_is_called_optional(client: Client, source: Project) -> None:
    page = client.get(address(source)).content.decode()
    labels = {name: re.findall(rf'<label for="id_{name}">(.*?)</label>', page) for name in ("repeats", "apart", "name")}
    assert {name: "optional" in label for name, (label,) in labels.items()} == {
        "repeats": False,
        "apart": False,
        "name": True,
    }


def test_a_look_says_where_nobody_would_ever_be_asked_again(client: Client, source: Project) -> None:
    def said(apart: int) -> str:
        return client.get(address(source), ASKED | {"repeats": 50, "apart": apart}).content.decode()

    assert "nobody votes on 9 other items in between" in said(9)
    assert "nobody votes on" not in said(8)


def test_what_is_rarely_touched_is_folded_until_it_is_touched_or_wrong(client: Client, source: Project) -> None:
    def folds(**said: Any) -> list[bool]:
        page = client.get(address(source), ASKED | said).content.decode()
        return [bool(found) for found in re.findall(r'<details class="fold[^"]*" id="(?:\w+)"( open)?>', page)]

    assert folds() == [False, False]
    assert folds(repeats=5) == [True, False]
    assert folds(apart=0) == [True, False]
    assert folds(named="set_aside") == [False, True]


def test_a_draw_makes_the_project_and_its_lead(client: Client, source: Project, lead: Member) -> None:
    assert client.post(address(source), ASKED).status_code == 302
    study = Study.objects.get()
    assert (study.name, study.created_by, study.counts["votes"]) == ("Autumn", lead.user, 9)
    assert study.project.members.get().user == lead.user
    assert "Autumn" in client.get(address(source)).content.decode()


@pytest.mark.parametrize(
    "wrong",
    [
        {"authors": []},
        {"authors": ["Nobody"]},
        {"authors": ["Beryl"]},
        {"kind": "feedback"},
        {"items": 0},
        {"seed": -1},
        {"into": "a b"},
        {"by": "password"},
        {"overlap": 0},
    ],
)
def test_what_cannot_be_drawn_is_said_and_nothing_changes(client: Client, source: Project, wrong: Any) -> None:
    answer = client.post(address(source), ASKED | wrong)
    assert answer.status_code == 422
    assert not Study.objects.exists()


def test_a_project_that_somebody_else_leads_is_taken(client: Client, source: Project) -> None:
    make_project(slug="votes", kind_slug="preference", overlap=2, reviews=0)
    answer = client.post(address(source), ASKED)
    assert answer.status_code == 422
    assert "This address is taken." in answer.content.decode()
    assert not Study.objects.exists()


def test_progress_counts_votes_and_closing_leaves_what_is_in_hand(
    client: Client, source: Project, lead: Member
) -> None:
    study = drawn(source, items=1)
    Member.objects.get_or_create(project=study.project, user=lead.user, role="lead")
    voter = make_member(study.project)
    vote(voter, prefers("tie"))
    queue.claim_next(voter, "annotate")
    assert "1 / 6" in client.get(address(source)).content.decode()
    assert client.post(reverse("study_close", args=[source.slug, study.pk])).status_code == 302
    assert sorted(Slot.objects.values_list("state", flat=True)) == ["held", "submitted", "void", "void", "void", "void"]
    page = client.get(address(source)).content.decode()
    assert "Closed" in page
    assert "1 / 2" in page


def test_a_lead_of_the_source_alone_does_not_see_the_study(client: Client, source: Project) -> None:
    study = drawn(source)
    study.project.members.all().delete()  # who draws leads the votes, until somebody else is to
    page = client.get(address(source)).content.decode()
    assert f'id="study-{study.pk}"' not in page
    assert client.post(reverse("study_close", args=[source.slug, study.pk])).status_code == 404
    assert Study.objects.get().closed_at is None


def test_a_page_of_many_studies_takes_no_more_queries(
    client: Client, source: Project, lead: Member, django_assert_max_num_queries: Any
) -> None:
    for number in range(4):
        study = drawn(source, into=f"votes-{number}", items=1)
        Member.objects.get_or_create(project=study.project, user=lead.user, role="lead")
    with django_assert_max_num_queries(14):
        client.get(address(source))


def test_without_answers_there_is_nothing_to_draw_and_the_page_leads_to_them(client: Client, source: Project) -> None:
    assert "No answers yet" not in client.get(address(source)).content.decode()
    Answer.objects.all().delete()
    form = client.get(address(source)).content.decode().partition('id="new-study"')[2]
    assert "No answers yet" in form
    assert reverse("answers", args=[source.slug]) in form


def test_a_list_that_is_cut_says_so(client: Client, source: Project, lead: Member) -> None:
    into = drawn(source, items=1).project
    Member.objects.get_or_create(project=into, user=lead.user, role="lead")
    Study.objects.bulk_create(Study(source=source, project=into, name=f"No. {n}", seed=n) for n in range(49))
    assert "are shown" not in client.get(address(source)).content.decode()
    Study.objects.create(source=source, project=into, name="The newest", seed=0)
    page = client.get(address(source)).content.decode()
    assert "The first 50 are shown." in page
    assert "The newest" in page


@pytest.mark.parametrize("role", ["viewer", "annotator", "reviewer"])
def test_only_leads_have_such_a_page(source: Project, role: str) -> None:
    client = Client()
    client.force_login(make_member(source, role).user)
    assert client.get(address(source)).status_code == 403
    assert client.post(address(source), ASKED).status_code == 403


def test_a_stranger_finds_nothing(source: Project) -> None:
    client = Client()
    client.force_login(make_member(make_project(), "lead").user)
    assert client.get(address(source)).status_code == 404
