import csv
import io
import re

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.models import Project
from tests.support.desks import colleague
from tests.support.judged import CORRECTION, decided_item
from tests.support.pages import following, html_of, said
from tests.support.people import make_project

pytestmark = pytest.mark.django_db
PAGE = "/p/fb/statistics/"


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["local"].clear()


@pytest.fixture
def project() -> Project:
    return make_project(slug="fb")


@pytest.fixture
def lead(project: Project) -> Client:
    return colleague(project, "lead").client


def test_without_items_the_page_says_so(lead: Client) -> None:
    assert "No items here" in html_of(lead, PAGE)


def test_every_bar_leads_to_as_many_items_as_it_counts(project: Project, lead: Client) -> None:
    for feedback in ("Short.", "A little longer than that.", "x" * 900):
        decided_item(project, CORRECTION, feedback=feedback)
    html = html_of(lead, PAGE)
    labelled = re.findall(r'href="(/p/fb/statistics/items/\?[^"]+)">[^<]*</a></th><td class="num">(\d+)<', html)
    measured = re.findall(r'class="figure-link" href="(/p/fb/statistics/items/\?[^"]+)">(\d+)<', html)
    assert len(labelled) >= 5
    assert len(measured) >= 4
    for address, count in labelled + measured:
        assert html_of(lead, address.replace("&amp;", "&")).count('class="row-link num"') == int(count)


def test_a_state_and_a_unit_can_be_chosen(project: Project, lead: Client) -> None:
    decided_item(project, CORRECTION)
    assert "No items here" in html_of(lead, f"{PAGE}?state=dropped")
    assert "tokens (estimated) · n = 1" in said(html_of(lead, f"{PAGE}?state=accepted&unit=tokens"))


@pytest.mark.parametrize("query", ["state=x&unit=y", "state=%00", "unit=" + "9" * 5000])
def test_strange_words_choose_nothing(project: Project, lead: Client, query: str) -> None:
    decided_item(project, CORRECTION)
    assert "n = 1" in html_of(lead, f"{PAGE}?{query}")


def test_items_behind_a_bar_come_in_pages(project: Project, lead: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judging.boards.statistics.board.PAGE", 2)
    keys = [decided_item(project, CORRECTION).key for _number in range(3)]
    first = html_of(lead, f"{PAGE}items/?of=task_type&value=Coding")
    second = html_of(lead, following(first, "next"))
    shown = [re.findall(r'class="row-link num"[^>]*>([^<]+)<', html) for html in (first, second)]
    assert shown == [keys[:2], keys[2:]]
    assert re.findall(r'class="row-link num"[^>]*>([^<]+)<', html_of(lead, following(second, "prev"))) == keys[:2]


def test_the_table_can_be_downloaded_and_holds_no_formula(project: Project, lead: Client) -> None:
    decided_item(project, CORRECTION, task_type="=cmd()")
    answer = lead.get(f"{PAGE}statistics.csv?state=accepted")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert 'filename="fb-statistics-accepted.csv"' in answer["Content-Disposition"]
    assert {"of": "task_type", "what": "label", "value": "'=cmd()", "items": "1", "share": "1.0"}.items() <= rows[
        0
    ].items()
    assert {"median characters", "p95 tokens", "tokens"} <= {row["what"] for row in rows}


def test_as_many_queries_for_many_items(project: Project, lead: Client) -> None:
    counts = []
    for _time in range(2):
        for _number in range(3):
            decided_item(project, CORRECTION)
        with CaptureQueriesContext(connection) as queries:
            html_of(lead, PAGE)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 10


def test_items_of_another_project_are_nowhere(project: Project, lead: Client) -> None:
    decided_item(make_project(slug="other"), CORRECTION)
    assert "No items here" in html_of(lead, PAGE)
    assert "No matching items." in html_of(lead, f"{PAGE}items/?of=task_type&value=Coding")


def test_an_annotator_and_a_stranger_see_nothing(project: Project) -> None:
    assert colleague(project, "annotator").client.get(PAGE).status_code == 403
    assert colleague(make_project(), "lead").client.get(PAGE).status_code == 404


def many_labels(project: Project, number: int) -> None:
    for place in range(number):
        decided_item(project, CORRECTION, sub_task_type=f"Sort {place:02}")


def drawn_and_said(lead: Client) -> tuple[int, str]:
    html = html_of(lead, PAGE)
    panel = html[html.index('id="of-sub_task_type"') :]
    panel = panel[: panel.index("</section>")]
    wide = panel[panel.index("fit--780") : panel.index("fit--1180")]
    return wide.count('class="bar"'), panel


def test_twenty_four_bars_are_all_drawn(project: Project, lead: Client) -> None:
    many_labels(project, 24)
    bars, panel = drawn_and_said(lead)
    assert bars == 24
    assert "not shown" not in said(panel)


def test_bars_for_which_there_is_no_room_are_counted_and_the_table_has_them(project: Project, lead: Client) -> None:
    many_labels(project, 43)
    bars, panel = drawn_and_said(lead)
    assert bars == 40
    assert "3 more bars are not shown" in said(panel)
    target = re.findall(r'href="#([^"]+)"', panel)[-1]
    assert panel[panel.index(f'id="{target}"') :].count("<tr>") == 44
