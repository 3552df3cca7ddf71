"""Authors by their mean single score beside other rankings, derived by hand."""

from math import log

import pytest
from scipy.special import expit

from annotate.models import Project
from judging.boards.branches.systems import PEOPLE_PAIRS, systems
from tests.support.branched import alone, answer_by, answers_there, branching_project, decided_pair, single_judge
from tests.support.judged import answer_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return branching_project(slug="trees")


def scored(project: Project, judge: str, **scores: list[float]) -> None:
    """author (with _ for -) -> a score at each of so many items, which are made where they are missing."""
    n = len(next(iter(scores.values())))
    while project.items.count() < n:
        decided_pair(project)
    answers_there(project)
    for author, given in scores.items():
        for item, score in zip(project.items.order_by("pk"), given, strict=False):
            name = author.replace("_", "-")
            there = item.answers.filter(author__name=name)
            alone(there.get() if there else answer_of(item, name), single_judge(project, judge, n=1), [score])


def test_the_interval_of_a_mean_ends_where_the_scale_does(project: Project) -> None:
    """Of 5, 5, 5, 4 on 1 to 5 Student's interval would go from 3.95 to 5.55, so that it is made of log-odds.

    On 0 to 1 the mean is 15/16 with deviation 1/16, its log-odds ln 15 ± 3.1824 · (1/16) / (15/16 · 1/16).
    """
    scored(project, "judge-m", model_a=[5, 5, 5, 4], model_b=[1, 2, 1, 1])
    best, worst = systems(project).rankings[0].systems
    ends = [1 + 4 * expit(log(15) + sign * 3.18245 * 16 / 15) for sign in (-1, 1)]
    assert [best.mean.low, best.mean.high] == pytest.approx(ends, abs=1e-4)
    assert [worst.mean.low, worst.mean.high] == pytest.approx([6 - ends[1], 6 - ends[0]], abs=1e-4)


def test_authors_stand_by_their_mean_on_one_scale(project: Project) -> None:
    """On 1 to 5: (4 + 2) / 2 = 3 is in the middle, (5 + 5) / 2 = 5 the end."""
    scored(project, "judge-m", model_a=[4, 2], model_b=[5, 5])
    (ranking, people) = systems(project).rankings
    assert [(one.author, one.mean.value, one.scaled, one.mean.n) for one in ranking.systems] == [
        ("model-b", 5, 1, 2),
        ("model-a", 3, 0.5, 2),
    ]
    assert (ranking.scale, ranking.named) == ((1, 5), True)
    assert (people.name, people.systems[0].author, people.systems[0].mean.value) == (PEOPLE_PAIRS, "model-b", 1)


def test_two_rankings_are_correlated_over_the_authors_that_both_have(project: Project) -> None:
    """m: a 1, b 2, c 3; n: a 1, b 3, c 2: two of three pairs agree, τ = (2 - 1) / 3, ρ = 1 - 6·2 / (3·8) = 0.5."""
    scored(project, "judge-m", model_a=[1, 1], model_b=[2, 2], model_c=[3, 3], model_d=[5, 5])
    scored(project, "judge-n", model_a=[1, 1], model_b=[3, 3], model_c=[2, 2])
    found = {(one.left.split(" ")[0], one.right.split(" ")[0]): one for one in systems(project).beside}
    one = found["judge-m", "judge-n"]
    assert one.n == 3
    assert one.coefficients["kendall"].value == pytest.approx(1 / 3)
    assert one.coefficients["spearman"].value == pytest.approx(0.5)
    assert one.intervals["kendall"] == pytest.approx((1 / 3, 1 / 3))  # no item says anything else
    assert found["judge-m", "people,"].intervals["kendall"] is None  # of two authors


def test_equal_authors_have_no_correlation_and_one_author_no_ranking(project: Project) -> None:
    scored(project, "judge-m", model_a=[3], model_b=[3])
    item = project.items.get()
    alone(answer_by(item, "model-a"), single_judge(project, "judge-o", n=1), [3])
    found = systems(project)
    assert {one.name.split(" ")[0] for one in found.rankings} == {"judge-m", "people,"}
    assert found.beside[0].coefficients["kendall"].value is None
