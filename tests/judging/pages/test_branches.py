"""The pages about judging by criteria: what they show, where their numbers lead, and who sees them."""

import re

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.models import Project
from judging.models import Judge
from lib.charts.marks import WIDTHS
from tests.support.branched import (
    branching_project,
    compared_and_corrected,
    pair_judge,
    single_judge,
)
from tests.support.desks import colleague
from tests.support.pages import html_of, said
from tests.support.people import make_project

pytestmark = pytest.mark.django_db
PAGES = ("", "criteria/", "gain/", "systems/")
BASE = "/p/trees/branches/"


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["local"].clear()


@pytest.fixture
def project() -> Project:
    return branching_project(slug="trees")


@pytest.fixture
def lead(project: Project) -> Client:
    return colleague(project, "lead").client


@pytest.mark.parametrize("part", PAGES)
def test_where_nothing_is_judged_the_page_says_what_to_do(lead: Client, part: str) -> None:
    html = html_of(lead, f"{BASE}{part}")
    assert 'id="empty"' in html
    assert "yet" in html
    if not part:
        assert "?run-purpose=judge" in html[html.index('id="empty"') :].partition("</section>")[0]


def test_every_share_opens_exactly_its_pairs(project: Project, lead: Client) -> None:
    """The page says a share of n; what it opens says the same n, and those that count make the share."""
    compared_and_corrected(project)
    html = html_of(lead, BASE)
    links = re.findall(r'href="(/p/trees/branches/pairs/\?[^"]+)">([\d.]+)</a>', html)
    assert len({address for address, _share in links}) >= 14
    for address, share in links:
        address = address.replace("&amp;", "&")
        every, counting = (
            int(re.search(r'role="status">(\d+) pairs?<', html_of(lead, at))[1])  # type: ignore[index]
            for at in (address, f"{address}&which=yes")
        )
        assert f"{100 * counting / every:.1f}" == share, address


def test_a_curve_is_drawn_and_said_in_a_table(project: Project, lead: Client) -> None:
    compared_and_corrected(project)
    html = html_of(lead, BASE)
    assert html.count('class="chart by-number"') == len(WIDTHS)
    assert "exchanged" in said(html)
    assert "Without pairs that people call “equal”" in said(html)


def test_pairs_show_what_was_said_criterion_by_criterion(project: Project, lead: Client) -> None:
    compared_and_corrected(project, "second")
    judge = pair_judge(project)
    html = said(html_of(lead, f"{BASE}pairs/?judge={judge.pk}&of=consistency&n=1"))
    assert "Human label: second answer" in html.replace(" :", ":")
    assert "Clarity 1 2" in html
    assert "Correctness" not in html
    assert "swapped order: equal" in html


def test_criteria_open_their_pairs_and_those_that_never_decide_are_marked(project: Project, lead: Client) -> None:
    compared_and_corrected(project)
    html = html_of(lead, f"{BASE}criteria/")
    assert "never decides" in said(html)
    (address, n) = re.findall(r'href="([^"]+cluster=0)">(\d+)<', html)[0]
    assert n == "6"
    assert "3 pairs" in said(html_of(lead, address.replace("&amp;", "&")))
    assert "trees accepted by people" in html
    assert html_of(lead, f"{BASE}criteria/?of=trees").count("<table") == 2


def test_a_gain_opens_its_items_with_what_changed(project: Project, lead: Client) -> None:
    compared_and_corrected(project)
    html = html_of(lead, f"{BASE}gain/")
    assert "+3.00" in said(html)
    address = re.search(r'href="([^"]+which=better)">3<', html)[1].replace("&amp;", "&")  # type: ignore[index]
    opened = html_of(lead, address)
    assert opened.count("<article") == 3 * 2  # each item with its difference
    assert "<ins" in opened
    assert "1.00 → 4.00" in said(opened)
    assert "No matching items." in html_of(lead, address.replace("better", "worse"))


def test_systems_stand_beside_people(project: Project, lead: Client) -> None:
    compared_and_corrected(project, "second", "second")
    html = said(html_of(lead, f"{BASE}systems/"))
    assert "People: win rate" in html
    assert "n = 2" in html
    assert "rank 1" in html
    assert 'class="chart scatter"' in html_of(lead, f"{BASE}systems/?left=1&right=0")


@pytest.mark.parametrize(
    "query", ["?judge=0", "?judge=x", "criteria/?of=99999", "pairs/?judge=1&of=nothing", "gain/items/?judge=1&author=x"]
)
def test_what_is_not_there_is_not_found(project: Project, lead: Client, query: str) -> None:
    compared_and_corrected(project)
    assert lead.get(f"{BASE}{query}").status_code == 404


@pytest.mark.parametrize("query", ["?by=password", "pairs/?of=agreement&n=99&start=x", "systems/?left=9&right=-1"])
def test_strange_words_choose_nothing(project: Project, lead: Client, query: str) -> None:
    compared_and_corrected(project)
    assert lead.get(f"{BASE}{query}").status_code == 200


def test_the_entry_stands_where_items_hold_labels(project: Project, lead: Client) -> None:
    assert f'href="{BASE}"' in html_of(lead, "/p/trees/leaderboard/")
    other = make_project(slug="fb")
    assert "/p/fb/branches/" not in html_of(colleague(other, "lead").client, "/p/fb/leaderboard/")


@pytest.mark.parametrize(
    "part", [*PAGES, "pairs/?of=agreement", "pairs/?cluster=0", "gain/items/?judge={}&author=model-a%2Bcorrection"]
)
def test_at_most_twenty_queries_however_many_pairs(project: Project, lead: Client, part: str) -> None:
    counts = []
    for _time in range(2):
        compared_and_corrected(project)
        with CaptureQueriesContext(connection) as queries:
            html_of(lead, BASE + part.format(single_judge(project).pk))
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 20


def test_an_annotator_and_a_stranger_see_nothing(project: Project) -> None:
    for page in PAGES:
        assert colleague(project, "annotator").client.get(f"{BASE}{page}").status_code == 403
        assert colleague(make_project(), "lead").client.get(f"{BASE}{page}").status_code == 404


def test_the_list_of_judges_leads_to_the_curves_of_those_that_go_through_criteria(
    project: Project, lead: Client
) -> None:
    compared_and_corrected(project, "second")
    html = html_of(lead, "/p/trees/judges/")
    assert html.count(f'<a class="small" href="{BASE}">') == 2


@pytest.mark.parametrize(
    "page", ["gain/", "systems/", "pairs/?judge={pair}&of=agreement", "gain/items/?judge={single}"]
)
def test_simulated_judges_are_called_so(project: Project, lead: Client, page: str) -> None:
    compared_and_corrected(project)
    asked = BASE + page.format(pair=pair_judge(project).pk, single=single_judge(project).pk)
    if page.startswith("gain/items"):
        asked += "&author=model-a%2Bcorrection"
    assert "no real model has read this" not in html_of(lead, asked)
    Judge.objects.filter(project=project).update(simulated=True)
    caches["local"].clear()
    assert "no real model has read this" in html_of(lead, asked)
