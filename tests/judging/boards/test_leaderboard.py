import pytest

from annotate.models import Project
from judging.models import Judge
from judging.ratings import leaderboards
from judging.ratings.leaderboards import breakdown, difference, leaderboard, readings, side_by_side
from judging.verdicts.verdict_scores import scores
from lib.stats.figures import ALL_ALIKE, FEW_OF_A_MEAN
from tests.support.judged import CORRECTION, MAINTENANCE, a_judge, answer_of, decided_item, verdict_on
from tests.support.people import make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def judge(project: Project) -> Judge:
    """Two authors on two coding corrections, one reasoning correction and one maintained answer."""
    judge = a_judge(project)
    corrections = [decided_item(project, CORRECTION) for _time in range(2)]
    reasoning = decided_item(project, CORRECTION, task_type="Reasoning", feedback_type=["Hinting Guidance"])
    maintained = decided_item(project, MAINTENANCE)
    for item, ann, bea in (
        (corrections[0], [1, 1], [1, 0]),
        (corrections[1], [1, 0], [0, 0]),
        (reasoning, [1, 1], [0, 1]),
        (maintained, [0, 1], [0, 0]),
    ):
        verdict_on(answer_of(item, "ann"), judge, ann)
        verdict_on(answer_of(item, "bea"), judge, bea)
    return judge


def test_the_best_stands_first_with_the_published_averages(project: Project, judge: Judge) -> None:
    board = leaderboard(project, judge)
    assert board.columns == ["error_correction", "response_maintenance", "overall"]
    ann, bea = board.standings
    # ann: coding (1 + 0.6) / 2 = 0.8, reasoning 1, maintained 1; overall (0.8 + 1 + 1) / 3
    assert (ann.author, ann.n, ann.failed) == ("ann", 4, 0)
    assert list(ann.values.values()) == pytest.approx([0.9, 1.0, 2.8 / 3])
    # bea: coding (0.6 + 0) / 2 = 0.3, reasoning 0.4, maintained 0; overall 0.7 / 3
    assert list(bea.values.values()) == pytest.approx([0.35, 0.0, 0.7 / 3])


def test_both_rules_are_shown_where_a_project_could_choose(project: Project, judge: Judge) -> None:
    ann, _bea = leaderboard(project, judge).standings
    assert ann.what_if["any"]["response_maintenance"] == 1.0
    assert ann.what_if["all"] == {
        "error_correction": pytest.approx(0.9),  # weights have no other rule
        "response_maintenance": 0.0,
        "overall": pytest.approx(1.8 / 3),
    }


def test_a_mean_of_few_items_has_neither_interval_nor_rank(project: Project) -> None:
    judge, items = a_judge(project), [decided_item(project, CORRECTION) for _ in range(6)]
    for n, item in enumerate(items):
        verdict_on(answer_of(item, "six"), judge, [1, n % 2])
        verdict_on(answer_of(item, "alike"), judge, [1, 1])
        if n < 5:
            verdict_on(answer_of(item, "five"), judge, [1, n % 2])
    by_author = {standing.author: standing for standing in leaderboard(project, judge).standings}
    six, five, alike = (by_author[name] for name in ("six", "five", "alike"))
    assert (five.intervals["overall"], five.ranks, five.notes["overall"]) == (None, None, FEW_OF_A_MEAN)
    assert (alike.intervals["overall"], alike.notes["overall"]) == (None, ALL_ALIKE)
    assert (six.ranks is not None, dict(six.notes)) == (True, {})
    low, high = six.intervals["overall"]
    assert low < high


def test_intervals_hold_the_averages_and_ranks_the_order(project: Project, judge: Judge) -> None:
    for item in [decided_item(project, CORRECTION) for _ in range(6)]:
        verdict_on(answer_of(item, "ann"), judge, [1, item.pk % 2])
        verdict_on(answer_of(item, "bea"), judge, [0, item.pk % 2])
    for standing in leaderboard(project, judge).standings:
        assert standing.ranks is not None
        assert 1 <= standing.ranks[0] <= standing.ranks[1] <= 2
        for column in {"error_correction", "overall"}:
            value, (low, high) = standing.values[column], standing.intervals[column]
            assert low - 1e-9 <= value <= high + 1e-9


