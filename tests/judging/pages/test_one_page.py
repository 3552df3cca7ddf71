import re
import shlex
from pathlib import Path

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.models import Project, Release
from judging.models import Judge
from tests.support.desks import colleague
from tests.support.files import command
from tests.support.judged import CORRECTION, answer_of, decided_item
from tests.support.pages import html_of, said
from tests.support.people import make_member
from tests.support.studies import answered_project, drawn, prefers, vote
from tests.support.trusted import checklists_with_votes, pairs_with_votes

pytestmark = pytest.mark.django_db
NUMBER = re.compile(r"[−+]?\d+(?:\.\d+)?")
SECTIONS = {
    "leaderboard": ("standings",),
    "agreement": ("beside", "pairs"),
    "trust": ("stand-in", "corrected", "calibration", "biases", "erring"),
}


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["local"].clear()


@pytest.fixture
def judged() -> tuple[Project, Judge]:
    return checklists_with_votes()


@pytest.fixture
def lead(judged: tuple[Project, Judge]) -> Client:
    return colleague(judged[0], "lead").client


def section(html: str, name: str) -> str:
    start = html.index(f'id="{name}"')
    return re.sub(r"<svg.*?</svg>", "", html[start : html.index("</section>", start)], flags=re.S)


@pytest.mark.parametrize("of", SECTIONS)
def test_its_figures_are_those_of_the_page(lead: Client, of: str) -> None:
    page, printed = html_of(lead, f"/p/fb/{of}/"), html_of(lead, f"/p/fb/{of}/one-page/")
    for name in SECTIONS[of]:
        numbers = [set(NUMBER.findall(said(section(html, name)))) for html in (page, printed)]
        assert numbers[1]
        assert numbers[1] <= numbers[0], name
        assert len(numbers[1]) >= len(numbers[0]) - 2  # a page may say how many authors there are


def test_the_query_is_that_of_the_page(lead: Client) -> None:
    printed = html_of(lead, "/p/fb/trust/one-page/?epsilon=0.05")
    assert "margin ε = 0.05" in said(printed)
    assert 'href="/p/fb/trust/?epsilon=0.05"' in printed


@pytest.mark.parametrize("of", SECTIONS)
def test_it_runs_no_script_and_its_command_works(lead: Client, of: str) -> None:
    html = html_of(lead, f"/p/fb/{of}/one-page/")
    assert "<script" not in html
    (line,) = re.findall(r"<code>(manage report [^<]+)</code>", html)
    words = shlex.split(line.replace("&#x27;", "'").replace("&quot;", '"'))
    assert words[-1] == "--json"
    assert command(*words[1:-1])[0] == 0


def test_it_names_the_release_and_what_was_left_out(lead: Client, judged: tuple[Project, Judge]) -> None:
    project, _judge = judged
    release = Release.objects.create(project=project, version=3, state="done", sha256="ab" * 32)
    html = said(html_of(lead, "/p/fb/trust/one-page/"))
    assert f"v3 · sha256 {'ab' * 32}" in html
    assert "16 answers scored by one side only" in html
    release.withdrawn_at = release.created_at
    release.save()
    assert "none yet" in said(html_of(lead, "/p/fb/trust/one-page/"))


def test_there_is_no_page_of_something_else_or_of_nothing(lead: Client) -> None:
    assert lead.get("/p/fb/blindspots/one-page/").status_code == 404
    Judge.objects.all().delete()
    assert lead.get("/p/fb/leaderboard/one-page/").status_code == 404


def test_annotators_read_none_of_it(judged: tuple[Project, Judge]) -> None:
    annotator = colleague(judged[0], "annotator").client
    assert {annotator.get(f"/p/fb/{of}/one-page/").status_code for of in SECTIONS} == {403}


def test_a_project_of_preferences_prints_too(tmp_path: Path) -> None:
    project = pairs_with_votes(tmp_path, 12)
    lead = colleague(project, "lead").client
    assert "Position" in html_of(lead, f"/p/{project.slug}/trust/one-page/")
    assert lead.get(f"/p/{project.slug}/leaderboard/one-page/").status_code == 404


@pytest.mark.parametrize("of", SECTIONS)
def test_it_asks_the_database_no_more_for_more_units(of: str) -> None:
    few, many = (queries_of(of, slug, items) for slug, items in (("few", 6), ("many", 18)))
    assert few == many
    assert few <= 20 + 1


def queries_of(of: str, slug: str, items: int) -> int:
    """Of the first look after a change."""
    project, _judge = checklists_with_votes(items, slug=slug, labelled=items // 2)
    answer_of(decided_item(project, CORRECTION), "Alpha-7B")  # that nobody has judged: was it tried in vain?
    reader = colleague(project, "lead").client
    reader.get("/")
    with CaptureQueriesContext(connection) as asked:
        html_of(reader, f"/p/{slug}/{of}/one-page/")
    return len(asked)


def test_of_fields_there_is_no_command() -> None:
    """Two people wrote the same items: what is compared is their fields, which no report of the command line does."""
    study = drawn(answered_project(items=2), overlap=2, authors=("Opal-9B", "Beryl"))
    for member in [make_member(study.project, "annotator") for _number in range(2)]:
        for _item in range(2):
            vote(member, prefers("first"))
    html = html_of(colleague(study.project, "lead").client, "/p/votes/agreement/one-page/")
    assert "manage report" not in html
    assert "There is no command for fields" in said(html)
