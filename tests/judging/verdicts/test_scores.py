import pickle
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.models import Annotation, Job, Project
from judging.models import Judge, Part
from judging.verdicts.verdict_scores import JudgeScores, ScoredAnswer, judges, scores
from tests.support.judge_rows import make_judge, make_judge_run
from tests.support.judged import CORRECTION, MAINTENANCE, a_judge, answer_of, decided_item, verdict_on
from tests.support.people import make_project
from tests.support.runs import make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def judge(project: Project) -> Judge:
    return a_judge(project)


def only(found: JudgeScores) -> ScoredAnswer:
    [row] = found.rows
    return row


def test_the_score_is_the_weight_of_what_is_met(project: Project, judge: Judge) -> None:
    item = decided_item(project, CORRECTION)
    verdict = verdict_on(answer_of(item, "ann"), judge, [1, 0])
    row = only(scores(project, judge))
    assert (row.author, row.item_id, row.verdict_id, row.scenario) == ("ann", item.pk, verdict.pk, "error_correction")
    assert (row.score, row.failed, row.flagged) == (0.6, False, False)
    assert (list(row.labels["task"]), list(row.labels["error_type"])) == (["Coding"], ["Factual Error"])


def test_the_stored_number_of_a_verdict_does_not_count_where_it_has_parts(project: Project, judge: Judge) -> None:
    verdict_on(answer_of(decided_item(project, CORRECTION), "ann"), judge, [0, 1], score_first=0.99)
    assert only(scores(project, judge)).score == 0.4


def test_one_met_question_maintains_an_answer_and_the_other_rule_is_shown(project: Project, judge: Judge) -> None:
    verdict_on(answer_of(decided_item(project, MAINTENANCE), "ann"), judge, [0, 1])
    row = only(scores(project, judge))
    assert (row.score, row.what_if) == (1.0, {"any": 1.0, "all": 0.0})


def test_the_projects_rule_decides(judge: Judge) -> None:
    project = make_project(options={"maintenance_rule": "all"})
    judge = a_judge(project)
    verdict_on(answer_of(decided_item(project, MAINTENANCE), "ann"), judge, [0, 1])
    assert only(scores(project, judge)).score == 0.0


def test_a_question_that_nobody_answered_is_not_met_and_flagged(project: Project, judge: Judge) -> None:
    verdict_on(answer_of(decided_item(project, CORRECTION), "ann"), judge, [1, None])
    row = only(scores(project, judge))
    assert (row.score, row.flagged) == (0.6, True)


def test_what_fits_no_question_counts_nothing(project: Project, judge: Judge) -> None:
    verdict = verdict_on(answer_of(decided_item(project, CORRECTION), "ann"), judge, [0, 0])
    Part.objects.create(verdict=verdict, axis="surplus/1", score_first=1, weight=1, joined="surplus")
    row = only(scores(project, judge))
    assert (row.score, row.flagged) == (0.0, True)


@pytest.mark.parametrize(("reading", "unparsed"), [("failed", False), ("unparsed", True)])
def test_what_was_not_read_counts_as_zero_and_says_so(
    project: Project, judge: Judge, reading: str, unparsed: bool
) -> None:
    verdict_on(answer_of(decided_item(project, MAINTENANCE), "ann"), judge, (), reading=reading)
    row = only(scores(project, judge))
    assert (row.score, row.failed, row.unparsed) == (0.0, True, unparsed)
    assert row.what_if == {"any": 0.0, "all": 0.0}


def test_a_judge_without_a_checklist_scores_by_its_number(project: Project, judge: Judge) -> None:
    verdict_on(answer_of(decided_item(project, CORRECTION), "ann"), judge, (), score_first=7.5)
    assert only(scores(project, judge)).score == 7.5


def test_the_newest_verdict_on_an_answer_counts(project: Project, judge: Judge) -> None:
    answer = answer_of(decided_item(project, CORRECTION), "ann")
    verdict_on(answer, judge, [1, 1])
    verdict_on(answer, judge, [0, 1], job=a_job(project, judge, answer.pk, "done"))
    found = scores(project, judge)
    assert (only(found).score, found.outdated) == (0.4, 0)


def test_repeats_are_averaged_over_those_that_were_read(project: Project, judge: Judge) -> None:
    answer = answer_of(decided_item(project, CORRECTION), "ann")
    verdict_on(answer, judge, [1, 1])
    verdict_on(answer, judge, [1, 0], repeat=2)
    verdict_on(answer, judge, (), repeat=3, reading="unparsed")
    row = only(scores(project, judge))
    assert row.score == pytest.approx(0.8)  # (1.0 + 0.6) / 2
    assert row.failed is False


def test_verdicts_about_an_older_answer_are_outdated(project: Project, judge: Judge) -> None:
    item = decided_item(project, CORRECTION)
    verdict_on(answer_of(item, "ann"), judge, [1, 1])
    answer_of(item, "ann", version=2)
    found = scores(project, judge)
    assert (list(found.rows), found.outdated, found.unjudged) == ([], 1, 1)


