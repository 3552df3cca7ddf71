from collections import Counter
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.models import Item, Project
from judging.models import Answer, Judge, Part, Verdict
from judging.ratings.judge_ratings import of_judges
from judging.ratings.raters import first_rated, ratings
from judging.ratings.units import CHECKLIST, PREFERENCE, SCORE, AnswerUnit, PairUnit
from tests.support.judged import CORRECTION, a_judge, answer_of, decided_item, verdict_on
from tests.support.people import make_project
from tests.support.voted import bring, by_judge, on_a_pair, on_an_answer, preference_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def votes() -> Project:
    return preference_project()


def test_a_verdict_on_a_pair_is_a_rating_in_each_order(votes: Project, tmp_path: Path) -> None:
    bring(votes, tmp_path, *by_judge(straight="first", swapped="second"))
    first, second = Answer.objects.order_by("pk")
    found = list(of_judges(votes, PREFERENCE))
    assert {one.unit for one in found} == {PairUnit(first.pk, second.pk)}
    assert [(one.swapped, one.value, one.rater.name) for one in found] == [
        (False, "first", "judge-m"),
        (True, "second", "judge-m"),
    ]
    assert {one.source for one in found} == set(Verdict.objects.values_list("pk", flat=True))


def test_a_pair_is_named_by_the_smaller_number_whichever_stands_first(votes: Project, tmp_path: Path) -> None:
    bring(votes, tmp_path, *by_judge())
    straight = Verdict.objects.get(swapped=False)
    turned = Verdict.objects.create(
        judge=straight.judge,
        item=straight.item,
        case_sha=straight.case_sha,
        first=straight.second,
        second=straight.first,
        choice="first",
        repeat=2,
    )
    found = next(one for one in of_judges(votes, PREFERENCE) if one.source == turned.pk)
    assert found.unit == PairUnit.of(straight.first_id, straight.second_id)
    assert found.value == "second"


@pytest.mark.parametrize(("choice", "value"), [("both_good", "tie"), ("both_bad", "both_bad"), (None, None)])
def test_what_judges_say_in_other_words_is_what_people_can_say(
    votes: Project, tmp_path: Path, choice: str | None, value: str | None
) -> None:
    bring(votes, tmp_path, on_a_pair(choice=choice, judge="judge-m"))
    assert [one.value for one in of_judges(votes, PREFERENCE)] == [value]


def test_questions_are_rated_one_by_one(tmp_path: Path) -> None:
    project = make_project()
    answer = answer_of(decided_item(project, CORRECTION), "model-a")
    verdict = verdict_on(answer, a_judge(project), [1, None])
    Part.objects.create(verdict=verdict, axis="extra", joined="surplus", score_first=1)
    found = list(of_judges(project, CHECKLIST))
    assert [(one.unit, one.axis, one.value) for one in found] == [
        (AnswerUnit(answer.pk, "1"), "1", 1.0),
        (AnswerUnit(answer.pk, "2"), "2", None),
    ]
    assert list(of_judges(project, SCORE)) == []  # the sum of its questions is no score that anybody gave


def test_an_unreadable_checklist_is_a_missing_value_for_each_question() -> None:
    project = make_project()
    one, other = (answer_of(decided_item(project, CORRECTION), name) for name in "ab")
    verdict_on(one, a_judge(project), [1, 0])
    verdict_on(other, a_judge(project), [], reading="unparsed")
    found = [rating.value for rating in of_judges(project, CHECKLIST) if rating.unit.answers == (other.pk,)]
    assert found == [None, None]


def test_scores_and_criteria(tmp_path: Path) -> None:
    project = make_project(kind_slug="score_vote", options={"criteria": ["Clarity", "Truth"]})
    bring(project, tmp_path, on_an_answer(), on_an_answer(judge="judge-m", scores={"Clarity": 5, "Truth": 1}))
    answer = Answer.objects.get()
    found = ratings(project, SCORE)
    assert [(one.rater.name, one.unit, one.value) for one in found] == [
        ("anna", AnswerUnit(answer.pk, "Clarity"), 4.0),
        ("anna", AnswerUnit(answer.pk, "Truth"), 2.0),
        ("judge-m", AnswerUnit(answer.pk, "Clarity"), 5.0),
        ("judge-m", AnswerUnit(answer.pk, "Truth"), 1.0),
    ]


def test_the_only_criterion_of_people_and_judges_is_one_unit(tmp_path: Path) -> None:
    project = make_project(kind_slug="score_vote", options={"criteria": ["Clarity"]})
    bring(project, tmp_path, on_an_answer(scores={"Clarity": 4}), on_an_answer(judge="judge-m", scores={"Clarity": 5}))
    assert {one.unit for one in ratings(project, SCORE)} == {AnswerUnit(Answer.objects.get().pk)}


def test_verdicts_on_older_texts_are_left_out_and_counted() -> None:
    project = make_project()
    changed, older, undecided, again = (answer_of(decided_item(project, CORRECTION), "model-a") for _no in range(4))
    for answer in (changed, older, undecided):
        verdict_on(answer, a_judge(project), [1, 1])
    verdict_on(again, a_judge(project), [1, 1])
    verdict_on(again, a_judge(project), [0, 0], source="later", job=None, repeat=2)
    Verdict.objects.filter(first=changed).update(case_sha="another")
    Answer.objects.create(item=older.item, author=older.author, version=2, text="better")
    Item.objects.filter(pk=undecided.item_id).update(state="ready", base=None)
    left_out: Counter[str] = Counter()
    found = list(of_judges(project, CHECKLIST, left_out=left_out))
    assert {one.unit.answers for one in found} == {(again.pk,)}
    assert sorted({one.repeat for one in found}) == [1, 2]
    assert left_out == {"outdated": 2, "undecided": 1}


def test_judges_of_one_name_are_told_apart_and_none_is_called_like_a_person(votes: Project, tmp_path: Path) -> None:
    rows = [on_a_pair(judge="judge-m", strategy=asked) for asked in ("plain", "axis")]
    bring(votes, tmp_path, *rows, on_a_pair(judge="anna"), on_a_pair())
    names = [one.rater.name for one in ratings(votes, PREFERENCE)]
    assert sorted(names) == ["anna", "anna (judge)", "judge-m · axis", "judge-m · plain"]


def test_what_a_project_rates_is_what_its_kind_votes_on(votes: Project, tmp_path: Path) -> None:
    bring(votes, tmp_path, on_a_pair())
    what, found = first_rated(votes)
    assert (what, len(found)) == (PREFERENCE, 1)
    project = make_project()
    verdict_on(answer_of(decided_item(project, CORRECTION), "model-a"), a_judge(project), [1, 1])
    assert first_rated(project)[0] == CHECKLIST


def test_nobody_rates_anything_else(votes: Project) -> None:
    with pytest.raises(ValueError, match="preference"):
        ratings(votes, "beauty")


def test_queries_do_not_grow_with_ratings(votes: Project, tmp_path: Path) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            ratings(votes, PREFERENCE)
        return len(captured)

    bring(votes, tmp_path, on_a_pair(), *by_judge())
    few = queries()
    bring(votes, tmp_path, *[row for no in range(30) for row in (on_a_pair(f"m{no}"), *by_judge(f"m{no}"))])
    assert Judge.objects.count() == 1
    assert queries() == few
    assert few <= 10
