import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.models import Item, Project
from judging.models import Part
from tests.support.desks import colleague
from tests.support.judged import CORRECTION, a_judge, answer_of, decided_item, verdict_on
from tests.support.pages import html_of, said
from tests.support.people import make_project
from tests.support.runs import make_call, make_jobs, make_run
from tests.support.use_cases import decided_case, intent_judge, scored, use_case_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project(slug="fb")


@pytest.fixture
def item(project: Project) -> Item:
    return decided_item(project, CORRECTION)


@pytest.fixture
def lead(project: Project) -> Client:
    return colleague(project, "lead").client


def at(item: Item, query: str = "") -> str:
    return f"/p/fb/items/{item.pk}/verdicts/{query}"


def rows_of(html: str) -> dict[str, str]:
    """author -> what stands in the row."""
    body = html[html.index('id="matrix"') :]
    found = re.findall(r'<tr[^>]*><th scope="row"><a class="row-link"[^>]*>([^<]*)</a>(.*?)</tr>', body, re.S)
    return {author: said(rest) for author, rest in found}


def test_every_answer_stands_with_each_question(project: Project, item: Item, lead: Client) -> None:
    judge = a_judge(project)
    verdict_on(answer_of(item, "Alpha"), judge, (1, 0))
    verdict_on(answer_of(item, "Beta"), judge, (1, None))
    answer_of(item, "Gamma")
    html = html_of(lead, at(item))
    assert rows_of(html) == {
        "Alpha": "met not met 60.0",
        "Beta": "met not mentioned 60.0 needs review",
        "Gamma": "not mentioned not mentioned – no verdict",
    }
    assert "0.6 2 of 2" in said(html)
    assert "0.4 0 of 1" in said(html)


def test_what_could_not_be_read_has_no_score(project: Project, item: Item, lead: Client) -> None:
    judge = a_judge(project)
    verdict_on(answer_of(item, "Alpha"), judge, (), reading="failed")
    verdict_on(answer_of(item, "Beta"), judge, (), reading="unparsed")
    verdict_on(answer_of(item, "Gamma"), judge, (1, 1), case_sha="0" * 64)
    assert {author: row.split("–")[1].strip() for author, row in rows_of(html_of(lead, at(item))).items()} == {
        "Alpha": "Failed",
        "Beta": "not readable",
        "Gamma": "outdated",
    }


def test_the_newest_verdict_counts(project: Project, item: Item, lead: Client) -> None:
    answer, judge = answer_of(item, "Alpha"), a_judge(project)
    verdict_on(answer, judge, (0, 0))
    verdict_on(answer, judge, (1, 1), repeat=2)
    assert "100.0" in rows_of(html_of(lead, at(item)))["Alpha"]


def test_an_opened_answer_shows_reasons_and_how_questions_were_found(
    project: Project, item: Item, lead: Client
) -> None:
    answer = answer_of(item, "Alpha", text="Two moons: **Phobos** and Deimos.")
    verdict = verdict_on(answer, a_judge(project), (1, 0))
    Part.objects.filter(verdict=verdict, axis="1").update(joined="close", label="Two moons?", reason="It says <so>.")
    Part.objects.create(verdict=verdict, axis="surplus 1", label="And the weather?", joined="surplus", score_first=1)
    html = html_of(lead, at(item, f"?answer={answer.pk}"))
    opened = html[html.index('id="opened"') :]
    assert "matched by similarity" in opened
    assert "“Two moons?”" in opened
    assert "It says &lt;so&gt;." in opened
    assert "And the weather?" in opened
    assert "<strong>Phobos</strong>" in opened


def test_an_opened_answer_stands_alone_as_a_fragment(project: Project, item: Item, lead: Client) -> None:
    answer = answer_of(item, "Alpha")
    verdict_on(answer, a_judge(project), (1, 0))
    html = html_of(lead, at(item, f"?answer={answer.pk}"), headers={"HX-Request": "true"})
    assert re.match(r'\s*<section class="panel drill" id="opened"', html)
    assert "<html" not in html


def test_leads_see_the_reply_of_their_own_runs(project: Project, item: Item, lead: Client) -> None:
    run = make_run(project, purpose="judge")
    make_jobs(run, items=[item], done=1)
    job = run.jobs.get()
    make_call(job, reply='{"1": {"met": "<yes>"}}')
    answer = answer_of(item, "Alpha")
    verdict_on(answer, a_judge(project), (1, 0), job=job)
    html = html_of(lead, at(item, f"?answer={answer.pk}"))
    assert "&lt;yes&gt;" in html
    assert f"/p/fb/jobs/{job.pk}/" in html
    viewer = html_of(colleague(project, "viewer").client, at(item, f"?answer={answer.pk}"))
    assert "&lt;yes&gt;" not in viewer
    assert f"/p/fb/jobs/{job.pk}/" not in viewer


