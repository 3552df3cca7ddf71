"""Cases and people: the page, the report, and satisfaction on the page of intents."""

import json
from typing import Any

import pytest
from django.core.cache import caches
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.models import Item, Participant, Project, Survey
from tests.support.desks import colleague
from tests.support.pages import html_of, said
from tests.support.people import make_project
from tests.support.use_cases import decided_case, intent_judge, scored, use_case_project

pytestmark = pytest.mark.django_db
PAGE = "/p/urs/reported/"


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["local"].clear()


@pytest.fixture
def project() -> Project:
    return use_case_project(slug="urs")


@pytest.fixture
def lead(project: Project) -> Client:
    return colleague(project, "lead").client


def took_part(project: Project, people: int = 1, state: str = "sent", **answers: Any) -> None:
    survey, _made = Survey.objects.get_or_create(project=project)
    first = Participant.objects.count()
    for number in range(first, first + people):
        sent_at = timezone.now() if state in ("sent", "aside") else None
        columns = {"token_sha256": f"{number:064}", "language": "en", "state": state, "sent_at": sent_at}
        Participant.objects.create(survey=survey, answers=answers, **columns)


def reported(capsys: pytest.CaptureFixture[str], name: str = "reported") -> dict[str, Any]:
    call_command("report", "urs", name, "--json")
    return dict(json.loads(capsys.readouterr().out))


def test_an_empty_project_says_how_cases_come(lead: Client) -> None:
    assert "There are no cases yet" in html_of(lead, PAGE)


def test_cases_stand_by_intent_and_language(project: Project, lead: Client, capsys: pytest.CaptureFixture[str]) -> None:
    for intent, language in (("Leisure", "CN"), ("Factual_QA", "EN"), ("Factual_QA", "CN"), ("Factual_QA", "EN")):
        decided_case(project, intent, language)
    gone = decided_case(project, "API")
    Item.objects.filter(pk=gone.pk).update(state="dropped", drop_reason="unsuitable")
    found = reported(capsys)
    assert found["cases"] == [
        {"intent": "Factual_QA", "language": "CN", "n": 1},
        {"intent": "Factual_QA", "language": "EN", "n": 2},
        {"intent": "Leisure", "language": "CN", "n": 1},
    ]
    assert (found["total"], found["dropped"]) == (4, 1)
    page = said(html_of(lead, PAGE))
    assert "Factual question 1 2 3" in page
    assert "All 2 2 4" in page
    assert "1 case was dropped" in page


