import pytest
from django.test import Client

from annotate.models import Project, SavedView
from annotate.saved_views.actions import MOST
from tests.support.desks import colleague
from tests.support.pages import html_of, said
from tests.support.trusted import checklists_with_votes

pytestmark = pytest.mark.django_db
SAVE = "/p/fb/views/save/"
VIEW = {"name": "Strict", "page": "trust", "query": "epsilon=0.05"}


@pytest.fixture
def project() -> Project:
    return checklists_with_votes(4, labelled=3)[0]


@pytest.fixture
def lead(project: Project) -> Client:
    return colleague(project, "lead").client


@pytest.mark.parametrize("page", ["leaderboard", "agreement", "trust"])
def test_a_view_is_saved_listed_and_leads_back(lead: Client, page: str) -> None:
    answer = lead.post(SAVE, VIEW | {"page": page})
    assert answer.headers["Location"] == f"/p/fb/{page}/?epsilon=0.05"
    html = html_of(lead, f"/p/fb/{page}/")
    assert f'href="/p/fb/{page}/?epsilon=0.05"' in html
    assert "Strict" in said(html)


def test_the_same_name_replaces_what_it_named(lead: Client) -> None:
    lead.post(SAVE, VIEW)
    lead.post(SAVE, VIEW | {"query": "epsilon=0.2"})
    assert [view.query for view in SavedView.objects.all()] == ["epsilon=0.2"]


def test_only_leads_share_and_the_rest_is_ones_own(project: Project, lead: Client) -> None:
    viewer = colleague(project, "viewer").client
    viewer.post(SAVE, VIEW | {"name": "Mine", "shared": "1"})
    lead.post(SAVE, VIEW | {"name": "Ours", "shared": "1"})
    lead.post(SAVE, VIEW | {"name": "Hers"})
    assert not SavedView.objects.get(name="Mine").shared
    seen_by_lead, seen_by_viewer = (html_of(each, "/p/fb/trust/") for each in (lead, viewer))
    assert [name in seen_by_lead for name in ("Mine", "Ours", "Hers")] == [False, True, True]
    assert [name in seen_by_viewer for name in ("Mine", "Ours", "Hers")] == [True, True, False]


def test_one_deletes_ones_own_and_leads_what_is_shared(project: Project, lead: Client) -> None:
    viewer = colleague(project, "viewer").client
    lead.post(SAVE, VIEW | {"shared": "1"})
    shared = SavedView.objects.get()
    assert viewer.post(f"/p/fb/views/{shared.pk}/delete/").status_code == 404
    assert colleague(project, "lead").client.post(f"/p/fb/views/{shared.pk}/delete/").status_code == 302
    assert not SavedView.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [{"name": " "}, {"name": "x" * 81}, {"page": "people"}, {"query": "q=" + "x" * 500}],
    ids=["nameless", "a long name", "another page", "a long address"],
)
def test_what_cannot_be_saved_is_asked_for_again(lead: Client, wrong: dict[str, str]) -> None:
    answer = lead.post(SAVE, VIEW | wrong)
    assert answer.status_code == 422
    assert not SavedView.objects.exists()


def test_nobody_fills_the_page_with_views(project: Project, lead: Client) -> None:
    lead.post(SAVE, VIEW)
    made = SavedView.objects.get()
    SavedView.objects.bulk_create(
        SavedView(project=project, owner=made.owner, page="trust", name=f"n{number}") for number in range(MOST - 1)
    )
    assert lead.post(SAVE, VIEW | {"name": "One more"}).status_code == 422
    assert lead.post(SAVE, VIEW).status_code == 302


def test_what_was_saved_is_only_ever_a_query(lead: Client) -> None:
    lead.post(SAVE, VIEW | {"query": 'a=1#"><script>alert(1)</script>\n//elsewhere'})
    html = html_of(lead, "/p/fb/trust/")
    assert "<script>alert" not in html
    assert SavedView.objects.get().query.startswith("a=1%23")


def test_annotators_have_no_views(project: Project) -> None:
    assert colleague(project, "annotator").client.post(SAVE, VIEW).status_code == 403


def test_many_views_are_folded_and_open_with_the_one_that_is_shown(project: Project, lead: Client) -> None:
    for number in range(9):
        lead.post(SAVE, VIEW | {"name": f"View {number}", "query": f"epsilon=0.{number + 1}"})
    html = html_of(lead, "/p/fb/trust/")
    assert "3 more views" in said(html)
    folding = html.index("3 more views")
    assert html.index("Delete the view “View 5”") < folding < html.index("Delete the view “View 6”")
    folded = '<details class="fold fold--flush"'
    assert (f"{folded}>" in html, f"{folded} open>" in html_of(lead, "/p/fb/trust/?epsilon=0.9")) == (True, True)
