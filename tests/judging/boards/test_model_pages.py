"""Boards of a thousand models: what a page weighs, and that every model is reached by its name and in every order."""

import gzip
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client

from annotate.models import Project
from judging.boards.intents.intent_pages import IntentCell, IntentRow, intent_page
from judging.boards.leaderboard import board as leaderboard_board
from judging.boards.leaderboard.charts import shown_models
from judging.boards.leaderboard.leaderboard_options import LeaderboardOptions
from judging.boards.model_pages import MOST_MODELS, ModelPageOptions, model_page
from judging.boards.ranking import board as ranking_board
from judging.boards.ranking.numbers import Ranked
from judging.boards.ranking.ranked_pages import ranked_page
from judging.boards.trust import board as trust_board
from judging.boards.trust.mean_pages import mean_page
from judging.models import Judge
from lib.stats.figures import Figure
from tests.support.desks import colleague
from tests.support.many_models import GROUPS, GeneratedReading, corrected_rows, names_of, ranked_models, share
from tests.support.pages import html_of
from tests.support.trusted import checklists_with_votes
from tests.support.voted import bring, on_a_pair, preference_project

MANY = 1000
MOST_BYTES, MOST_PACKED = 1_500_000, 250_000
NAMES = [f"Model {number}" for number in range(MANY)]


def names(**options: object) -> list[str]:
    return list(model_page(NAMES, ModelPageOptions(**options)).names)


@pytest.mark.parametrize("n", [0, 1, MOST_MODELS])
def test_models_that_have_room_stand_on_one_page_whatever_the_address_says(n: int) -> None:
    page = model_page(NAMES[:n], ModelPageOptions(start=50, find="nobody"))
    assert (list(page.names), page.is_long, page.before, page.after) == (NAMES[:n], False, None, None)


def test_pages_follow_each_other_and_end_with_the_last_model() -> None:
    assert names() == NAMES[:100]
    assert names(start=950) == NAMES[900:]
    assert names(start=5000) == NAMES[900:]
    last = model_page(NAMES, ModelPageOptions(start=900))
    assert (last.before, last.after, str(last)) == (800, None, "Models 901–1,000 of 1,000")


def test_a_part_of_the_name_is_enough_in_any_case_and_width() -> None:
    assert names(find=" model 900") == ["Model 900"]
    assert names(find="ＭＯＤＥＬ 90") == ["Model 90", *NAMES[900:910]]
    nobody = model_page(NAMES, ModelPageOptions(find="nobody", start=300))
    assert (list(nobody.names), str(nobody)) == ([], "No model has this name; 1,000 in all")
    assert str(model_page(NAMES, ModelPageOptions(find="900"))) == "Models 1–1 of 1 with this name; 1,000 in all"


def test_all_of_them_stand_on_one_page_on_request() -> None:
    page = model_page(NAMES, ModelPageOptions(rows="all"))
    assert (list(page.names), page.is_long, page.is_split) == (NAMES, True, False)


# The pages.


