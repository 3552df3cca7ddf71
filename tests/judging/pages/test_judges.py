"""The judges page, the form that plans a run of judging, and the prompts of strategies."""

import json
import re
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from annotate.models import Project, Run
from annotate.prompts.queries import keys
from judging.models import Judge, Verdict
from judging.strategies.strategy import strategies
from judging.verdicts.judge_forms import coverage, form_options
from judging.verdicts.judges import rows
from tests.support.judge_rows import make_judge_run
from tests.support.judged import CORRECTION, a_judge, answer_of, decided_item, verdict_on
from tests.support.pages import client_of, html_of, said
from tests.support.pairs import Longer, with_pairs
from tests.support.people import make_member, make_project
from tests.support.perturbations import perturbation_project, perturbed_item, spoiled_pairs
from tests.support.runs import make_endpoint, make_jobs, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project(name="Feedback")


def member(project: Project, role: str = "lead") -> Client:
    return client_of(make_member(project, role).user)


def page(project: Project, role: str = "lead") -> str:
    return html_of(member(project, role), f"/p/{project.slug}/judges/")


# --- the page ---------------------------------------------------------------------------------------------------------
def test_before_anybody_judged_it_says_what_to_do_and_shows_the_ways_of_asking(project: Project) -> None:
    html = page(project)
    assert "No judges yet" in html
    assert f'href="/p/{project.slug}/runs/new/?run-purpose=judge"' in html
    assert "FB-Bench (arXiv 2410.09412)" in html
    assert f'href="/p/{project.slug}/prompts/checklist.verdicts.zh/"' in html


def test_each_judge_with_what_it_said_and_where_it_comes_from(project: Project) -> None:
    item = decided_item(project, CORRECTION)
    answers = [answer_of(item, name) for name in "ABCD"]
    imported, asked = a_judge(project, "gpt-judge"), a_judge(project, "draft-m", simulated=True)
    for answer in answers:
        verdict_on(answer, imported, [1, 0], source="others.jsonl")
    run = make_judge_run(asked, options={"strategy": "checklist"}, cost=Decimal("1.25"))
    make_jobs(run, done=2, causes={"timeout": 1})
    job = run.jobs.order_by("pk")[0]
    verdict_on(answers[0], asked, [1, None], job=job)
    verdict_on(answers[1], asked, [], job=job, reading="unparsed")
    first, second = rows(project)
    assert (first.judge, first.verdicts, first.flagged, first.sources, first.cost) == (
        imported,
        4,
        0,
        {"others.jsonl": 4},
        None,
    )
    assert (second.judge, second.verdicts, second.unparsed, second.failed, second.flagged, second.runs) == (
        asked,
        2,
        1,
        1,
        1,
        [run],
    )
    assert second.cost == Decimal("1.25")
    text = said(page(project))
    assert "gpt-judge checklist 4 0 0 0 – others.jsonl 4" in text
    assert "draft-m checklist simulated 2 1 1 1 $1.25" in text


def test_readers_see_it_without_what_only_leads_may_do(project: Project) -> None:
    a_judge(project)
    html = page(project, "viewer")
    assert "run-purpose=judge" not in html
    assert "/prompts/" not in html