def test_cases_stand_by_service_difficulty_and_satisfaction(
    project: Project, lead: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    said_of = [("ChatGPT", "EN", 2, 5), ("chatgpt ", "CN", 2, 4), ("Kimi", "CN", 3, 4), (None, "EN", None, None)]
    for service, language, difficulty, satisfaction in said_of:
        item = decided_case(project, "Leisure", language)
        facts = {"service": service, "difficulty": difficulty, "satisfaction": satisfaction}
        item.facts |= {name: value for name, value in facts.items() if value is not None}
        item.save(update_fields=["facts"])
    found = reported(capsys)
    assert found["by_service"] == [
        {"service": "ChatGPT", "language": "CN", "n": 1},
        {"service": "ChatGPT", "language": "EN", "n": 1},
        {"service": "Kimi", "language": "CN", "n": 1},
        {"service": "unknown", "language": "EN", "n": 1},
    ]
    assert [(row["difficulty"], row["n"]) for row in found["by_difficulty"]] == [
        ("2", 1), ("2", 1), ("3", 1), ("unknown", 1)
    ]  # fmt: skip
    assert {row["satisfaction"] for row in found["by_satisfaction"]} == {"4", "5", "unknown"}
    page = html_of(lead, PAGE)
    assert "ChatGPT 1 1 2" in said(page.split('id="by-service"')[1].split("</table>")[0])
    assert "not stated 0 1 1" in said(page.split('id="by-service"')[1].split("</table>")[0])
    assert 'id="by-difficulty"' in page
    call_command("report", "urs", "reported", "--by", "service")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["service", "CN", "EN", "all"]
    assert ["ChatGPT", "1", "1", "2"] in [line.split() for line in lines]


def test_a_division_of_which_no_case_says_anything_is_not_shown(project: Project, lead: Client) -> None:
    decided_case(project)
    assert 'id="by-service"' not in html_of(lead, PAGE)


def test_nobody_can_be_recognised_by_what_is_shown(
    project: Project, lead: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    decided_case(project)
    took_part(project, 8, country="China", services=["Kimi"], age="25–34", frequency="daily")
    took_part(project, 3, country="china ", services=["Kimi", "Claude"], age="18–24", frequency="daily")
    took_part(project, 6, country="Germany", age="18–24", frequency="weekly")
    took_part(project, 1, country="Liechtenstein", profession="Lighthouse keeper", age="65+", frequency="weekly")
    found = reported(capsys)["people"]
    assert found["country"] == {
        "shown": [{"value": "China", "n": 11}],
        "others": 7,
        "values_folded": 2,
        "hidden": False,
    }
    assert [one["value"] for one in found["frequency"]["shown"]] == ["daily", "weekly"]
    assert [(one["value"], one["n"]) for one in found["services"]["shown"]] == [("Kimi", 11)]
    page = html_of(lead, PAGE)
    for word in ("Liechtenstein", "Lighthouse", "65+", "Claude"):
        assert word not in page
    assert "No number covers fewer than 5 people" in said(page)
    assert page.count('class="chart bars"') >= 10


def test_few_participants_are_not_shown_at_all(project: Project, lead: Client) -> None:
    decided_case(project)
    took_part(project, 4, country="Peru", age="18–24")
    page = html_of(lead, PAGE)
    assert "Peru" not in page
    assert "Fewer than 5 people took part: nothing is shown." in said(page)


def test_who_failed_withdrew_or_has_not_sent_is_left_out_and_counted(
    project: Project, lead: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    decided_case(project)
    took_part(project, 6, country="Peru")
    took_part(project, 7, "aside", country="Chile")
    took_part(project, 2, "withdrawn")
    took_part(project, 1, "begun", country="Chile")
    found = reported(capsys)["people"]
    assert (found["n"], found["left_out"]) == (6, {"aside": 7, "withdrawn": 2, "begun": 1})
    page = html_of(lead, PAGE)
    assert "Chile" not in page
    assert "7 excluded (failed attention check)" in said(page)
    assert "2 have withdrawn their data" in said(page)


def test_satisfaction_of_the_survey_stands_against_the_means(
    project: Project, lead: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    judge = intent_judge(project)
    scores = {"Factual_QA": 9.0, "API": 8.0, "Leisure": 5.0, "Seek_Creativity": 6.0}
    for intent, score in scores.items():
        scored(decided_case(project, intent), "one", judge, score)
    rated = {"Factual_QA": 5, "API": 4, "Leisure": 1, "Seek_Creativity": 2}
    took_part(project, 5, satisfaction=rated)
    took_part(project, 3, satisfaction={"Leisure": 2})
    took_part(project, 4, "aside", satisfaction={"Leisure": 5})
    found = reported(capsys, "intents")["satisfaction"]
    assert (found["people"], found["left_out"]) == (8, {"aside": 4})
    assert {one["intent"]: (one["n"], one["mean"]) for one in found["intents"]}["Leisure"] == (8, 11 / 8)
    # Pearson of (9, 8, 5, 6) and (5, 4, 1.375, 2): deviations (2, 1, −2, −1) and (1.90625, 0.90625, −1.71875,
    # −1.09375): 9.25 / √(10 · 8.60547) = 0.99714
    (author,) = found["authors"]
    assert (author["n"], author["pearson"]) == (4, pytest.approx(0.99714, abs=1e-5))
    part = said(html_of(lead, "/p/urs/intents/").split('id="satisfaction"')[1])
    assert "From the survey of this project. 8 people are counted. 4 excluded (failed attention check)" in part
    assert "1.00" in part
    assert "n = 4" in part
    by_hand = said(html_of(lead, "/p/urs/intents/?satisfied-API=5&satisfied-Leisure=4").split('id="satisfaction"')[1])
    assert "the numbers that you entered" in by_hand
    assert "n = 2" in by_hand


def test_satisfaction_stands_against_the_mean_over_all_authors(
    project: Project, lead: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    judge = intent_judge(project)
    scores = {"Factual_QA": (9.0, 7.0), "API": (8.0, 8.0), "Leisure": (5.0, 9.0), "Seek_Creativity": (6.0, 2.0)}
    for intent, each in scores.items():
        item = decided_case(project, intent)
        for author, score in zip(("one", "two"), each, strict=True):
            scored(item, author, judge, score)
    took_part(project, 5, satisfaction={"Factual_QA": 5, "API": 4, "Leisure": 2, "Seek_Creativity": 1})
    row = reported(capsys, "intents")["satisfaction"]["all_authors"]
    # Means 8, 8, 7, 4 beside 5, 4, 2, 1: deviations (1.25, 1.25, 0.25, −2.75) and (2, 1, −1, −2):
    # 9 / √(10.75 · 10) = 0.86804
    assert row["means"] == {"Factual_QA": 8.0, "API": 8.0, "Leisure": 7.0, "Seek_Creativity": 4.0}
    assert (row["authors"], row["n"], row["pearson"]) == (2, 4, pytest.approx(9 / 107.5**0.5))
    assert row["interval"][0] <= row["pearson"] <= row["interval"][1]
    part = said(html_of(lead, "/p/urs/intents/").split('id="satisfied-all"')[1].split("</tr>")[0])
    assert "Mean over all models 0.87" in part
    assert "n = 4" in part
    call_command("report", "urs", "intents")
    assert "Mean over 2 authors and satisfaction: Pearson 0.8680 (" in capsys.readouterr().out


def test_without_any_satisfaction_no_row_of_all_authors_is_made(
    project: Project, lead: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    scored(decided_case(project), "one", intent_judge(project), 8.0)
    assert reported(capsys, "intents")["satisfaction"]["all_authors"] is None
    assert 'id="satisfied-all"' not in html_of(lead, "/p/urs/intents/")


def test_criteria_are_correlated_intent_by_intent(
    project: Project, lead: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    judge = intent_judge(project)
    for number in range(6):
        item = decided_case(project, "Leisure")
        scored(item, "one", judge, 5.0, engagement=number, creativity=number % 3)
        scored(decided_case(project, "API"), "one", judge, 5.0, factuality=number, creativity=5 - number)
    found = reported(capsys, "intents")["criteria_by_intent"]
    by_intent = {(row["intent"], *row["criteria"]): row for row in found}
    assert set(by_intent) == {("Leisure", "creativity", "engagement"), ("API", "creativity", "factuality")}
    assert by_intent["API", "creativity", "factuality"]["pearson"] == pytest.approx(-1)
    # (0, 1, 2, 0, 1, 2) and (0 … 5): 4 / √(4 · 17.5)
    leisure = by_intent["Leisure", "creativity", "engagement"]
    assert leisure["pearson"] == pytest.approx(4 / (4 * 17.5) ** 0.5)
    assert leisure["interval"][0] < leisure["pearson"] < leisure["interval"][1]
    page = html_of(lead, "/p/urs/intents/?criteria=API").split('id="criteria"')[1].split("</table>")[0]
    assert "Factuality" in page
    assert "Engagement" not in page


def test_as_many_queries_for_many_cases_and_people(project: Project, lead: Client) -> None:
    counts = []
    for _time in range(2):
        for intent in ("Leisure", "API"):
            decided_case(project, intent)
        took_part(project, 6, country="Peru")
        with CaptureQueriesContext(connection) as queries:
            html_of(lead, PAGE)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 20


def test_it_is_there_only_for_readers_of_projects_whose_cases_have_intents(project: Project) -> None:
    assert colleague(project, "annotator").client.get(PAGE).status_code == 403
    assert colleague(make_project(slug="fb"), "lead").client.get("/p/fb/reported/").status_code == 404
    assert colleague(make_project(), "lead").client.get(PAGE).status_code == 404
