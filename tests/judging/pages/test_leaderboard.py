import csv
import io
import re
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.models import Item, Project
from judging.models import Judge, Verdict
from tests.support.desks import colleague
from tests.support.judge_rows import make_judge
from tests.support.judged import CORRECTION, MAINTENANCE, a_judge, answer_of, decided_item, verdict_on
from tests.support.pages import html_of, said
from tests.support.people import make_project

pytestmark = pytest.mark.django_db
BOARD = "/p/fb/leaderboard/"
# author -> what is met of a correction (weights 0.6, 0.4) and of a maintenance (two questions, one is enough)
MET = {"Alpha": ((1, 1), (1, 1)), "Beta": ((1, 0), (0, 1)), "Gamma": ((0, 1), (0, 0))}


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["local"].clear()


@pytest.fixture
def project() -> Project:
    return make_project(slug="fb")


@pytest.fixture
def lead(project: Project) -> Client:
    return colleague(project, "lead").client


def judged(project: Project, judge: Judge | None = None, *, authors: Any = MET, items: int = 2) -> Judge:
    """Everybody's answers to as many items of each scenario, judged. 100.00, 80.00 and 20.00 overall."""
    judge = judge or a_judge(project)
    for draft, place in ((CORRECTION, 0), (MAINTENANCE, 1)):
        for _number in range(items):
            item = decided_item(project, draft)
            for author in authors:
                verdict_on(answer_of(item, author), judge, MET[author][place])
    return judge


def row_of(html: str, author: str) -> str:
    (row,) = re.findall(rf"<tr[^>]*>(?:(?!</tr>).)*?</span>{author}</th>.*?</tr>", section(html, "standings"), re.S)
    return said(row)


def section(html: str, name: str) -> str:
    start = html.index(f'id="{name}"')
    return html[start : html.index("</section>", start)]


def authors_in_order(html: str) -> list[str]:
    return re.findall(r"</span>(\w+)</th>", section(html, "standings"))


# --- the table --------------------------------------------------------------------------------------------------------
def test_authors_stand_with_their_averages_best_first(project: Project, lead: Client) -> None:
    judged(project)
    html = html_of(lead, BOARD)
    assert authors_in_order(html) == ["Alpha", "Beta", "Gamma"]
    # Beta: corrections (1, 0) of weights 0.6 and 0.4, maintenance met by one question: (60 + 100) / 2
    assert "Beta 80.00" in row_of(html, "Beta")
    assert "60.00" in row_of(html, "Beta")
    assert "20.00" in row_of(html, "Gamma")


def test_the_other_rule_has_a_column_of_its_own(project: Project, lead: Client) -> None:
    judged(project)
    html = html_of(lead, BOARD)
    assert "strict: all criteria" in html
    assert "lenient: any criterion" not in section(html, "standings")
    # Beta meets one of two questions of each maintenance: 100 by the rule in use, 0 if every one must be met.
    assert "100.00 too few 0.00 4" in row_of(html, "Beta")


def test_nothing_judged_says_what_comes_first(project: Project, lead: Client) -> None:
    html = html_of(lead, BOARD)
    assert "Nothing has been judged yet" in html
    assert 'id="standings"' not in html
    assert "0 items can be judged." in said(html)
    assert "0 models have answered." in said(html)
    assert "run-purpose=" not in html
    decided_item(project, CORRECTION)
    assert 'href="/p/fb/runs/new/?run-purpose=answer"' in html_of(lead, BOARD)


def test_with_answers_and_no_verdict_the_next_step_is_to_let_a_model_judge(project: Project, lead: Client) -> None:
    item = decided_item(project, CORRECTION)
    for name in ("Alpha", "Beta"):
        answer_of(item, name)
    html = html_of(lead, BOARD)
    assert "1 item can be judged." in said(html)
    assert "2 models have answered." in said(html)
    assert 'href="/p/fb/runs/new/?run-purpose=judge"' in html
    viewer = colleague(project, "viewer").client
    assert "run-purpose=judge" not in html_of(viewer, BOARD)


def test_one_author_alone_has_a_page(project: Project, lead: Client) -> None:
    judged(project, authors=["Alpha"])
    html = html_of(lead, BOARD)
    assert authors_in_order(html) == ["Alpha"]
    assert "There is only one model." in html
    assert "There is only one judge so far." in html


