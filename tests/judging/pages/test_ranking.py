import re
from pathlib import Path

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.models import Project
from judging.studies.progress import close
from tests.support.desks import colleague
from tests.support.pages import html_of, said
from tests.support.people import make_member, make_project
from tests.support.studies import answered_project, drawn, prefers, vote
from tests.support.voted import bring, by_judge, on_a_pair, preference_project

pytestmark = pytest.mark.django_db
HERE, BATTLES = "/p/votes/ranking/", "/p/votes/ranking/battles/"


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["local"].clear()


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
    (row,) = re.findall(rf'<tr[^>]*><td class="pick">(?:(?!</tr>).)*?<th scope="row">{author}</th>.*?</tr>', html, re.S)
    return said(row)


def test_people_come_first_and_every_number_opens_its_battles(lead: Client) -> None:
    html = html_of(lead, HERE)
    # 8 wins and half of a tie of 12: 70.8; ranks 1 and 2 are not told apart.
    assert row_of(html, "model-a").startswith("1–2 model-a 70.8")
    assert row_of(html, "model-b").endswith("12 3 1")
    assert "1 of “cannot tell”" in said(html)
    opened = {}
    for address in re.findall(r'class="figure-link" href="([^"]+)"', html):
        answer = html_of(lead, address.replace("&amp;", "&"))
        (opened[address],) = re.findall(r'role="status">(\d+) battles?<', answer)
    assert sorted(map(int, opened.values())) == sorted([12, 8, 1, 12, 3, 1, 12, 4])


def forest(html: str) -> str:
    (panel,) = re.findall(r'<section class="panel" id="forest".*?</section>', html, re.S)
    return str(panel)


def test_the_ranking_is_a_forest_plot_of_elo_with_intervals(lead: Client) -> None:
    panel = forest(html_of(lead, HERE))
    # 400·log10(70.8 / 29.2) = 154: 77 above and below the mean of 1000.
    first = re.findall(r"<text[^>]*>(1077 \(\d+–\d+\))</text>", panel)
    assert len(first) == 3  # on a narrow screen the n follows in the same text
    assert "dotted line: 1000" in panel
    assert re.search(r'rating=elo#forest"\s+aria-current="true"', panel)


def test_the_forest_plot_shows_the_rating_that_is_chosen(lead: Client) -> None:
    panel = forest(html_of(lead, f"{HERE}?rating=strength"))
    assert "70.8 (" in panel
    assert "dotted line: 50.0" in panel
    assert "Elo" in forest(html_of(lead, f"{HERE}?rating=nonsense"))


def test_without_a_strength_there_is_no_forest_plot(tmp_path: Path) -> None:
    project = preference_project()
    bring(project, tmp_path, *(on_a_pair(f"q{n}", "first") for n in range(3)))
    assert 'id="forest"' not in html_of(colleague(project, "lead").client, HERE)


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
    assert "No matching battles." in html_of(lead, f"{BATTLES}?author=nobody")


@pytest.mark.parametrize("address", [f"{HERE}?by=999999", f"{HERE}?by=x", f"{BATTLES}?by=999999"])
def test_preferences_of_nobody_are_not_there(lead: Client, address: str) -> None:
    html_of(lead, address, status=404)


def test_without_preferences_the_page_says_what_it_takes() -> None:
    lead = colleague(preference_project(), "lead").client
    assert "No preferences yet" in html_of(lead, HERE)
    assert "No matching battles." in html_of(lead, BATTLES)


def test_a_stranger_finds_nothing(project: Project) -> None:
    stranger = colleague(make_project(slug="other"), "lead").client
    html_of(stranger, HERE, status=404)
    html_of(stranger, BATTLES, status=404)


@pytest.mark.parametrize("address", [HERE, BATTLES])
def test_queries_do_not_grow_with_the_votes(lead: Client, project: Project, tmp_path: Path, address: str) -> None:
    html_of(lead, address)
    caches["local"].clear()
    with CaptureQueriesContext(connection) as few:
        html_of(lead, address)
    bring(project, tmp_path, *(on_a_pair(f"r{n}", "first") for n in range(20)))
    with CaptureQueriesContext(connection) as many:
        html_of(lead, address)
    assert len(many) <= len(few)


def side_by_side(html: str) -> list[list[str]]:
    (table,) = re.findall(r'<table class="table" id="side-by-side">.*?</table>', html, re.S)
    return [re.findall(r">([^<>]+)</t[hd]>", row) for row in re.findall(r"<tr>(?:(?!<tr>).)*?</tr>", table, re.S)[2:]]


def test_people_and_judges_stand_side_by_side(lead: Client) -> None:
    people, judge = slice(1, 3), slice(3, 5)
    first, second = side_by_side(html_of(lead, HERE))
    assert (first[0], second[0]) == ("model-a", "model-b")
    assert int(first[people][1]) > int(second[people][1])
    assert int(first[judge][1]) < int(second[judge][1])


def test_parts_of_the_items_are_ranked_by_themselves_and_open_their_battles(
    lead: Client, project: Project, tmp_path: Path
) -> None:
    html = html_of(lead, f"{HERE}?divide=group")
    before = html.count('scope="rowgroup"')
    bring(project, tmp_path, *(on_a_pair(f"z{n}", "second", group="other & more") for n in range(3)))
    html = html_of(lead, f"{HERE}?divide=group")
    assert html.count('scope="rowgroup"') == before + 1
    (address, *_more) = re.findall(r'class="figure-link" href="([^"]+part=other[^"]+)"', html)
    assert re.findall(r">(z\d)</a>", html_of(lead, address.replace("&amp;", "&"))) == ["z0", "z1", "z2"]
    # Model-b won all three: nothing says how strong it is.
    assert "Won all their battles" in said(html)


