import re

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.models import Project
from judging.boards import model_pages
from tests.support.desks import colleague
from tests.support.pages import html_of, said
from tests.support.people import make_project
from tests.support.use_cases import decided_case, intent_judge, scored, use_case_project

pytestmark = pytest.mark.django_db
PAGE = "/p/urs/intents/"


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["local"].clear()


@pytest.fixture
def project() -> Project:
    return use_case_project(slug="urs")


@pytest.fixture
def lead(project: Project) -> Client:
    return colleague(project, "lead").client


def judged_cases(project: Project) -> None:
    judge = intent_judge(project)
    for intent, language, worse in (("Factual_QA", "EN", 0), ("Factual_QA", "CN", 1), ("Leisure", "CN", 3)):
        item = decided_case(project, intent, language)
        for author, best in (("first", 9), ("second", 8), ("third", 7), ("fourth", 6)):
            score = float(best - worse)
            scored(item, author, judge, score, factuality=score, user_satisfaction=score)


def test_before_anything_is_judged_the_page_says_so(lead: Client) -> None:
    assert "Nothing has been judged yet" in html_of(lead, PAGE)


def test_authors_stand_by_their_mean_with_the_best_three_marked(project: Project, lead: Client) -> None:
    judged_cases(project)
    html = html_of(lead, PAGE)
    table = html[html.index('id="by-intent"') : html.index('id="by-language"')]
    assert [table.index(f'<th scope="row">{one}') for one in ("first", "second", "third", "fourth")] == sorted(
        table.index(f'<th scope="row">{one}') for one in ("first", "second", "third", "fourth")
    )
    assert "7.67" in said(table)  # (9 + 8 + 6) / 3
    assert table.count("rank in the top three") == 3 * 3
    assert "Factual question" in table
    assert "Leisure" in table


def test_a_mean_leads_to_its_answers(project: Project, lead: Client) -> None:
    judged_cases(project)
    html = html_of(lead, PAGE)
    at = html.index("author=first&amp;by=intent&amp;group=Factual_QA")
    address = html[html.rindex('href="', 0, at) + 6 : html.index('"', at)].replace("&amp;", "&")
    assert html_of(lead, address).count('class="row-link') == 2


def test_one_language_can_be_chosen(project: Project, lead: Client) -> None:
    judged_cases(project)
    table = html_of(lead, f"{PAGE}?language=EN")
    table = table[table.index('id="by-intent"') : table.index('id="by-language"')]
    assert "9.00" in table
    assert "Leisure" in table
    assert "7.67" not in table


def test_objective_and_subjective_cases_stand_apart(project: Project, lead: Client) -> None:
    judged_cases(project)
    html = html_of(lead, PAGE)
    sides = said(html[html.index('id="by-side"') : html.index('id="criteria"')])
    assert "8.50" in sides
    assert "6.00" in sides


def test_satisfaction_is_correlated_over_the_intents_and_their_number_is_said(project: Project, lead: Client) -> None:
    judged_cases(project)
    html = html_of(lead, f"{PAGE}?satisfied-Factual_QA=4,2&satisfied-Leisure=3.1")
    part = said(html[html.index('id="satisfaction"') :])
    assert "1.00" in part
    assert "n = 2" in part
    assert 'value="4.2"' in html


@pytest.mark.parametrize("query", ["language=x", "satisfied-Leisure=nan", "satisfied-Leisure=" + "9" * 5000])
def test_strange_words_choose_nothing(project: Project, lead: Client, query: str) -> None:
    judged_cases(project)
    assert "n = 3" in html_of(lead, f"{PAGE}?{query}")


def test_what_could_not_be_read_is_said(project: Project, lead: Client) -> None:
    judge = intent_judge(project)
    scored(decided_case(project), "first", judge, 8.0)
    scored(decided_case(project), "first", judge, None)
    assert "1 answer without a readable score is left out." in said(html_of(lead, PAGE))


def test_the_entry_stands_only_where_cases_have_intents(project: Project, lead: Client) -> None:
    assert PAGE in html_of(lead, PAGE)
    assert "/p/urs/blindspots/" not in html_of(lead, PAGE)
    other = make_project(slug="fb")
    client = colleague(other, "lead").client
    assert "/p/fb/intents/" not in html_of(client, "/p/fb/leaderboard/")
    assert client.get("/p/fb/intents/").status_code == 404


def test_as_many_queries_for_many_cases(project: Project, lead: Client) -> None:
    counts = []
    for _time in range(2):
        judged_cases(project)
        with CaptureQueriesContext(connection) as queries:
            html_of(lead, PAGE)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 20


def test_an_annotator_and_a_stranger_see_nothing(project: Project) -> None:
    assert colleague(project, "annotator").client.get(PAGE).status_code == 403
    assert colleague(make_project(), "lead").client.get(PAGE).status_code == 404


def test_a_correlation_over_few_answers_is_greyed(project: Project, lead: Client) -> None:
    """Eight answers of two cases, and twelve of three: the same rule as on every board, fewer than ten."""
    judged_cases(project)
    for criteria, few in (("Factual_QA", True), ("all", False)):
        html = html_of(lead, f"{PAGE}?criteria={criteria}")
        panel = html[html.index('id="criteria"') : html.index('id="satisfaction"')]
        assert ('class="num thin"' in panel, "too few" in panel) == (few, few)


def test_many_models_come_in_pages_that_keep_the_typed_satisfaction(
    project: Project, lead: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_pages, "MOST_MODELS", 3)
    judged_cases(project)
    html = html_of(lead, f"{PAGE}?satisfied-Factual_QA=80&satisfied-Leisure=60")
    assert "Models 1–3 of 4" in html
    assert re.findall(r'<th scope="row">(fourth)', html) == []
    (link,) = set(re.findall(rf'href="{PAGE}(\?[^"]+)#by-intent" rel="next"', html))
    later = html_of(lead, f"{PAGE}{link.replace('&amp;', '&')}")
    assert 'value="80"' in later
    assert re.findall(r'<th scope="row">(\w+)</th>', later[later.index('id="by-intent"') :])[:3] == ["fourth"] * 3
    (worst,) = re.findall(r'href="(\?[^"]+)#by-side"[^>]*>\s*Model', html)
    assert "satisfied-Leisure=60" in worst
