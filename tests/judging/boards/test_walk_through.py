"""The promise that a board is one folder: the one of docs/boards.md, from its tab to its line in the access matrix."""

import csv
import io
import json
import re
import sys
from collections.abc import Iterator
from importlib import reload
from pathlib import Path

import pytest
from django.conf import settings
from django.core.cache import caches
from django.core.management import CommandError, call_command
from django.test import Client, override_settings
from django.urls import clear_url_caches, reverse

import config.urls
import judging.boards
import judging.urls
from annotate.doors import table
from annotate.models import Project, SavedView
from judging.boards import board as board_module
from judging.boards import navigation
from judging.models import Judge
from tests.security.lines import board_lines
from tests.support.desks import colleague
from tests.support.judged import CORRECTION, a_judge, answer_of, decided_item, verdict_on
from tests.support.pages import html_of, said
from tests.support.people import make_project
from tests.test_docs import code

pytestmark = pytest.mark.django_db
HERE = "/p/p/answer-lengths/"


def find_again() -> None:
    """Forget the boards that were found, and the addresses made of them."""
    for found in (board_module.boards, board_module.reports, table.all_pages, table.existing_pages):
        found.cache_clear()
    for module in (judging.urls, config.urls):
        reload(module)
    clear_url_caches()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "answer_lengths"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    for name, text in zip(("numbers.py", "board.py"), code("docs/boards.md", "python"), strict=True):
        (folder / name).write_text(text)
    (template,) = code("docs/boards.md", "html")
    (folder / "_numbers.html").write_text(template)
    there = [*judging.boards.__path__, str(tmp_path)]
    monkeypatch.setattr(judging.boards, "__path__", there)
    assert judging.boards.__spec__ is not None
    monkeypatch.setattr(judging.boards.__spec__, "submodule_search_locations", there)
    (engine,) = settings.TEMPLATES
    caches["local"].clear()
    with override_settings(TEMPLATES=[engine | {"DIRS": [*engine["DIRS"], tmp_path]}]):
        find_again()
        yield folder
    monkeypatch.undo()
    find_again()
    for module in [name for name in sys.modules if name.startswith("judging.boards.answer_lengths")]:
        del sys.modules[module]


@pytest.fixture
def project() -> Project:
    return make_project(slug="p")


@pytest.fixture
def judge(project: Project) -> Judge:
    """Alpha: two short answers with 1.0 and 0.0, a long one with 1.0; one answer of Beta cannot be read."""
    judge = a_judge(project)
    for text, met in (("a" * 200, (1, 1)), ("b", (0, 0)), ("c" * 1001, (1, 1))):
        verdict_on(answer_of(decided_item(project, CORRECTION), "Alpha", text=text), judge, met)
    verdict_on(answer_of(decided_item(project, CORRECTION), "Beta"), judge, (None, None), reading="unparsed")
    return judge


@pytest.fixture
def lead(project: Project) -> Client:
    return colleague(project, "lead").client


def told(*words: str) -> dict[str, object]:
    out = io.StringIO()
    call_command("report", "p", "answer_lengths", *words, "--json", stdout=out)
    return dict(json.loads(out.getvalue()))


def test_it_shows_its_numbers_and_each_opens_its_items(lead: Client, judge: Judge) -> None:
    html = html_of(lead, HERE)
    assert "Alpha short 50.00" in said(html)
    counts = {}
    for address, shown in re.findall(r'class="figure-link" href="([^"]+)">(\d+)<', html):
        opened = html_of(lead, address.replace("&amp;", "&"))
        (counts[address],) = re.findall(r'role="status">(\d+) items?<', opened)
        assert counts[address] == shown
    assert sorted(counts.values()) == ["1", "2"]
    assert lead.get(f"{HERE}units/?of=nothing").status_code == 404


def test_before_anything_is_judged_the_page_says_so_and_there_are_no_files(lead: Client) -> None:
    assert "Nothing has been judged yet" in html_of(lead, HERE)
    assert lead.get(f"{HERE}answer-lengths.json").status_code == 404


def test_words_of_the_address_count_fall_back_or_give_404(lead: Client, judge: Judge) -> None:
    assert "Alpha medium 100.00" in said(html_of(lead, f"{HERE}?short=100"))
    assert "Alpha short 50.00" in said(html_of(lead, f"{HERE}?short=-4&long=many"))
    assert lead.get(f"{HERE}?judge=987654").status_code == 404


