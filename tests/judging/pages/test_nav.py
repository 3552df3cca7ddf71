from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from annotate.kinds import all_kinds
from judging.boards.navigation import pages as nav_pages
from tests.support.desks import colleague
from tests.support.installation import ROOT
from tests.support.pages import html_of
from tests.support.people import make_project

NAV, HEAD = '{% include "judging/_nav.html"', '<header class="page__head">'
IN_A_ROW = 9  # more do not fit beside each other without a second line
ELSEWHERE = {"branches", "arithmetic"}  # what a judge or an endpoint did is told in projects of any kind


def pages() -> list[Path]:
    return [path for path in sorted((ROOT / "templates").rglob("*.html")) if NAV in path.read_text("utf-8")]


@pytest.mark.parametrize("path", pages(), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_way_between_pages_of_judging_stands_in_one_place_above_their_titles(path: Path) -> None:
    html = path.read_text("utf-8")
    assert html.index(NAV) < html.index(HEAD)
    assert html.count(NAV) == 1


def nav_of(client: Client, address: str) -> str:
    html = html_of(client, address)
    return html[html.index('id="judging-nav"') : html.index("</nav>", html.index('id="judging-nav"'))]


@pytest.mark.django_db
@pytest.mark.parametrize("kind", [kind.slug for kind in all_kinds().values() if kind.can_be_judged])
def test_every_page_of_a_kind_is_reached_from_every_other_and_stands_in_the_row_when_open(kind: str) -> None:
    project = make_project(slug="p", kind_slug=kind)
    lead = colleague(project, "lead").client
    own = [page.name for page in nav_pages() if page.of(project)]
    for name in own:
        nav = nav_of(lead, reverse(name, args=["p"]))
        row = nav.partition("<details")[0]
        assert {other for other in own if f'href="{reverse(other, args=["p"])}"' in nav} == set(own)
        assert f'href="{reverse(name, args=["p"])}" aria-current="page"' in row
        assert nav.count("aria-current") == 1
        assert row.count("<a ") <= IN_A_ROW


@pytest.mark.django_db
@pytest.mark.parametrize("kind", [kind.slug for kind in all_kinds().values() if kind.judges_answers])
def test_a_page_that_says_nothing_about_a_kind_is_neither_linked_nor_there(kind: str) -> None:
    project = make_project(slug="p", kind_slug=kind)
    lead = colleague(project, "lead").client
    nav = nav_of(lead, reverse("leaderboard", args=["p"]))
    for page in nav_pages():
        if not page.of(project):
            address = reverse(page.name, args=["p"])
            assert address not in nav
            assert lead.get(address).status_code == (200 if page.name in ELSEWHERE else 404), page.name


@pytest.mark.django_db
def test_an_open_page_to_which_a_kind_is_not_led_stands_in_the_row() -> None:
    lead = colleague(make_project(slug="p"), "lead").client
    row = nav_of(lead, reverse("branches", args=["p"]))
    assert f'href="{reverse("branches", args=["p"])}" aria-current="page"' in row.partition("<details")[0]


@pytest.mark.django_db
def test_only_leads_are_led_to_studies() -> None:
    project = make_project(slug="p")
    studies = reverse("studies", args=["p"])
    assert studies in nav_of(colleague(project, "lead").client, reverse("leaderboard", args=["p"]))
    assert studies not in nav_of(colleague(project, "viewer").client, reverse("leaderboard", args=["p"]))
