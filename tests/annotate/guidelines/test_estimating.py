import pytest

from annotate.guidelines.stale import estimate
from annotate.models import Annotation
from tests.support.guidelines import accepted
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db


def timed(case: Case, writing: list[int], reviewing: int = 60) -> None:
    for number, seconds in enumerate(writing):
        item = accepted(case, f"t{number}", group="Coding")
        Annotation.objects.filter(item=item, slot__stage="annotate").update(active_seconds=seconds)
        Annotation.objects.filter(item=item, slot__stage="review").update(active_seconds=reviewing)


def test_the_work_is_items_times_the_medians(case: Case) -> None:
    timed(case, [60, 120, 120, 120, 120, 600])
    found = estimate(case.project, 10)
    # writing: median of 60, 120 ×4, 600 s = 2 min; review: 1 min; 10 × (2 + 1)
    assert found.minutes == pytest.approx(30)
    # of six values the 95 % interval goes from the least to the greatest: 10 × (1 + 1) and 10 × (10 + 1)
    assert (found.low, found.high) == (pytest.approx(20), pytest.approx(110))
    assert (found.n, found.too_few) == (6, True)


def test_a_second_review_counts_for_its_share(case: Case) -> None:
    timed(case, [120, 120])
    case.project.reviews, case.project.second_share = 2, 0.5
    assert estimate(case.project, 10).minutes == pytest.approx(10 * (2 + 1.5 * 1))


def test_items_that_several_write_are_not_reviewed(case: Case) -> None:
    timed(case, [120, 120])
    case.project.overlap, case.project.overlap_share = 3, 0.25
    # 1 + 2 × ¼ texts, ¾ of a review
    assert estimate(case.project, 4).minutes == pytest.approx(4 * (1.5 * 2 + 0.75 * 1))


def test_without_times_nothing_is_said(case: Case) -> None:
    found = estimate(case.project, 10)
    assert (found.minutes, found.low, found.n) == (None, None, 0)


def test_a_group_has_its_own_times(case: Case) -> None:
    timed(case, [120, 120])
    assert estimate(case.project, 1, group="Reasoning").minutes is None
    assert estimate(case.project, 1, group="Coding").minutes == pytest.approx(3)


def test_a_step_that_nobody_was_timed_at_is_not_in_the_sum_and_named(case: Case) -> None:
    timed(case, [120, 120], reviewing=0)
    found = estimate(case.project, 10)
    assert found.minutes == pytest.approx(20)
    assert [step.stage for step in found.untimed] == ["review"]