def test_its_files_and_its_report_hold_the_numbers_of_the_page(lead: Client, judge: Judge) -> None:
    value = json.loads(lead.get(f"{HERE}answer-lengths.json").content)
    assert [(row["author"], row["length"], row["score"]["value"], row["score"]["n"]) for row in value["rows"]] == [
        ("Alpha", "short", 0.5, 2),
        ("Alpha", "long", 1.0, 1),
    ]
    assert (value["n"], value["left_out"]["answers without a score that can be read"]) == (3, 1)
    assert "opened" not in value
    answer = lead.get(f"{HERE}answer-lengths.csv")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="p-answer-lengths.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert [(row["length"], row["score_value"], row["score_n"]) for row in rows] == [
        ("short", "0.5", "2"),
        ("long", "1.0", "1"),
    ]
    assert told() == value
    assert told("--option", "short=100")["rows"][1]["length"] == "medium"  # type: ignore[index]
    for words in ("short=none", "unknown=1"):
        with pytest.raises((CommandError, SystemExit)):
            told("--option", words)


def test_its_print_says_what_it_stands_on_and_how_to_make_it_again(lead: Client, judge: Judge) -> None:
    text = said(html_of(lead, f"{HERE}one-page/?short=100"))
    assert "Alpha medium 100.00" in text
    assert "1 answers without a score that can be read" in text
    assert "--option short=100 --json" in text
    assert "figure-link" not in html_of(lead, f"{HERE}one-page/")


def test_its_views_are_saved(lead: Client, judge: Judge) -> None:
    lead.post("/p/p/views/save/", {"name": "Tiny", "page": "answer_lengths", "query": "short=5"})
    assert SavedView.objects.get().page == "answer_lengths"
    assert f'href="{HERE}?short=5"' in html_of(lead, HERE)


def test_it_stands_among_the_results_in_its_place(lead: Client, judge: Judge) -> None:
    listed = html_of(lead, reverse("results", args=["p"]))
    assert f'href="{HERE}">Answers by length</a>' in listed
    assert "Do longer answers get better scores?" in listed
    assert "Answers by length</a>" not in html_of(lead, reverse("leaderboard", args=["p"]))
    names = [board.slug for board in navigation.placed_boards()]
    assert names.index("rating_bias") < names.index("answer_lengths") < names.index("judge_settings")


@pytest.mark.parametrize("role", ["reviewer", "viewer", "annotator"])
def test_readers_see_it_and_annotators_do_not(project: Project, judge: Judge, role: str) -> None:
    assert colleague(project, role).client.get(HERE).status_code == (403 if role == "annotator" else 200)


def test_whoever_votes_on_the_answers_does_not_see_their_authors(judge: Judge) -> None:
    votes = make_project(slug="votes", kind_slug="score_vote")
    statuses = {role: colleague(votes, role).client.get("/p/votes/answer-lengths/").status_code for role in ROLES}
    assert statuses == {"lead": 200, "viewer": 200, "reviewer": 403}


ROLES = ("lead", "viewer", "reviewer")


def test_it_is_not_there_where_nobody_judges_answers_nor_for_strangers(client: Client, judge: Judge) -> None:
    prompts = make_project(slug="prompts", kind_slug="prompt")
    lead_of_prompts = colleague(prompts, "lead").client
    assert lead_of_prompts.get("/p/prompts/answer-lengths/").status_code == 404
    assert lead_of_prompts.get(HERE).status_code == 404
    assert client.get(HERE).status_code == 302


def test_its_addresses_stand_in_the_access_matrix() -> None:
    lines = {line.address: line.expected for line in board_lines() if line.address.startswith("answer_lengths")}
    endings = ("", "_json", "_csv", "_units", "_one_page")
    assert set(lines) == {f"answer_lengths{ending}" for ending in endings}
    assert lines["answer_lengths"] == {
        "anonymous": "sign-in",
        "stranger": "404",
        "viewer": "ok",
        "annotator": "403",
        "reviewer": "ok",
        "lead": "ok",
        "staff": "404",
    }
