import pytest

from annotate.errors import Refused
from judging.verdicts.low_scores import ScoreThreshold, branch_slugs, judge_called
from tests.support.judge_rows import make_judge
from tests.support.judged import CORRECTION, answer_of, decided_item, verdict_on
from tests.support.people import make_project


@pytest.mark.parametrize(
    ("score", "below", "at_most"), [(2.9, True, True), (3.0, False, True), (3.1, False, False), (None, False, False)]
)
def test_a_score_is_low_below_the_threshold_and_an_unread_one_never(
    score: float | None, below: bool, at_most: bool
) -> None:
    assert ScoreThreshold(3.0).is_low(score) is below
    assert ScoreThreshold(3.0, inclusive=True).is_low(score) is at_most


@pytest.mark.django_db
def test_a_judge_is_found_among_those_that_went_through_criteria() -> None:
    project = make_project()
    with pytest.raises(Refused, match="No judge has gone through criteria"):
        judge_called(project, "")
    judge = make_judge(project, "judge-m", branch_slugs()[0])
    verdict_on(answer_of(decided_item(project, CORRECTION), "ann"), judge, ())
    assert judge_called(project, "") == judge_called(project, "judge-m") == judge
    with pytest.raises(Refused, match="judge-m"):
        judge_called(project, "judge-n")
