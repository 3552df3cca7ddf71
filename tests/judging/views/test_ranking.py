import re
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.models import Project
from tests.support.desks import colleague
from tests.support.pages import html_of, said
from tests.support.people import make_project
from tests.support.voted import bring, by_judge, on_a_pair, preference_project

pytestmark = pytest.mark.django_db
HERE, BATTLES = "/p/votes/ranking/", "/p/votes/ranking/battles/"


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    cache.clear()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """model-a won 8 of 12, one tie, one could not tell; the judge prefers model-b."""
    made = preference_project()
    votes = ["first"] * 8 + ["second"] * 3 + ["tie", "cannot_tell"]
    bring(made, tmp_path, *(on_a_pair(f"q{n}", choice) for n, choice in enumerate(votes)))
    bring(made, tmp_path, *(row for n in range(4) for row in by_judge(f"q{n}", "second", "second" if n else "first")))
    return made


@pytest.fixture
def lead(project: Project) -> Client:
    return colleague(project, "lead").client


def row_of(html: str, author: str) -> str:
    (row,) = re.findall(rf'<tr[^>]*><td class="num">(?:(?!</tr>).)*?<th scope="row">{author}</th>.*?</tr>', html, re.S)
    return said(row)


def test_people_come_first_and_every_number_opens_its_battles(lead: Client) -> None:
    html = html_of(lead, HERE)
    # 8 wins and half of a tie of 12: 70.8; ranks 1 and 2 are not told apart.
    assert row_of(html, "model-a").startswith("1–2 model-a 70.8")
    assert row_of(html, "model-b").endswith("12 3 1")
    assert "1 that could not tell" in said(html)
    opened = {}
    for address in re.findall(r'class="figure-link" href="([^"]+)"', html):
        answer = html_of(lead, address.replace("&amp;", "&"))
        (opened[address],) = re.findall(r'role="status">(\d+) battles?<', answer)
    assert sorted(map(int, opened.values())) == sorted([12, 8, 1, 12, 3, 1, 12, 4])


def test_a_judge_has_a_ranking_of_its_own(lead: Client, project: Project) -> None:
    judge = project.judges.get()
    html = html_of(lead, f"{HERE}?by={judge.pk}")
    # It said the second three times, and once something else in each order, which is a tie.
    assert "4 battles" in said(html)
    assert row_of(html, "model-b").endswith("4 too few 3 1")
    assert "judge-m" in said(html)


def test_battles_are_those_of_two_authors_with_the_items_that_they_are_about(lead: Client) -> None:
    html = html_of(lead, f"{BATTLES}?by=people&author=model-b&other=model-a&outcome=won")
    assert re.findall(r">(q\d+)</a>", html) == ["q8", "q9", "q10"]
    assert "No battle is like this." in html_of(lead, f"{BATTLES}?author=nobody")


@pytest.mark.parametrize("address", [f"{HERE}?by=999999", f"{HERE}?by=x", f"{BATTLES}?by=999999"])
def test_preferences_of_nobody_are_not_there(lead: Client, address: str) -> None:
    html_of(lead, address, status=404)


def test_without_preferences_the_page_says_what_it_takes() -> None:
    lead = colleague(preference_project(), "lead").client
    assert "Nobody has preferred one answer to another yet" in html_of(lead, HERE)
    assert "No battle is like this." in html_of(lead, BATTLES)


def test_a_stranger_finds_nothing(project: Project) -> None:
    stranger = colleague(make_project(slug="other"), "lead").client
    html_of(stranger, HERE, status=404)
    html_of(stranger, BATTLES, status=404)


@pytest.mark.parametrize("address", [HERE, BATTLES])
def test_queries_do_not_grow_with_the_votes(lead: Client, project: Project, tmp_path: Path, address: str) -> None:
    html_of(lead, address)
    with CaptureQueriesContext(connection) as few:
        html_of(lead, address)
    bring(project, tmp_path, *(on_a_pair(f"r{n}", "first") for n in range(20)))
    with CaptureQueriesContext(connection) as many:
        html_of(lead, address)
    assert len(many) <= len(few)