@pytest.fixture
def project(db: None, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A thousand models on its leaderboard and under Trust."""
    caches["local"].clear()
    project, _judge = checklists_with_votes()
    real_trust = trust_board.trust

    def readings(project: Project, judges: list[Judge]) -> list[GeneratedReading]:
        return [GeneratedReading(project, judge, "generated") for judge in judges]

    monkeypatch.setattr(leaderboard_board, "readings", readings)
    monkeypatch.setattr(
        trust_board, "trust", lambda *args, **more: replace(real_trust(*args, **more), corrected=corrected_rows(MANY))
    )
    return project


@pytest.fixture
def lead(project: Project) -> Client:
    return colleague(project, "lead").client


STANDINGS, HEAT, MEANS = 'id="standings"', 'class="heat-map', 'id="corrected"'
NAME = re.compile(r'<th scope="row">(?:<span[^>]*>\d+</span>)?(author \d+)</th>')


def models_in(html: str, table: str) -> list[str]:
    """The names of the rows of a table, which begins behind this text."""
    start = html.index(table)
    return NAME.findall(html[start : html.index("</table>", start)])


@pytest.mark.parametrize("address", ["leaderboard/", "leaderboard/?by=subtask", "trust/"])
def test_a_page_of_a_thousand_models_is_light(lead: Client, address: str) -> None:
    answer = lead.get(f"/p/fb/{address}")
    assert len(answer.content) < MOST_BYTES
    assert len(gzip.compress(answer.content)) < MOST_PACKED
    assert "Models 1–100 of 1,000" in answer.content.decode()


@pytest.mark.parametrize(("address", "tables"), [("leaderboard/", (STANDINGS, HEAT)), ("trust/", (MEANS,))])
def test_the_last_model_is_under_its_name(lead: Client, address: str, tables: Sequence[str]) -> None:
    html = html_of(lead, f"/p/fb/{address}?find=Author+000")
    assert [models_in(html, table) for table in tables] == [["author 000"] for _table in tables]


@pytest.mark.parametrize("sort", ["overall", "-rank", "weights/overall", "author", f"-group/{GROUPS[-1]}"])
def test_a_head_of_a_leaderboard_sorts_all_models(sort: str) -> None:
    """The first page holds the last hundred models; the heat map shows the same ones."""
    reading = GeneratedReading(Project(), Judge(), "generated")
    shown = shown_models(reading, LeaderboardOptions(sort=sort))
    assert shown.page.names == names_of(MANY)[:-101:-1]
    assert [row.author for row in shown.rows] == shown.page.names


def test_judges_are_compared_on_the_models_of_the_page() -> None:
    readings = [GeneratedReading(Project(), Judge(name=name), "generated") for name in ("one", "other")]
    page = shown_models(readings[0], LeaderboardOptions(find="author 09")).page
    compared = leaderboard_board.compare_judges(readings, page)
    assert [row.author for row in compared["beside_rows"]] == page.names
    assert (len(page.names), compared["missing"]) == (10, 0)


@pytest.mark.parametrize("sort", ["author", "overall/corrected", "-error_correction/labels"])
def test_a_head_of_corrected_means_sorts_all_models(sort: str) -> None:
    shown = mean_page(corrected_rows(MANY), ModelPageOptions(sort=sort, start=900))
    assert [row.author for row in shown["means"]] == names_of(MANY)[99::-1]


@pytest.mark.parametrize("sort", ["author", "-rank", "strength", "elo", "won"])
def test_a_head_of_a_ranking_sorts_all_models(sort: str) -> None:
    ranked = [(model, None) for model in ranked_models(MANY)]
    shown = ranked_page(ranked, ModelPageOptions(sort=sort, start=900), among=MANY, styled=False)
    assert [model.name for model, _adjusted in shown["rows"]] == names_of(MANY)[99::-1]


def test_a_ranking_of_a_thousand_models_is_light(monkeypatch: pytest.MonkeyPatch, db: None, tmp_path: Path) -> None:
    project, real = preference_project(), ranking_board.rankings
    bring(project, tmp_path, *(on_a_pair(f"q{number}", "first") for number in range(4)))

    def rankings(*args: Any, **more: Any) -> list[Ranked]:
        standings = ranked_models(MANY)
        return [replace(side, ranking=replace(side.ranking, standings=standings)) for side in real(*args, **more)]

    monkeypatch.setattr(ranking_board, "rankings", rankings)
    monkeypatch.setattr(ranking_board, "win_rates", lambda *_args: {})
    monkeypatch.setattr(ranking_board, "neighbours", lambda _ranking: [])
    lead = colleague(project, "lead").client
    html = html_of(lead, "/p/votes/ranking/?start=900&sort=-strength")
    assert len(html.encode()) < MOST_BYTES / 3
    assert "Models 901–1,000 of 1,000" in html
    assert models_in(html, STANDINGS) == names_of(MANY)[900:]
    assert models_in(html_of(lead, "/p/votes/ranking/?find=author+000"), STANDINGS) == ["author 000"]


def intent_lines(column: str, *, best_last: bool = False) -> list[IntentRow]:
    figures = [Figure(share(place, MANY), 5) for place in range(MANY)]
    cells = [IntentCell(column, figure) for figure in (figures if best_last else reversed(figures))]
    return [IntentRow(name, [cell]) for name, cell in zip(names_of(MANY), cells, strict=True)]


@pytest.mark.parametrize("sort", ["author", "by-intent/all", "-by-language/EN", "satisfied"])
def test_all_tables_of_intents_have_the_models_of_one_page(sort: str) -> None:
    tables = {"by-intent": intent_lines("all"), "by-language": intent_lines("EN", best_last=True)}
    satisfied = [(line.author, line.cells[0].figure or Figure(None, 0)) for line in tables["by-intent"]]
    shown = intent_page(tables, satisfied, ModelPageOptions(sort=sort))
    expected = names_of(MANY)[:-101:-1]
    assert [author for author, _figure in shown.satisfied] == expected
    assert [[line.author for line in lines] for lines in shown.tables.values()] == [expected, expected]


def test_tables_of_few_intents_keep_their_own_order() -> None:
    few, turned = intent_lines("all")[:3], intent_lines("EN")[2::-1]
    shown = intent_page({"by-intent": few, "by-language": turned}, [], ModelPageOptions(sort="author", start=2))
    assert list(shown.tables.values()) == [few, turned]


def test_every_head_of_figures_is_a_link_that_keeps_the_name(lead: Client) -> None:
    html = html_of(lead, "/p/fb/leaderboard/?find=author+0&start=100")
    links = [link.replace("&amp;", "&") for link in re.findall(r'class="sort-link" href="(\?[^"]+)#groups"', html)]
    assert len(links) == 1 + len(GROUPS)
    assert all("find=author+0" in link and "start" not in link and "hx-get" not in link for link in links)
    assert models_in(html_of(lead, f"/p/fb/leaderboard/{links[-1]}"), HEAT)[0] == "author 000"


def test_all_models_on_one_page_are_one_link_away(lead: Client) -> None:
    (link,) = set(re.findall(r'href="(/p/fb/trust/\?[^"]*rows=all)', html_of(lead, "/p/fb/trust/?start=300")))
    html = html_of(lead, link.replace("&amp;", "&"))
    assert len(models_in(html, MEANS)) == MANY
    assert "data-page" not in html


def test_models_that_are_not_on_the_page_are_chosen_by_name(lead: Client) -> None:
    html = html_of(lead, "/p/fb/leaderboard/?first=author+001&second=author+900&models=author+001&models=author+900")
    assert html.count('<option value="author ') == MANY  # one list for all fields
    assert re.search(r'name="first" value="author 001" list="all-models"', html)
    assert models_in(html, STANDINGS) == ["author 900", "author 001"]


def test_the_print_has_all_models(lead: Client) -> None:
    html = html_of(lead, "/p/fb/trust/one-page/?find=author+001")
    assert len(models_in(html, MEANS)) == MANY
    assert 'name="find"' not in html


def test_pages_and_fields_of_each_table_have_names_of_their_own(lead: Client) -> None:
    """Screen readers list them: there were several called Pages."""
    page = html_of(lead, "/p/fb/leaderboard/?by=subtask")
    labels = re.findall(r'<(?:nav|form)[^>]*aria-label="((?:Pages|Find by name)[^"]*)"', page)
    assert sorted(labels) == ["Find by name (Groups)", "Find by name (Models)", "Pages: Groups", "Pages: Models"]