def test_one_scenario_alone_has_nothing_to_set_against_each_other(project: Project, lead: Client) -> None:
    verdict_on(answer_of(decided_item(project, CORRECTION), "Alpha"), a_judge(project), (1, 0))
    assert "all items belong to one scenario" in html_of(lead, BOARD)


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("author", ["Alpha", "Beta", "Gamma"]),
        ("-author", ["Gamma", "Beta", "Alpha"]),
        ("overall", ["Gamma", "Beta", "Alpha"]),
        ("-failed", ["Gamma", "Alpha", "Beta"]),
        ("all/response_maintenance", ["Beta", "Gamma", "Alpha"]),
        ("nonsense", ["Alpha", "Beta", "Gamma"]),
    ],
)
def test_a_column_sorts(project: Project, lead: Client, sort: str, expected: list[str]) -> None:
    judge = judged(project)
    failed = answer_of(decided_item(project, CORRECTION), "Gamma")
    verdict_on(failed, judge, (), reading="failed")
    assert authors_in_order(html_of(lead, f"{BOARD}?sort={sort}")) == expected


def test_the_column_in_use_says_so_and_turns_round(project: Project, lead: Client) -> None:
    judged(project)
    html = html_of(lead, f"{BOARD}?sort=-n")
    assert re.search(r'aria-sort="descending"><a[^>]*sort=n', html)


# --- every number opens its answers -----------------------------------------------------------------------------------
def test_every_linked_number_of_answers_opens_so_many(project: Project, lead: Client) -> None:
    judge = judged(project)
    old = answer_of(decided_item(project, CORRECTION), "Alpha")
    verdict_on(old, judge, (1, 1), case_sha="0" * 64)
    verdict_on(answer_of(decided_item(project, CORRECTION), "Beta"), judge, (), reading="failed")
    verdict_on(answer_of(decided_item(project, CORRECTION), "Beta"), judge, (), reading="unparsed")
    verdict_on(answer_of(decided_item(project, CORRECTION), "Gamma"), judge, (1, None))
    verdict_on(answer_of(decided_item(project, CORRECTION), "Alpha"), judge, (1, 1))
    answer_of(decided_item(project, CORRECTION), "Gamma")
    # Gamma has answered less than Alpha: their difference is about what both have.
    html = html_of(lead, f"{BOARD}?first=Alpha&second=Gamma")
    figures = re.findall(r'<a class="figure-link" href="(/p/fb/leaderboard/items/\?[^"]*)">(\d+)</a>', html)
    assert len(figures) == 3 + 1 + 1 + 5 + 3  # n of each; failed; flagged; what was left out; of the pair
    for address, figure in figures:
        listed = html_of(lead, address.replace("&amp;", "&"))
        assert listed.count('<a class="row-link num"') == int(figure), address


def test_a_cell_of_a_group_opens_the_answers_of_that_group(project: Project, lead: Client) -> None:
    judge = judged(project)
    other = decided_item(project, CORRECTION, task_type="Mathematics", sub_task_type="Algebra")
    verdict_on(answer_of(other, "Alpha"), judge, (0, 1))
    html = section(html_of(lead, f"{BOARD}?by=task&column=error_correction"), "groups")
    cells = re.findall(
        r'<a class="cell [^"]*" href="([^"]*)" aria[^>]*><b>([\d.]+)</b><span class="cell__n">n = (\d+)', html
    )
    found = {(value, n) for _address, value, n in cells}
    assert found == {("100.0", "2"), ("40.0", "1"), ("60.0", "2"), ("40.0", "2")}
    for address, _value, n in cells:
        assert html_of(lead, address.replace("&amp;", "&")).count('<a class="row-link num"') == int(n)


def test_items_come_page_by_page(project: Project, lead: Client) -> None:
    judge = judged(project, authors=["Alpha"], items=26)
    seen: list[str] = []
    address = f"{BOARD}items/?judge={judge.pk}"
    while address:
        html = html_of(lead, address)
        seen += re.findall(r'<a class="row-link num" href="/p/fb/items/(\d+)/verdicts/', html)
        following = re.findall(r'href="([^"]+)" rel="next"', html)
        address = following[0].replace("&amp;", "&") if following else ""
    assert len(seen) == len(set(seen)) == 52
    (back,) = re.findall(r'href="([^"]+)" rel="prev"', html)
    first = html_of(lead, back.replace("&amp;", "&"))
    assert re.findall(r'<a class="row-link num" href="/p/fb/items/(\d+)/verdicts/', first) == seen[:50]