def test_its_queries_do_not_grow_with_the_judges(
    project: Project, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    item = decided_item(project, CORRECTION)
    for number in range(6):
        judge = a_judge(project, f"judge-{number}")
        verdict_on(answer_of(item, f"author-{number}"), judge, [1, None], source="file")
        make_judge_run(judge)
    with django_assert_max_num_queries(6):
        found = rows(project)
        assert [len(row.runs) for row in found] == [1] * 6
        assert [row.cost for row in found] == [0] * 6


# --- the form ---------------------------------------------------------------------------------------------------------
def form(project: Project, **given: str) -> str:
    query = "&".join(f"{name}={value}" for name, value in {"run-purpose": "judge", **given}.items())
    return html_of(member(project), f"/p/{project.slug}/runs/new/?{query}")


def test_with_one_strategy_its_form_comes_at_once_with_authors_to_tick(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_endpoint()
    only = [strategies()["checklist"]]
    monkeypatch.setattr("judging.purposes.judge_runs.strategies_for", lambda _project: only)
    for item in [decided_item(project, CORRECTION) for _ in range(2)]:
        answer_of(item, "Ada, the first")
    answer_of(item, "Bob", text="", known=False)
    html = form(project)
    assert '<option value="checklist">Checklist</option>' in html
    text = said(html)
    assert "Ada, the first: 2 items" in text
    assert "Bob: 0 items" in text
    assert "Both orders" not in text  # of pairs
    assert "accepted items only" in text


def test_of_several_strategies_one_is_chosen_first(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    make_endpoint()
    with_pairs(monkeypatch, "judging.purposes.judge_runs.strategies", "judging.verdicts.judge_forms.strategies")
    html = form(project)
    assert "choose a strategy" in html
    assert "run-purpose=judge&amp;run-option-strategy=longer" in html
    text = said(form(project, **{"run-option-strategy": "longer"}))
    assert "Both orders" in text
    assert "gold and perturbed" in text


def test_a_method_made_for_the_items_comes_first_and_one_that_suits_none_last(project: Project) -> None:
    make_endpoint()
    assert "made for these items" not in form(project)  # nothing is accepted yet
    decided_item(project, CORRECTION)
    names = re.findall(r'strong">\s*([^<]+?)\s*<span class="small quiet">([^<]+)', form(project))
    assert names == [("Checklist", "made for these items"), ("By intent", "the items lack what it needs")]
    text = said(form(project))
    assert text.index("Checklist") < text.index("Vanilla") < text.index("By intent")


def plan(project: Project, **given: Any) -> Any:
    asked = {"run-purpose": "judge", "run-endpoint": make_endpoint().name, "run-option-strategy": "checklist"}
    return member(project).post(f"/p/{project.slug}/runs/new/", asked | given)


def test_planning_writes_the_jobs_of_the_authors_that_were_ticked(project: Project) -> None:
    item = decided_item(project, CORRECTION)
    answers = {name: answer_of(item, name) for name in ("Ada, the first", "Bob", "Cy")}
    answer_of(item, "Cy", sample=2, text="", known=False)
    chosen = {"run-option-authors": ["Ada, the first", "Cy"], "run-option-repeats": "2"}
    assert plan(project, **chosen).status_code == 302
    run = Run.objects.get()
    assert [job.subject for job in run.jobs.order_by("pk")] == [
        f"answer/{answers[name].pk}" for name in ("Ada, the first", "Cy")
    ]
    assert (run.options["authors"], run.options["repeats"]) == (["Ada, the first", "Cy"], 2)
    text = said(html_of(member(project), f"/p/{project.slug}/runs/{run.pk}/"))
    assert "answers with unknown text 1" in text
    assert "one per answer" in text
    assert "Answers by Ada, the first, Cy" in text
    assert "Calls 4" in text  # two answers, twice
    assert not Verdict.objects.exists()


@pytest.mark.parametrize("given", [{"run-option-authors": ["nobody"]}, {"run-option-repeats": "0"}])
def test_what_is_not_there_is_refused_with_the_form(project: Project, given: dict[str, Any]) -> None:
    answer_of(decided_item(project, CORRECTION), "A")
    assert plan(project, **given).status_code == 422
    assert not Run.objects.exists()


def test_another_run_like_it_begins_with_the_same_choices(project: Project) -> None:
    answer_of(decided_item(project, CORRECTION), "Ada")
    answer_of(decided_item(project, CORRECTION), "Bob")
    plan(project, **{"run-option-authors": ["Bob"], "run-option-repeats": "3"})
    html = html_of(member(project), f"/p/{project.slug}/runs/{Run.objects.get().pk}/")
    address = html.split('">Plan a similar run', 1)[0].rsplit('href="', 1)[1].replace("&amp;", "&")
    again = html_of(member(project), address)
    assert 'value="Bob" id="id_run-option-authors_1" checked' in again
    assert 'value="Ada" id="id_run-option-authors_0" checked' not in again
    assert 'name="run-option-repeats" value="3"' in again


def test_the_form_has_the_options_of_the_strategy(project: Project) -> None:
    answer_of(decided_item(project, CORRECTION), "A")
    assert set(form_options(project, Longer()).model_fields) == {
        "strategy",
        "authors",
        "pairs",
        "listed",
        "both_orders",
        "repeats",
    }
    assert "both_orders" not in form_options(project, strategies()["pairwise"]).model_fields  # there is no choice
    assert {"scale", "reference"} <= set(form_options(project, strategies()["reference"]).model_fields)
    assert coverage(project) == {"A": "A: 1 item"}


def test_authors_of_answers_that_items_hold_can_be_ticked_before_anybody_has_stored_them() -> None:
    project = perturbation_project()
    perturbed_item(project, next(spoiled_pairs()))
    make_endpoint()
    assert list(coverage(project)) == ["gold", "perturbed"]
    text = said(form(project, **{"run-option-strategy": "reference"}))
    assert "gold: stored with the items" in text
    asked = {"run-option-strategy": "reference", "run-option-reference": "gold", "run-option-scale": "1-5"}
    assert plan(project, **asked).status_code == 302
    assert Judge.objects.get().variant == "scale=1-5"


def test_pairs_can_be_listed_in_the_form(project: Project) -> None:
    item = decided_item(project, CORRECTION)
    answer_of(item, "A"), answer_of(item, "B")
    make_endpoint()
    assert "<textarea" in form(project, **{"run-option-strategy": "pairwise"})
    row = json.dumps({"key": item.key, "first": "B", "second": "A"})
    listed = {"run-option-strategy": "pairwise", "run-option-pairs": "listed", "run-option-listed": f"{row}\n"}
    assert plan(project, **listed).status_code == 302
    assert Run.objects.get().options["listed"].strip() == row
    assert "Line 1 is not a JSON object" in said(plan(project, **listed | {"run-option-listed": "{"}).content.decode())


# --- prompts ----------------------------------------------------------------------------------------------------------
def test_the_prompts_of_strategies_can_be_read_and_edited_in_the_project(project: Project) -> None:
    assert {"checklist.verdicts.en", "checklist.repair.zh", "feedback.feedback.en"} <= set(keys(project))
    lead = member(project)
    assert "A user and an assistant have talked" in html_of(lead, f"/p/{project.slug}/prompts/checklist.verdicts.en/")
    assert "checklist" in html_of(lead, f"/p/{project.slug}/prompts/")


def test_the_page_of_a_run_leads_to_the_leaderboard_under_its_judge(project: Project) -> None:
    judge = a_judge(project, "draft-m")
    run = make_judge_run(judge, options={"strategy": "checklist"}, state="finished")
    other = make_run(project, purpose="preannotate", state="finished")
    lead, board = member(project), f'href="/p/{project.slug}/leaderboard/?judge={judge.pk}"'
    assert board in html_of(lead, f"/p/{project.slug}/runs/{run.pk}/")
    assert "Go to leaderboard" not in html_of(lead, f"/p/{project.slug}/runs/{other.pk}/")


def test_a_run_of_own_questions_leads_to_all_results() -> None:
    """Such a project has no answers of models, so its leaderboard is a missing page."""
    own_questions = make_project(kind_slug="form")
    run = make_judge_run(a_judge(own_questions, "draft-m"), options={"strategy": "checklist"}, state="finished")
    page = html_of(member(own_questions), f"/p/{own_questions.slug}/runs/{run.pk}/")
    assert f'href="/p/{own_questions.slug}/results/"' in page
    assert f"/p/{own_questions.slug}/leaderboard/?judge=" not in page


def test_the_plan_form_counts_jobs_and_not_items(project: Project) -> None:
    make_endpoint()
    address = f"/p/{project.slug}/runs/new/?run-purpose=judge&run-option-strategy=checklist"
    text = said(html_of(member(project), address))
    assert "Job limit" in text
    assert "Planning lists the jobs, one per answer, or one per pair of answers." in text
    assert "item." not in text.split("What happens next")[1]