def test_verdicts_about_another_checklist_are_outdated(project: Project, judge: Judge) -> None:
    item = decided_item(project, CORRECTION)
    verdict_on(answer_of(item, "ann"), judge, [1, 1])
    item.base = Annotation.objects.create(item=item, model="writer", draft=CORRECTION | {"feedback": "Count again."})
    item.save(update_fields=["base"])
    found = scores(project, judge)
    assert (list(found.rows), found.outdated, found.unjudged) == ([], 1, 1)


def test_another_label_or_rule_does_not_make_verdicts_outdated(project: Project, judge: Judge) -> None:
    item = decided_item(project, CORRECTION)
    verdict_on(answer_of(item, "ann"), judge, [1, 1])
    item.base = Annotation.objects.create(item=item, model="writer", draft=CORRECTION | {"task_type": "Reasoning"})
    item.save(update_fields=["base"])
    assert list(only(scores(project, judge)).labels["task"]) == ["Reasoning"]


def test_an_item_that_is_not_decided_is_left_out(project: Project, judge: Judge) -> None:
    item = decided_item(project, CORRECTION)
    verdict_on(answer_of(item, "ann"), judge, [1, 1])
    item.state, item.drop_reason = "dropped", "too_easy"
    item.save(update_fields=["state", "drop_reason"])
    assert scores(project, judge) == JudgeScores(judge, [])


def test_a_failed_job_without_a_verdict_counts_as_failed(project: Project, judge: Judge) -> None:
    tried, judged = (answer_of(decided_item(project, CORRECTION), name) for name in ("ann", "bea"))
    a_job(project, judge, tried.pk, "failed")
    a_job(project, judge, judged.pk, "failed")
    verdict_on(judged, judge, [1, 1])
    ann, bea = scores(project, judge).rows
    assert (ann.author, ann.failed, ann.verdict_id, ann.score) == ("ann", True, None, 0.0)
    assert (bea.failed, bea.score) == (False, 1.0)


def test_failed_jobs_of_another_judge_or_purpose_or_still_open_do_not(project: Project, judge: Judge) -> None:
    answer = answer_of(decided_item(project, CORRECTION), "ann")
    a_job(project, a_judge(project, "another"), answer.pk, "failed")
    a_job(project, judge, answer.pk, "pending")
    a_job(project, judge, answer.pk, "failed", purpose="preannotate")
    found = scores(project, judge)
    assert (list(found.rows), found.unjudged) == ([], 1)


def a_job(project: Project, judge: Judge, answer: int, state: str, **columns: Any) -> Job:
    run = make_run(project, **columns) if columns else make_judge_run(judge)
    cause = "timeout" if state == "failed" else ""
    return Job.objects.create(run=run, subject=f"answer/{answer}", state=state, cause=cause)


def test_parts_go_to_their_own_verdict(project: Project, judge: Judge) -> None:
    """Verdicts and parts are read side by side; some verdicts have none, and some parts belong to other judges."""
    other = make_judge(project, "other", "checklist")
    for place, met in enumerate(([1, 0], [], [0, 1], [], [1, 1])):
        answer = answer_of(decided_item(project, CORRECTION), f"author {place}")
        verdict_on(answer, judge, met, score_first=0.25)
        verdict_on(answer, other, [0, 0])
    assert [row.score for row in scores(project, judge).rows] == [0.6, 0.25, 0.4, 0.25, 1.0]


def test_a_scored_answer_is_pickled_whole(project: Project, judge: Judge) -> None:
    verdict_on(answer_of(decided_item(project, CORRECTION), "ann"), judge, [1, 0])
    row = only(scores(project, judge))
    assert pickle.loads(pickle.dumps(row)) == row


def test_only_this_judge_is_read(project: Project, judge: Judge) -> None:
    answer = answer_of(decided_item(project, CORRECTION), "ann")
    verdict_on(answer, a_judge(project, "another"), [1, 1])
    assert list(scores(project, judge).rows) == []


def test_judges_stand_with_the_busiest_first(project: Project, judge: Judge) -> None:
    answer = answer_of(decided_item(project, CORRECTION), "ann")
    busy, idle = a_judge(project, "busy"), a_judge(project, "idle")
    verdict_on(answer, judge, [1, 1])
    for repeat in (1, 2):
        verdict_on(answer, busy, [1, 1], repeat=repeat)
    assert list(judges(project)) == [busy, judge]
    assert idle not in judges(project)


def test_a_judge_of_pairs_alone_is_not_among_them(project: Project, judge: Judge) -> None:
    item = decided_item(project, CORRECTION)
    answer, other = answer_of(item, "ann"), answer_of(item, "bob")
    verdict_on(answer, judge, [1, 1])
    verdict_on(answer, make_judge(project, "pairs", "pairwise"), (), second=other)
    assert [(found, found.verdict_count) for found in judges(project)] == [(judge, 1)]


def test_the_queries_do_not_grow_with_the_project(project: Project, judge: Judge) -> None:
    for _time in range(3):
        item = decided_item(project, CORRECTION)
        for name in ("ann", "bea"):
            verdict_on(answer_of(item, name), judge, [1, 0])
    with CaptureQueriesContext(connection) as captured:
        assert len(scores(project, judge).rows) == 6
    assert len(captured) <= 6