def test_ties_as_an_outcome_of_their_own_stay_chosen(lead: Client) -> None:
    html = html_of(lead, f"{HERE}?ties=davidson")
    assert re.search(r'<option value="davidson" selected>', html)
    assert row_of(html, "model-a") != row_of(html_of(lead, HERE), "model-a")


def test_a_pasted_leaderboard_is_correlated_with_people_and_judges(lead: Client) -> None:
    html = lead.get(HERE, {"beside": "model-a, 71.5\nmodel-b\t60\nmodel z 3"}).content.decode()
    (panel,) = re.findall(r'<section class="panel" id="leaderboard".*?</section>', html, re.S)
    rows = [said(row) for row in re.findall(r"<tr.*?</tr>", panel, re.S)[1:]]
    assert [row.split()[:2] for row in rows] == [["People", "1.00"], ["judge-m", "−1.00"]]
    assert [row.split().count("−1.00") for row in rows] == [0, 3]  # Kendall, Spearman, Pearson
    assert "Only in the other list: model z." in said(panel)


def test_lines_that_no_leaderboard_can_be_read_from_are_named(lead: Client) -> None:
    answer = lead.get(HERE, {"beside": "model-a, 1\nmodel-b"})
    assert answer.status_code == 422
    assert "Line 2: write a name, a comma and a number." in said(answer.content.decode())


@pytest.mark.parametrize("words", ["?divide=group", "?divide=language&ties=davidson", "?beside=model-a,1%0Amodel-b,2"])
def test_the_page_takes_at_most_twenty_queries(lead: Client, words: str) -> None:
    html_of(lead, HERE + words)
    with CaptureQueriesContext(connection) as made:
        html_of(lead, HERE + words)
    assert len(made) <= 20


def test_filters_count_only_some_items_and_show_only_some_models(
    lead: Client, project: Project, tmp_path: Path
) -> None:
    bring(project, tmp_path, *(on_a_pair(f"z{n}", "second", group="other") for n in range(3)))
    bring(project, tmp_path, on_a_pair("z9", "first", group="other"))
    html = html_of(lead, f"{HERE}?item_group=other")
    assert row_of(html, "model-b").endswith("4 too few 3 0")
    (address,) = {
        found.replace("&amp;", "&") for found in re.findall(r'href="([^"]+outcome=won)"', row(html, "model-b"))
    }
    assert re.findall(r">(z\d)</a>", html_of(lead, address)) == ["z0", "z1", "z2"]
    shown = html_of(lead, f"{HERE}?models=model-b")
    assert "model-a" not in said(section(shown, "standings"))
    assert "those among all models" in said(shown)
    assert 'href="/p/votes/ranking/"' in section(shown, "item-filters")  # the chip takes the filter away
    assert row_of(html_of(lead, f"{HERE}?item_group=nonsense"), "model-a").startswith("1–2 model-a")


def row(html: str, author: str) -> str:
    (found,) = re.findall(
        rf'<tr[^>]*><td class="pick">(?:(?!</tr>).)*?<th scope="row">{author}</th>.*?</tr>', html, re.S
    )
    return str(found)


def section(html: str, name: str) -> str:
    start = html.index(f'id="{name}"')
    return html[start : html.index("</section>", start)]


def test_filters_that_no_battle_matches_say_so(lead: Client, project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, on_a_pair("z9", "cannot_tell", group="other"))
    html = html_of(lead, f"{HERE}?item_group=other")
    assert "No battle matches these filters" in html
    assert 'id="standings"' not in html


def test_two_models_are_compared_on_their_common_items(lead: Client) -> None:
    html = html_of(lead, "/p/votes/ranking/compare/?pair=model-b&pair=model-a")
    people, judge = (said(found) for found in re.findall(r"<tr.*?</tr>", section(html, "head-to-head"), re.S)[1:])
    # Of 12 battles about as many items 3 were won and 1 was a tie: 3.5 of 12.
    assert people.startswith("People 12 12 3 1 8 29.2 ")
    assert re.search(r"−154 −\d+ to \+?−?\d+ ", people)
    assert judge.startswith("judge-m 4 4 too few 3 1 0 87.5")
    for outcome, n in (("won", 3), ("tie", 1), ("lost", 8)):
        address = re.findall(rf'href="([^"]+by=people[^"]+outcome={outcome})"', html)[0].replace("&amp;", "&")
        assert f'role="status">{n} battle' in html_of(lead, address)


def test_without_a_pair_the_two_strongest_are_compared(lead: Client) -> None:
    html = html_of(lead, "/p/votes/ranking/compare/?pair=nobody")
    assert "model-a against model-b" in said(html)
    empty = colleague(preference_project(slug="empty"), "lead").client
    assert "There are no two models to compare" in html_of(empty, "/p/empty/ranking/compare/")


def test_whoever_looks_while_people_vote_is_warned() -> None:
    source = answered_project()
    pairs, scores = drawn(source), drawn(source, "score_vote", into="scores")
    vote(make_member(pairs.project), prefers("first"))
    lead = colleague(source, "lead").client
    here = f"/p/{source.slug}/ranking/"
    assert "Voting on pairs of these answers is still open." in html_of(lead, here)
    close(pairs)
    assert scores.closed_at is None
    assert "Voting on pairs" not in html_of(lead, here)
