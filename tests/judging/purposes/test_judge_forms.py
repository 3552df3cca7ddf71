"""Judges of own questions: which items, under which definition, what they are sent, and what is stored of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotate.definitions.actions import texts_of, write_definition
from annotate.engine.purposes import Case, purposes
from annotate.errors import Refused
from annotate.models import Item, Job, Project, Run
from annotate.project.actions import create_project
from judging.models import Answer, Judge, Part, Verdict
from judging.verdicts.judge_options import strategies_for
from tests.support.desks import colleague
from tests.support.files import command, imported, write_rows
from tests.support.judges import QUESTIONS, messages, saying, shipped
from tests.support.judges import Judge as Asked
from tests.support.pages import html_of
from tests.support.people import make_project
from tests.support.running import run
from tests.support.runs import make_endpoint, make_run

pytestmark = pytest.mark.django_db
JUDGE = purposes()["judge"]
REPLY = {"good": 4, "safe": "yes", "topics": ["news"], "better": "tie", "order": [1, 2], "why": "So."}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = create_project(slug="own", kind="form", definition=QUESTIONS)
    rows = [
        {"key": f"k{n}", "prompt": f"Number {n}", "answer": "x", "other": "y", "model_a": "hidden-model"}
        for n in range(3)
    ]
    assert imported(project, write_rows(tmp_path / "items.jsonl", rows))["kept"] == 3
    return Project.objects.get(slug="own")


def planned(project: Project, **options: Any) -> Run:
    return make_run(
        project, purpose="judge", endpoint=make_endpoint(model="judge-x"), options={"strategy": "form", **options}
    )


def cases(made: Run) -> list[Case]:
    jobs = [
        Job.objects.get_or_create(run=made, subject=one.subject, item_id=one.item_id)[0] for one in JUDGE.plan(made)
    ]
    return JUDGE.load(made, jobs, shipped("forms"))


def worked(made: Run, ask: Asked) -> None:
    for case in cases(made):
        JUDGE.store(case, run(JUDGE.work(case, ask)))


def test_every_item_that_is_not_dropped_is_judged_before_anybody_has_decided_it(project: Project) -> None:
    Item.objects.filter(key="k1").update(state="dropped", drop_reason="other")
    assert {case.item.key for case in cases(planned(project))} == {"k0", "k2"}


def test_a_verdict_has_a_part_for_each_question_with_its_answer(project: Project) -> None:
    worked(planned(project), saying(json.dumps(REPLY)))
    verdict = Verdict.objects.filter(item__key="k0").get()
    assert (verdict.reading, verdict.score_first, verdict.choice, verdict.second) == ("ok", None, "", None)
    parts = {axis: (json.loads(label), score) for axis, label, score in _parts(verdict)}
    assert {name: parts[name] for name in ("good", "safe", "topics", "better")} == {
        "good": (4, 4.0),
        "safe": ("yes", None),
        "topics": (["news"], None),
        "better": ("tie", None),
    }
    worked(planned(project), saying("no idea"))
    assert list(Verdict.objects.values_list("reading", flat=True)).count("unparsed") == 3


def test_two_runs_are_compared_by_the_answers(project: Project) -> None:
    made = planned(project)
    worked(made, saying(json.dumps(REPLY)))
    item = Item.objects.get(key="k0").pk
    outcome = JUDGE.outcomes(made, [item])[item]["material"]
    assert {name: outcome[name] for name in ("good", "safe", "topics")} == {
        "good": "4",
        "safe": '"yes"',
        "topics": '["news"]',
    }


def _parts(verdict: Verdict) -> list[tuple[str, str, float | None]]:
    return list(Part.objects.filter(verdict=verdict).values_list("axis", "label", "score_first"))


def test_columns_that_nobody_is_shown_reach_no_judge(project: Project) -> None:
    ask = saying(json.dumps(REPLY))
    worked(planned(project), ask)
    sent = "\n".join(messages(ask.asked))
    assert "Number 0" in sent
    assert "hidden-model" not in sent
    assert "model_a" not in sent
    assert not Answer.objects.filter(text__contains="hidden-model").exists()


def test_another_definition_is_another_version_of_the_judge(project: Project) -> None:
    list(JUDGE.plan(planned(project)))
    list(JUDGE.plan(planned(project)))
    (judge,) = Judge.objects.all()
    assert judge.identity["definition"] == {"version": 1, "sha256": project.definition_digest}
    write_definition(project, text=QUESTIONS.replace("How good", "How very good"), by=None, based_on=1)
    list(JUDGE.plan(planned(Project.objects.get(slug="own"))))
    assert list(Judge.objects.order_by("version").values_list("version", "identity__definition__version")) == [
        (1, 1),
        (2, 2),
    ]


def test_a_run_asks_the_questions_that_it_was_planned_with(project: Project) -> None:
    made = planned(project)
    list(JUDGE.plan(made))
    changed = texts_of(project)[0].replace("How good is it?", "Is it any good?")
    write_definition(project, text=changed, by=None, based_on=1)
    later = Run.objects.get(pk=made.pk)
    ask = saying(json.dumps(REPLY))
    worked(later, ask)
    sent = "\n".join(messages(ask.asked))
    assert "How good is it?" in sent
    assert "Is it any good?" not in sent


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"strategy": "vanilla"}, "The strategy “vanilla” is not for this kind of project. Strategies: form."),
        ({"questions": ["good", "kind"]}, "There is no question “kind”. Questions: good, safe, topics"),
        ({"both_orders": True}, "one answer at a time"),
    ],
)
def test_what_cannot_be_asked_is_refused_at_planning(project: Project, options: dict[str, Any], told: str) -> None:
    with pytest.raises(Refused, match=told):
        list(JUDGE.plan(planned(project, **options)))


def test_own_questions_are_asked_only_where_a_project_has_some(project: Project) -> None:
    assert [strategy.slug for strategy in strategies_for(project)] == ["form"]
    assert "form" not in [strategy.slug for strategy in strategies_for(make_project())]


def test_the_form_of_runs_offers_the_questions_and_the_page_of_judges_the_strategy(project: Project) -> None:
    lead = colleague(project, "lead")
    make_endpoint(model="judge-x")
    plan = html_of(lead.client, "/p/own/runs/new/?run-purpose=judge&run-strategy=form")
    for name in ("good", "better"):
        assert f'value="{name}"' in plan
    assert "Answers by" not in plan
    worked(planned(project), saying(json.dumps(REPLY)))
    judges = html_of(lead.client, "/p/own/judges/")
    assert "judge-x" in judges
    assert "/leaderboard/" not in judges
    assert lead.client.get("/p/own/answers/").status_code == 404


def test_the_command_takes_questions_with_commas(project: Project) -> None:
    make_endpoint(name="sim", model="simulated-judge", base_url="http://127.0.0.1:9/v1", attempts=1)
    code, _told, err = command(
        "judge", "own", "--strategy", "form", "--endpoint", "sim", "--option", "questions=safe,kind"
    )
    assert (code, err) == (1, "There is no question “kind”. Questions: good, safe, topics, better, order, why.")
    call_command("judge", "own", "--strategy", "form", "--endpoint", "sim", "--option", "questions=safe,better")
    assert Run.objects.get().options["questions"] == ["safe", "better"]
    assert str(Judge.objects.get()) == "simulated-judge · form · questions=safe,better"


RUBRIC = """
show: [{field: answer}]
questions: [{name: rubric, type: rubric, from: rubric}]
"""


def test_criteria_one_by_one_is_offered_planned_and_estimated_where_there_are_criteria(
    project: Project, tmp_path: Path
) -> None:
    graded = create_project(slug="graded", kind="form", definition=RUBRIC)
    criteria = [{"criterion": f"Is it {n}?", "points": 1} for n in range(4)]
    imported(graded, write_rows(tmp_path / "graded.jsonl", [{"key": "k", "answer": "x", "rubric": criteria}]))
    offered = [list(JUDGE.options_in(of, {"strategy": "form"}).model_fields) for of in (project, graded)]
    assert ["one_by_one" in names for names in offered] == [False, True]
    with pytest.raises(Refused, match="No question that is asked has criteria"):
        list(JUDGE.plan(planned(project, one_by_one=True)))
    together, apart = planned(graded), planned(graded, one_by_one=True)
    for made in (together, apart):
        cases(made)
    assert [JUDGE.calls_expected(made) for made in (together, apart)] == [1, 4]
    assert sorted(Judge.objects.filter(project=graded).values_list("variant", flat=True)) == ["", "criteria=one-by-one"]