def test_the_list_of_answers_stands_alone_as_a_fragment(project: Project, lead: Client) -> None:
    judged(project)
    html = html_of(lead, f"{BOARD}items/", headers={"HX-Request": "true"})
    assert html.strip().startswith('<section class="panel" id="scored"')
    assert "<html" not in html


def test_the_number_of_the_charts_stands_beside_the_rank_only_where_charts_use_it(
    project: Project, lead: Client
) -> None:
    judged(project)
    numbers = re.findall(r'<span class="(place[^"]*)">', section(html_of(lead, BOARD), "standings"))
    assert numbers
    assert set(numbers) == {"place num only-narrow"}


# --- parts of the page ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("part", ["standings", "groups", "pair"])
def test_a_part_stands_alone_as_a_fragment(project: Project, lead: Client, part: str) -> None:
    judged(project)
    html = html_of(lead, BOARD, headers={"HX-Request": "true", "HX-Target": part})
    assert re.match(rf'\s*<section class="[\w ]+" id="{part}"', html)
    assert "<html" not in html


def test_a_difference_says_who_is_ahead(project: Project, lead: Client) -> None:
    judged(project, items=10)
    pair = said(section(html_of(lead, f"{BOARD}?first=Gamma&second=Alpha"), "pair"))
    # No item differs from another, so neither does any draw: Gamma has 40 of 100, Alpha all.
    assert "Error correction −60.00 −60.0 to −60.0 Alpha is ahead 10" in pair
    equal = said(section(html_of(lead, f"{BOARD}?first=Alpha&second=Alpha"), "pair"))
    assert "Choose two different models." in equal


def test_a_difference_over_few_items_names_nobody(project: Project, lead: Client) -> None:
    judged(project, items=4)
    pair = said(section(html_of(lead, f"{BOARD}?first=Gamma&second=Alpha"), "pair"))
    assert "Error correction −60.00 – too few 4" in pair
    assert "is ahead" not in pair


def test_several_judges_stand_side_by_side(project: Project, lead: Client) -> None:
    one, other = judged(project), a_judge(project, "other judge")
    answers = {verdict.first for verdict in Verdict.objects.select_related("first__author", "first__item__project")}
    for answer in answers:
        if answer.author.name != "Gamma":
            verdict_on(answer, other, (0, 0) if answer.author.name == "Alpha" else (1, 1))
    html = section(html_of(lead, f"{BOARD}?judge={one.pk}&beside={other.pk}"), "judges")
    assert "Alpha 100.00 100.00 100.00 0.00 0.00 0.00" in said(html)
    assert "1 model is left out" in said(html)
    assert "−1.00" in said(html)  # they put the two authors in opposite orders


def test_a_chosen_few_are_drawn(project: Project, lead: Client) -> None:
    judge = judged(project)
    for task, subtask in (("Mathematics", "Algebra"), ("Reasoning", "IQ Questions")):
        item = decided_item(project, CORRECTION, task_type=task, sub_task_type=subtask)
        for author in MET:
            verdict_on(answer_of(item, author), judge, (1, 0))
    html = section(html_of(lead, f"{BOARD}?pick=Gamma&pick=Beta"), "radar-head")
    legend = html[: html.index("</ul>")]
    assert re.findall(r"</svg>(\w+)</li>", legend) == ["Gamma", "Beta"]
    assert "series-2" in html
    assert "series-3" not in html


def in_german(item: Item) -> Item:
    item.language = "de"
    item.save(update_fields=["language"])
    return item


def test_filters_count_only_some_items(project: Project, lead: Client) -> None:
    judge = judged(project)
    item = in_german(decided_item(project, CORRECTION, task_type="Reasoning", sub_task_type="IQ Questions"))
    verdict_on(answer_of(item, "Beta"), judge, (1, 1))
    html = html_of(lead, f"{BOARD}?language=de")
    assert authors_in_order(html) == ["Beta"]
    assert "Beta 100.00" in row_of(html, "Beta")
    for address in re.findall(r'class="figure-link" href="([^"]+)"', section(html, "standings")):
        assert "language=de" in address
    (address, *_more) = re.findall(r'class="figure-link" href="([^"]+)"', section(html, "standings"))
    assert " 1 answer " in said(html_of(lead, address.replace("&amp;", "&")))
    rows = lead.get("/p/fb/leaderboard/leaderboard.json?language=de").json()["rows"]
    assert [(row["author"], row["n"]) for row in rows] == [("Beta", 1)]
    assert "language" not in lead.get("/p/fb/leaderboard/leaderboard.json").json()["rows"][0]


