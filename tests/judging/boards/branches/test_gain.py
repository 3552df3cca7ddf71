"""What corrections gained, derived by hand; what does not count is counted."""

import pytest

from annotate.models import Item, Project
from judging.boards.branches.gain import BEFORE_ALONE, NOT_JUDGED, UNREAD, gain
from judging.models import Answer, Author
from judging.verdicts.verdict_scores import scores
from tests.support.branched import alone, answer_by, answers_there, branching_project, decided_pair, single_judge
from tests.support.judge_rows import make_judge
from tests.support.judged import CORRECTION, answer_of, decided_item
from tests.support.people import make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return branching_project(slug="trees")


def correction_of(item: Item, author: str, text: str = "Better.") -> Answer:
    whose = Author.objects.get(project=item.project, name=author)
    who, _made = Author.objects.get_or_create(project=item.project, name=f"{author}+correction", corrects=whose)
    return Answer.objects.create(item=item, author=who, text=text)


def corrected(project: Project, before: list[float] | None, after: list[float] | None, judge: str = "judge-m") -> Item:
    """() is a verdict that could not be read, None is none."""
    item = decided_pair(project)
    answers_there(project)
    for answer, given in ((answer_by(item, "model-a"), before), (correction_of(item, "model-a"), after)):
        if given is not None:
            alone(answer, single_judge(project, judge), given)
    return item


def test_the_gain_is_the_mean_difference_on_the_same_items(project: Project) -> None:
    """Sums 5 → 9, 6 → 6, 4 → 3, 3 → 8: before 4.5, after 6.5, gain (4 + 0 - 1 + 5) / 4 = 2."""
    for before, after in (([2, 3], [4, 5]), ([3, 3], [3, 3]), ([2, 2], [2, 1]), ([1, 2], [4, 4])):
        corrected(project, before, after)
    (row,) = gain(project).rows
    assert (row.author, row.corrected, row.gain.n) == ("model-a", "model-a+correction", 4)
    assert (row.before.value, row.after.value, row.gain.value) == (4.5, 6.5, 2)
    assert (row.better, row.same, row.worse) == (2, 1, 1)
    assert row.gain.low is not None
    assert row.gain.high is not None
    assert -1 <= row.gain.low < 2 < row.gain.high <= 5


def test_the_interval_is_paired(project: Project) -> None:
    """Items differ a lot, the gain never does: no resample says anything else than 1."""
    for score in (1, 2, 3, 4):
        corrected(project, [score], [score + 1])
    (row,) = gain(project).rows
    assert (row.gain.value, row.gain.low) == (1, None)


def test_what_is_left_out_is_said(project: Project) -> None:
    corrected(project, [1], [5])
    corrected(project, [1], None)
    corrected(project, None, [5])
    corrected(project, [], [5])
    (row,) = gain(project).rows
    assert row.gain.n == 1
    assert row.left_out == {NOT_JUDGED: 1, BEFORE_ALONE: 1, UNREAD: 1}


def test_judges_stand_apart_and_one_who_read_no_correction_has_no_row(project: Project) -> None:
    corrected(project, [1], [5])
    corrected(project, [2], [3], "judge-n")
    item = decided_pair(project)
    answers_there(project)
    alone(answer_by(item, "model-a"), single_judge(project, "judge-o"), [2])
    found = gain(project)
    assert [(row.judge.name, row.gain.value) for row in found.rows] == [("judge-m", 4), ("judge-n", 1)]
    assert found.corrections == 2


def test_a_new_version_of_the_answer_leaves_the_old_score_out(project: Project) -> None:
    item = corrected(project, [1], [5])
    old = answer_by(item, "model-a")
    Answer.objects.create(item=item, author=old.author, version=2, text="Another text.")
    (row,) = gain(project).rows
    assert (row.gain.value, row.left_out) == (None, {BEFORE_ALONE: 1})


def test_without_corrections_there_is_nothing(project: Project) -> None:
    decided_pair(project)
    answers_there(project)
    assert gain(project).rows == []


def test_numbers_of_criteria_are_no_questions_of_a_checklist() -> None:
    """On items with two questions, two criteria are scored 2 and 3: the score is 5, and no question is met."""
    project = make_project(slug="fb")
    judge = make_judge(project, "judge-m", "branching-single", "n=2 scale=2-10")
    item = decided_item(project, CORRECTION)
    before, whose = answer_of(item, "x"), Author.objects.get(project=project, name="x")
    after = Answer.objects.create(
        item=item, author=Author.objects.create(project=project, name="x+correction", corrects=whose), text="Better."
    )
    alone(before, judge, [2, 3])
    alone(after, judge, [4, 5])
    (row,) = gain(project).rows
    assert (row.before.value, row.after.value, row.left_out) == (5, 9, {})
    assert [one.score for one in scores(project, judge).rows] == [(5 - 2) / 8, (9 - 2) / 8]
