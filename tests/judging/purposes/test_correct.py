"""Answers that a judge found wanting are rewritten: which ones, from what, and whose the new ones are."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pydantic import ValidationError

from annotate.engine.prompt_files import shipped
from annotate.engine.purposes import purposes
from annotate.errors import Refused
from annotate.kinds.protocol import CallFailed, Cause, Prompts
from annotate.models import Call, Job, Project, Run
from judging.answers.store import ensure
from judging.models import Answer, Author, Part
from judging.purposes.correction_runs import Text
from lib.texts.fencing import slots_of
from tests.support.branched import (
    alone,
    answer_by,
    answers_there,
    branching_project,
    compared,
    decided_pair,
    pair_judge,
    single_judge,
)
from tests.support.judges import Judge as Asked
from tests.support.judges import messages, saying
from tests.support.model_server import ModelServer
from tests.support.running import run
from tests.support.runs import make_endpoint, make_run

CORRECT = purposes()["correct"]
PROMPTS = Prompts({at: one.text for at, one in shipped("correct").items()})
BETTER = json.dumps({"corrected_response": "A better text."})


@pytest.fixture
def project(db: None) -> Project:
    return branching_project(slug="trees")


def a_run(project: Project, **options: Any) -> Run:
    return make_run(project, purpose="correct", options=options, endpoint=make_endpoint())


def planned(made: Run) -> dict[str, str]:
    """author of the answer -> the side of the verdict."""
    found = [one.subject.split("/") for one in CORRECT.plan(made)]
    return {Answer.objects.get(pk=answer).author.name: side for _word, answer, _verdict, side in found}


def worked(made: Run, ask: Asked) -> list[Answer]:
    for one in CORRECT.plan(made):
        Job.objects.create(run=made, subject=one.subject, item_id=one.item_id)
    for case in CORRECT.load(made, list(made.jobs.all()), PROMPTS):
        CORRECT.store(case, run(CORRECT.work(case, ask)))
    return list(Answer.objects.filter(job__run=made).order_by("pk"))


# --- which ones -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("options", "authors"),
    [
        ({}, {"model-a": "first"}),
        ({"inclusive": True}, {"model-a": "first", "model-b": "second"}),
        ({"threshold": 2}, {}),
        ({"threshold": 2, "inclusive": True}, {"model-a": "first"}),
        ({"threshold": 4, "authors": ["model-b"]}, {"model-b": "second"}),
    ],
)
def test_what_is_low_is_a_matter_of_the_threshold(
    project: Project, options: dict[str, Any], authors: dict[str, str]
) -> None:
    """a: 5, 2; b: 3, 5."""
    item = decided_pair(project)
    answers_there(project)
    compared(item, pair_judge(project), [(5, 3), (2, 5)])
    assert planned(a_run(project, **options)) == authors


def test_of_a_pair_the_first_order_counts_and_an_answer_is_corrected_once(project: Project) -> None:
    item = decided_pair(project)
    answers_there(project)
    judge = pair_judge(project)
    compared(item, judge, [(4, 4)])
    compared(item, judge, [(1, 1)], swapped=True)
    assert planned(a_run(project)) == {}


def test_what_gets_no_correction_is_counted_by_its_reason(project: Project) -> None:
    item, other = decided_pair(project), decided_pair(project)
    answers_there(project)
    compared(item, pair_judge(project), [(5, 3)])
    compared(other, pair_judge(project), [])
    told = {str(why): count for why, count in CORRECT.left_out(a_run(project))}
    assert told == {"answers with no criterion below the threshold": 2, "answers that this judge has not judged": 2}


def test_corrections_are_corrected_only_where_somebody_says_so(project: Project) -> None:
    item = decided_pair(project)
    answers_there(project)
    judge = single_judge(project)
    alone(answer_by(item, "model-a"), judge, [1])
    (better,) = worked(a_run(project), saying(BETTER))
    alone(better, judge, [2])
    assert planned(a_run(project)) == {"model-a": "first"}
    assert planned(a_run(project, authors=["model-a+correction"])) == {"model-a+correction": "first"}


def test_without_a_judge_in_branches_or_with_several_the_plan_is_refused(project: Project) -> None:
    with pytest.raises(Refused, match="No judge has gone through criteria"):
        list(CORRECT.plan(a_run(project)))
    item = decided_pair(project)
    answers_there(project)
    for judge in (pair_judge(project), pair_judge(project, "judge-n")):
        compared(item, judge, [(1, 1)])
    with pytest.raises(Refused, match="Say which judge"):
        list(CORRECT.plan(a_run(project)))
    assert planned(a_run(project, judge="judge-n")) == {"model-a": "first", "model-b": "second"}


# --- from what --------------------------------------------------------------------------------------------------------
def test_only_low_judgements_of_this_answer_are_shown_and_the_temperature_is_not_0(project: Project) -> None:
    item = decided_pair(project)
    answers_there(project)
    verdict = compared(item, pair_judge(project), [(5, 3), (2, 5)], names=("Tone", "Evidence"))
    Part.objects.filter(verdict=verdict, axis="2").update(reason="It shows no source.")
    ask = saying(BETTER)
    worked(a_run(project), ask)
    (asked,), text = ask.asked, messages(ask.asked)[1]
    assert asked.temperature == 0.1
    assert "Evidence: 2/5. It shows no source." in text
    assert "Tone" not in text
    assert answer_by(item, "model-b").text not in text
    assert slots_of(PROMPTS.text("correction", "en")) == slots_of(PROMPTS.text("correction", "zh"))
    worked(a_run(project, temperature=0.2), ask)
    assert ask.asked[-1].temperature == 0.2


def test_an_answer_that_changed_since_is_not_corrected_from_old_judgements(project: Project) -> None:
    item = decided_pair(project)
    answers_there(project)
    compared(item, pair_judge(project), [(1, 5)])
    made = a_run(project)
    for one in CORRECT.plan(made):
        Job.objects.create(run=made, subject=one.subject, item_id=one.item_id)
    old = answer_by(item, "model-a")
    Answer.objects.create(item=item, author=old.author, version=2, text="Another text.")
    (case,) = CORRECT.load(made, list(made.jobs.all()), PROMPTS)
    with pytest.raises(CallFailed) as failed:
        run(CORRECT.work(case, saying(BETTER)))
    assert failed.value.cause == Cause.UNSUITABLE


def test_an_empty_correction_is_no_answer(project: Project) -> None:
    item = decided_pair(project)
    answers_there(project)
    compared(item, pair_judge(project), [(1, 5)])
    with pytest.raises(CallFailed) as failed:
        worked(a_run(project), saying('{"corrected_response": " "}'))
    assert failed.value.cause == Cause.EMPTY
    assert not Author.objects.filter(corrects__isnull=False).exists()


# --- whose they are ---------------------------------------------------------------------------------------------------
def test_a_correction_belongs_to_an_author_of_its_own_who_knows_whose_it_was(project: Project) -> None:
    item = decided_pair(project)
    answers_there(project)
    Author.objects.filter(name="model-a").update(family="Large")
    compared(item, pair_judge(project), [(1, 5)])
    (better,) = worked(a_run(project), saying(BETTER))
    assert (better.author.name, better.author.family, better.text) == ("model-a+correction", "Large", "A better text.")
    assert better.author.corrects == answer_by(item, "model-a").author
    assert answer_by(item, "model-a").text == item.facts["first"]


def test_a_correction_that_changes_nothing_says_so(project: Project) -> None:
    item = decided_pair(project)
    answers_there(project)
    compared(item, pair_judge(project), [(1, 5)])
    same = json.dumps({"corrected_response": f" {item.facts['first']}\n"})
    (left,) = worked(a_run(project), saying(same))
    assert left.note == "The correction changed nothing."


def test_what_an_item_holds_does_not_take_the_place_of_a_runs_correction(project: Project) -> None:
    item = decided_pair(project)
    item.base.draft |= {"correction_first": "What people wrote."}
    item.base.save(update_fields=["draft"])
    answers_there(project)
    assert answer_by(item, "model-a+correction").author.corrects == answer_by(item, "model-a").author
    compared(item, pair_judge(project), [(1, 5)])
    worked(a_run(project), saying(BETTER))
    assert ensure(project) == 0
    assert answer_by(item, "model-a+correction").text == "A better text."


# --- by command -------------------------------------------------------------------------------------------------------
def told(*words: str) -> dict[str, Any]:
    out = StringIO()
    call_command(*words, "--json", stdout=out)
    return dict(json.loads(out.getvalue()))


@pytest.mark.slow
def test_the_command_corrects_and_the_corrections_can_be_judged(project: Project, model_server: ModelServer) -> None:
    decided_pair(project, first="About “how many legs” I have nothing to add.")
    make_endpoint(name="sim", model="simulated-judge", base_url=model_server.base_url, simulated=True)
    told("judge", "trees", "--strategy", "branching-single", "--endpoint", "sim", "--wait")
    found = told("correct", "trees", "--endpoint", "sim", "--threshold", "2", "--inclusive", "--wait")
    assert found["failed"] == 0
    assert found["corrected"] == Answer.objects.exclude(author__corrects=None).count() >= 1
    assert {call.request["temperature"] for call in Call.objects.filter(step="correction")} == {0.1}
    judged = told("judge", "trees", "--strategy", "branching-single", "--endpoint", "sim", "--wait")
    assert judged["ok"] >= 2 + found["corrected"]


def test_the_command_says_which_judges_there_are(project: Project) -> None:
    make_endpoint(name="sim")
    with pytest.raises(CommandError, match="No judge has gone through criteria"):
        call_command("correct", "trees", "--endpoint", "sim")


@pytest.mark.slow
def test_the_gain_of_a_corrector_of_known_skill_is_recovered(project: Project, model_server: ModelServer) -> None:
    """Answers put off all of four demands; a corrector of skill 1/2 meets each with that chance.

    A score is 1 + the demands met, so 1 before and on average 3 after; where none is met (1 in 16) a sentence is added
    that is met, which makes 1 of 5: a 2 instead of a 1. The mean gain is 2 + 1/16 under each of two criteria.
    """
    told_off = " ".join(f"About “the {what} of it” I have nothing to add." for what in ("size", "age", "price", "use"))
    for _number in range(48):
        decided_pair(project, first=told_off, second=told_off.replace("of it", "of that"))
    sim = make_endpoint(name="sim", model="simulated-judge", base_url=model_server.base_url, simulated=True)
    model_server.turn(skill=0.5)
    judge = ("judge", "trees", "--strategy", "branching-single", "--endpoint", sim.name, "--share-replies", "--wait")
    told(*judge, "--option", "branches=2", "--authors", "model-a,model-b")
    assert told("correct", "trees", "--endpoint", sim.name, "--wait")["corrected"] == 96
    told(*judge, "--option", "branches=2", "--authors", "model-a+correction,model-b+correction")
    rows = told("report", "trees", "gain")["rows"]
    assert [(row["author"], row["n"], row["before"]) for row in rows] == [("model-a", 48, 2), ("model-b", 48, 2)]
    for row in rows:
        low, high = row["interval"]
        assert low <= 2 * (2 + 1 / 16) <= high, row
        assert high - low < 1.5


# --- on the pages -----------------------------------------------------------------------------------------------------
def test_the_form_offers_the_judges_and_authors_there_are(project: Project) -> None:
    empty = CORRECT.options_in(project, {}).model_json_schema()["properties"]
    assert ("enum" in str(empty["judge"]), "enum" in str(empty["authors"])) == (False, False)
    item = decided_pair(project)
    answers_there(project)
    judge = pair_judge(project)
    compared(item, judge, [(1, 5)])
    shape = CORRECT.options_in(project, {})
    assert shape.model_validate({"judge": str(judge), "authors": ["model-b"]})
    for wrong in ({"judge": "judge-n"}, {"judge": str(judge), "authors": ["model-z"]}):
        with pytest.raises(ValidationError):
            shape.model_validate(wrong)


def test_the_settings_of_a_run_are_told_in_words(project: Project) -> None:
    assert CORRECT.told_options(a_run(project, authors=["model-a", "model-b"], threshold=2, inclusive=True)) == {
        "Answers by": "model-a, model-b",
        "Threshold": 2,
        "Include scores at the threshold": "yes",
        "Temperature": 0.1,
    }


def test_what_a_run_corrected_is_shown_by_item_and_author(project: Project) -> None:
    item = decided_pair(project)
    answers_there(project)
    compared(item, pair_judge(project), [(1, 5)])
    made = a_run(project)
    worked(made, saying(BETTER))
    assert CORRECT.outcomes(made, [item.pk]) == {item.pk: {"model-a+correction": "A better text."}}
    assert CORRECT.outcomes(made, [item.pk + 1]) == {}


@pytest.mark.parametrize(("changed", "words"), [(True, "A better text."), (False, "Nothing changed.")])
def test_a_correction_that_is_tried_is_told(changed: bool, words: str) -> None:
    assert list(Text("A better text.", changed).told()) == [("Correction", words)]


def test_a_job_whose_answer_is_gone_is_left_out(project: Project) -> None:
    item = decided_pair(project)
    answers_there(project)
    compared(item, pair_judge(project), [(1, 1)])
    made = a_run(project)
    for one in CORRECT.plan(made):
        Job.objects.create(run=made, subject=one.subject, item_id=one.item_id)
    gone, stays = made.jobs.order_by("pk")
    Job.objects.filter(pk=gone.pk).update(subject="correct/999999/1/first")
    assert [case.job.pk for case in CORRECT.load(made, list(made.jobs.all()), PROMPTS)] == [stays.pk]