def test_models_that_are_not_chosen_are_not_shown_and_change_no_number(project: Project, lead: Client) -> None:
    judged(project)
    html = html_of(lead, f"{BOARD}?models=Beta")
    assert authors_in_order(html) == ["Beta"]
    assert row_of(html, "Beta") == row_of(html_of(lead, BOARD), "Beta")
    rows = lead.get("/p/fb/leaderboard/leaderboard.json?models=Beta").json()["rows"]
    assert rows == [
        row for row in lead.get("/p/fb/leaderboard/leaderboard.json").json()["rows"] if row["author"] == "Beta"
    ]


def test_filters_that_nothing_matches_say_so(project: Project, lead: Client) -> None:
    judged(project)
    in_german(decided_item(project, CORRECTION))
    assert "No judged answer matches these filters" in html_of(lead, f"{BOARD}?language=de")
    assert lead.get("/p/fb/leaderboard/leaderboard.json?language=de").json() == {"rows": []}


def test_two_rows_that_are_ticked_are_compared(project: Project, lead: Client) -> None:
    judged(project)
    html = html_of(lead, f"{BOARD}?pair=Gamma&pair=Alpha")
    assert "Gamma against Alpha on 4 common items: 0 wins, 0 ties, 4 losses." in said(section(html, "pair"))
    assert html.count('type="checkbox" name="pair"') == 3
    assert "Alpha against Beta" in said(section(html_of(lead, BOARD), "pair"))


def test_few_groups_are_a_radar_and_many_a_dot_plot(project: Project, lead: Client) -> None:
    judge = judged(project)
    drawn = []
    for number in range(10):
        item = decided_item(project, CORRECTION, task_type="Mathematics", sub_task_type=f"Part {number}")
        verdict_on(answer_of(item, "Alpha"), judge, (1, 0))
        html = html_of(lead, f"{BOARD}?by=subtask")
        chart = section(html, "radar-head")
        drawn.append(('class="chart radar" width="520"' in chart, "chart group-dots" in chart))
    assert (True, False) in drawn
    assert drawn[-1] == (False, True)


def test_a_cell_of_the_heat_map_has_its_colour_interval_and_n(project: Project, lead: Client) -> None:
    judge = judged(project, items=12)
    html = html_of(lead, f"{BOARD}?judge={judge.pk}&by=task")
    (cell,) = re.findall(r'<a class="cell[^>]*aria-label="Beta, [^"]*"[^>]*>.*?</a>', html, re.S)
    assert "80.0 n = 24 95 %: 80.0–80.0" in said(cell)
    assert re.search(r"cell--shaded cool-\d+", cell)
    assert "95 % interval 80.0–80.0, n = 24" in cell


def test_a_simulated_judge_is_said_to_be_one(project: Project, lead: Client) -> None:
    judged(project, make_judge(project, "m", "checklist", simulated=True))
    assert "Simulated judge" in html_of(lead, BOARD)


def test_names_are_text_wherever_they_stand(project: Project, lead: Client) -> None:
    attack = '"><script>alert(1)</script>'
    judge = a_judge(project, attack)
    for draft in (CORRECTION, MAINTENANCE):
        item = decided_item(project, draft, task_type=attack)
        for author in (attack, f"{attack} 2"):
            verdict_on(answer_of(item, author), judge, (1, 0))
    assert "<script>alert" not in html_of(lead, f"{BOARD}?first={attack}&pick={attack}")
    assert "<script>alert" not in html_of(lead, f"{BOARD}items/?author={attack}&group={attack}&by=task")


# --- never stale, and asked once --------------------------------------------------------------------------------------
def test_a_new_verdict_shows_at_once(project: Project, lead: Client) -> None:
    judge = judged(project)
    assert "Gamma 20.00" in row_of(html_of(lead, BOARD), "Gamma")
    verdict_on(answer_of(decided_item(project, CORRECTION), "Gamma"), judge, (1, 1))
    # (40 + 40 + 100) / 3 = 60 of corrections, 0 of maintenance
    assert "Gamma 30.00" in row_of(html_of(lead, BOARD), "Gamma")