def test_an_answer_of_another_item_is_not_there(project: Project, item: Item, lead: Client) -> None:
    other = answer_of(decided_item(project, CORRECTION), "Alpha")
    assert lead.get(at(item, f"?answer={other.pk}")).status_code == 404
    assert lead.get(at(item, "?answer=x")).status_code == 404


def test_an_undecided_item_has_nothing_to_judge_by(project: Project, lead: Client) -> None:
    item = Item.objects.create(project=project, key="open", facts={}, content_hash="open")
    assert "This item cannot be judged yet" in html_of(lead, at(item))


def test_an_item_that_nobody_answered_says_so(item: Item, lead: Client) -> None:
    html = html_of(lead, at(item))
    assert "No answers to this item yet." in html


def test_another_judge_can_be_chosen(project: Project, item: Item, lead: Client) -> None:
    answer, other = answer_of(item, "Alpha"), a_judge(project, "strict judge")
    verdict_on(answer, a_judge(project, "kind judge"), (1, 1))
    verdict_on(answer, other, (0, 0))
    assert "0.0" in rows_of(html_of(lead, at(item, f"?judge={other.pk}")))["Alpha"].split()
    assert "strict judge" in html_of(lead, at(item))


def test_the_page_asks_no_more_for_many_answers(project: Project, item: Item, lead: Client) -> None:
    judge = a_judge(project)
    for number in range(2):
        verdict_on(answer_of(item, f"author {number}"), judge, (1, 0))
    with CaptureQueriesContext(connection) as few:
        html_of(lead, at(item))
    for number in range(2, 20):
        verdict_on(answer_of(item, f"author {number}"), judge, (1, 0))
    with CaptureQueriesContext(connection) as many:
        html_of(lead, at(item))
    assert len(many) == len(few) <= 10


@pytest.mark.parametrize(("role", "status"), [("reviewer", 200), ("viewer", 200), ("annotator", 403)])
def test_annotators_do_not_see_verdicts(project: Project, item: Item, role: str, status: int) -> None:
    verdict_on(answer_of(item, "Alpha"), a_judge(project), (1, 0))
    assert colleague(project, role).client.get(at(item)).status_code == status


def test_an_item_of_another_project_is_not_there(lead: Client) -> None:
    other = decided_item(make_project(slug="other"), CORRECTION)
    assert lead.get(at(other)).status_code == 404


def test_formulas_of_answers_and_conversations_are_typeset(lead: Client, item: Item) -> None:
    answer = answer_of(item, "A")
    type(answer).objects.filter(pk=answer.pk).update(text="So it is $n^2$.")
    html = html_of(lead, f"/p/fb/items/{item.pk}/verdicts/?answer={answer.pk}")
    assert "data-math" in html
    assert "js/maths" in html


def test_an_answer_judged_by_intent_stands_with_its_criteria_on_the_judges_own_scale() -> None:
    cases = use_case_project(slug="cases")
    item, judge = decided_case(cases), intent_judge(cases)
    verdict = scored(item, "Alpha", judge, 8, user_satisfaction=9, factuality=7.5)
    scored(item, "Beta", judge, None)
    client = colleague(cases, "lead").client
    address = f"/p/cases/items/{item.pk}/verdicts/"
    html = html_of(client, address)
    assert rows_of(html)["Alpha"] == "9 7.50 8"
    assert rows_of(html)["Beta"] == "– – – not readable"
    assert "checklist" not in html
    opened = said(html_of(client, f"{address}?answer={verdict.first_id}"))
    assert "Alpha 8" in opened
    assert "9 User satisfaction" in opened
    assert "7.50 Factuality" in opened


def test_many_answers_have_pages_and_the_opened_one_is_on_its_own(
    project: Project, item: Item, lead: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judging.boards.leaderboard.scored_pages.ROWS", 2)
    judge = a_judge(project)
    answers = [answer_of(item, name) for name in ("Alpha", "Beta", "Gamma")]
    for answer, parts in zip(answers, ((1, 1), (1, 0), (0, 0)), strict=True):
        verdict_on(answer, judge, parts)
    first = html_of(lead, at(item))
    assert list(rows_of(first)) == ["Alpha", "Beta"]
    assert "2 of 3" in said(first), "questions count all answers, not only those of the page"
    assert list(rows_of(html_of(lead, at(item, "?page=2")))) == ["Gamma"]
    assert list(rows_of(html_of(lead, at(item, f"?answer={answers[2].pk}")))) == ["Gamma"]
    assert list(rows_of(html_of(lead, at(item, f"?answer={answers[2].pk}&page=1")))) == ["Alpha", "Beta"]