def test_a_failed_answer_counts_zero_and_stays_in_the_mean(project: Project, judge: Judge) -> None:
    item = decided_item(project, MAINTENANCE)
    verdict_on(answer_of(item, "ann"), judge, (), reading="failed")
    ann = leaderboard(project, judge).standings[0]
    assert (ann.n, ann.failed, ann.values["response_maintenance"]) == (5, 1, 0.5)


def test_samples_of_one_answer_are_averaged_before_items_are(project: Project) -> None:
    judge = a_judge(project)
    item = decided_item(project, CORRECTION)
    for sample, met in ((1, [1, 1]), (2, [0, 0])):
        verdict_on(answer_of(item, "ann", sample=sample), judge, met)
    verdict_on(answer_of(decided_item(project, CORRECTION), "ann"), judge, [1, 1])
    [ann] = leaderboard(project, judge).standings
    assert (ann.n, ann.values["overall"]) == (3, 0.75)  # ((1 + 0) / 2 + 1) / 2, not 2 / 3


def test_a_breakdown_averages_the_items_of_each_group(project: Project, judge: Judge) -> None:
    rows = scores(project, judge).rows
    found = {(one.author, one.group, one.scenario): (one.n, one.value) for one in breakdown(rows, "task")}
    assert found["ann", "Coding", "error_correction"] == (2, pytest.approx(0.8))
    assert found["ann", "Coding", "overall"] == (3, pytest.approx(0.9))  # (0.8 + 1) / 2
    assert ("ann", "Reasoning", "response_maintenance") not in found
    assert len(found) == 2 * (3 + 2)


def test_an_item_with_several_values_counts_in_each(project: Project) -> None:
    judge = a_judge(project)
    item = decided_item(project, CORRECTION, error_type=["Factual Error", "Logical Error"])
    verdict_on(answer_of(item, "ann"), judge, [1, 0])
    found = breakdown(scores(project, judge).rows, "error_type")
    assert {(one.group, one.scenario, one.n) for one in found} == {
        (group, column, 1) for group in ("Factual Error", "Logical Error") for column in ("error_correction", "overall")
    }


def test_a_difference_is_about_two_authors(project: Project, judge: Judge) -> None:
    board = leaderboard(project, judge)
    ec, rm, overall = difference(board, "ann", "bea")
    assert (ec.value, rm.value, overall.value) == pytest.approx((0.55, 1.0, 2.1 / 3))
    assert (ec.n, rm.n, overall.n) == (3, 1, 4)
    with pytest.raises(KeyError):
        difference(board, "ann", "nobody")


def test_judges_are_compared_over_the_authors_both_have_judged(project: Project, judge: Judge) -> None:
    other = a_judge(project, "other")
    item = decided_item(project, CORRECTION)
    for author, met in (("ann", [1, 1]), ("bea", [1, 0]), ("cid", [0, 0])):
        verdict_on(answer_of(item, author), other, met)
    [pair] = side_by_side([leaderboard(project, each) for each in (judge, other)])
    assert (pair.first, pair.second) == (judge, other)
    assert {name: (one.value, one.n) for name, one in pair.correlations.items()} == {
        name: (pytest.approx(1.0), 2) for name in ("pearson", "spearman", "kendall")
    }


def test_nothing_judged_is_an_empty_board(project: Project) -> None:
    board = leaderboard(project, a_judge(project))
    assert (list(board.standings), board.columns) == ([], ["overall"])


def test_a_difference_is_computed_once(project: Project, judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    [reading] = readings(project, [judge])
    computed = reading.difference("ann", "bea")
    monkeypatch.setattr(leaderboards, "paired_difference", None)
    assert readings(project, [judge])[0].difference("ann", "bea") == computed
