from typing import Any

import pytest

from annotate.engine.purposes import purposes
from annotate.models import Annotation, Item, Job, Project, Run
from tests.annotate.purposes.test_preannotate import make_run
from tests.support.people import make_item, make_project
from tests.support.running import run
from tests.support.scripted import Script, shipped

pytestmark = pytest.mark.django_db
GOLD = purposes()["gold_answers"]
ANSWER = {"gold": {"gold_answer": "Eight."}}


def prompts_project(**columns: Any) -> Project:
    return make_project(kind_slug="prompt", **columns)


def prompt(project: Project, gold: str | None = None, **columns: Any) -> Item:
    facts = {"prompt": "How many legs has a spider?"} | ({"gold_answer": gold} if gold else {})
    return make_item(project, **{"facts": facts} | columns)


def worked(planned: Run, script: Script) -> None:
    jobs = [
        Job.objects.get_or_create(run=planned, subject=one.subject, item_id=one.item_id)[0]
        for one in GOLD.plan(planned)
    ]
    for case in GOLD.load(planned, jobs, shipped("prompt")):
        GOLD.store(case, run(GOLD.work(case, script)))


def test_it_is_offered_where_prompts_are_and_nowhere_else() -> None:
    assert GOLD.suits(prompts_project())
    assert not GOLD.suits(make_project())
    assert not GOLD.suits(make_project(kind_slug="perturbation"))
    assert list(GOLD.plan(make_run(make_project(), "gold_answers"))) == []


def test_only_prompts_without_a_gold_answer_get_a_job() -> None:
    project = prompts_project()
    bare = prompt(project)
    prompt(project, "Eight.")
    assert [one.item_id for one in GOLD.plan(make_run(project, "gold_answers"))] == [bare.pk]


def test_the_answer_is_a_suggestion_that_nobody_has_called_right() -> None:
    item = prompt(prompts_project())
    planned, script = make_run(item.project, "gold_answers"), Script(ANSWER)
    worked(planned, script)
    worked(planned, script)
    found = Annotation.objects.get()
    assert (found.item, found.run, found.model, found.prompt_version) == (item, planned, "drafter-b", "v1 en")
    assert found.draft == {"ability": "", "gold_verdict": None, "edited_answer": "Eight.", "note": ""}
    assert script.steps == ["gold"]
    assert "How many legs has a spider?" in script.said("gold")
    item.refresh_from_db()
    assert item.facts == {"prompt": "How many legs has a spider?"}


def test_an_ability_that_was_suggested_before_stays() -> None:
    before = {"ability": "factual", "gold_verdict": None, "edited_answer": "", "note": ""}
    item = prompt(prompts_project(), suggestion=before)
    worked(make_run(item.project, "gold_answers"), Script(ANSWER))
    assert Annotation.objects.order_by("-pk")[0].draft == before | {"edited_answer": "Eight."}


def test_an_empty_answer_is_told_and_suggests_nothing_to_verify() -> None:
    item = prompt(prompts_project())
    worked(make_run(item.project, "gold_answers"), Script({"gold": {"gold_answer": " \n"}}))
    found = Annotation.objects.get()
    assert found.draft["edited_answer"] == ""
    assert [doubt["path"] for doubt in found.doubts] == ["edited_answer"]