def test_another_rule_or_a_changed_item_shows_at_once(project: Project, lead: Client) -> None:
    judged(project)
    html_of(lead, BOARD)
    project.options = {"maintenance_rule": "all"}
    project.save()
    assert "Beta 30.00" in row_of(html_of(lead, BOARD), "Beta")
    item = project.items.order_by("pk")[0]
    item.state, item.changed_at = "ready", item.changed_at.replace(year=2100)
    item.save()
    assert " 3 too few 0 0" in row_of(html_of(lead, BOARD), "Beta")


def test_the_page_asks_no_more_for_many_answers(project: Project, lead: Client) -> None:
    judged(project, items=12)
    caches["local"].clear()
    with CaptureQueriesContext(
        connection,
    ) as cold:
        html_of(lead, BOARD)
    with CaptureQueriesContext(connection) as warm:
        html_of(lead, BOARD)
    assert len(cold) <= 15 + 2 + 1  # one for the languages and groups of the filters
    assert len(warm) < len(cold)


# --- files ------------------------------------------------------------------------------------------------------------
def test_the_file_of_a_program_has_the_numbers_of_the_page(project: Project, lead: Client) -> None:
    judged(project)
    answer = lead.get(f"{BOARD}leaderboard.json")
    beta = next(row for row in answer.json()["rows"] if row["author"] == "Beta")
    assert (beta["n"], beta["failed"], beta["error_correction"], beta["response_maintenance"], beta["overall"]) == (
        *(4, 0),
        *(60.0, 100.0, 80.0),
    )
    assert (beta["interval"]["overall"], beta["interval_note"][:21]) == (None, "Fewer than six items:")
    groups = lead.get(f"{BOARD}leaderboard.json?by=task").json()["rows"]
    assert {"author": "Beta", "scenario": "error_correction", "group": "Coding", "n": 2, "value": 60.0} in groups


def test_no_cell_of_a_spreadsheet_is_a_formula(project: Project, lead: Client) -> None:
    judge = a_judge(project)
    verdict_on(answer_of(decided_item(project, CORRECTION), "=cmd|x"), judge, (1, 0))
    answer = lead.get(f"{BOARD}leaderboard.csv")
    assert answer["Content-Disposition"] == 'attachment; filename="fb-leaderboard.csv"'
    header, row = csv.reader(io.StringIO(answer.content.decode().removeprefix("\ufeff")))
    assert dict(zip(header, row, strict=True))["author"] == "'=cmd|x"
    assert dict(zip(header, row, strict=True))["overall"] == "60.0"


def test_a_file_of_nothing_is_empty(project: Project, lead: Client) -> None:
    assert lead.get(f"{BOARD}leaderboard.json").json() == {"rows": []}
    assert lead.get(f"{BOARD}leaderboard.csv").content.decode() == "\ufeff"


# --- who, and what is not there ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(("role", "status"), [("reviewer", 200), ("viewer", 200), ("annotator", 403)])
def test_annotators_do_not_see_what_judges_say(project: Project, role: str, status: int) -> None:
    judged(project)
    for address in ("", "items/", "leaderboard.csv", "leaderboard.json"):
        assert colleague(project, role).client.get(BOARD + address).status_code == status


def test_a_judge_of_another_project_is_not_there(project: Project, lead: Client) -> None:
    judged(project)
    other = judged(make_project(slug="other"), authors=["Alpha"])
    for address in ("", "items/", "leaderboard.csv"):
        assert lead.get(f"{BOARD}{address}?judge={other.pk}").status_code == 404
    assert lead.get(f"{BOARD}items/?judge=x").status_code == 404


@pytest.mark.parametrize("query", ["by=nonsense", "column=nonsense", "after=1-2-x&which=nonsense", "pick=nobody"])
def test_words_that_nobody_knows_do_no_harm(project: Project, lead: Client, query: str) -> None:
    judged(project)
    html_of(lead, f"{BOARD}?{query}")
    html_of(lead, f"{BOARD}items/?{query}")


def test_boards_offer_judges_in_one_way(project: Project, lead: Client) -> None:
    judge = judged(project, a_judge(project, "raw", simulated=True))
    judged(project, a_judge(project, "other judge"))
    for board in ("leaderboard", "checklists"):
        html = html_of(lead, f"/p/fb/{board}/?judge={judge.pk}")
        assert re.search(rf'<option value="{judge.pk}" selected>\s*raw · checklist\s*\(simulated\)', html), board
