"""Which criteria decide, derived by hand."""

import pytest

from annotate.models import Project
from judging.boards.branches.decisive_criteria import criteria, judged
from judging.strategies.strategy import OpinionPart
from tests.support.branched import answers_there, branching_project, decided_pair, in_both_orders, pair_judge

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return branching_project(slug="trees")


def said(*scores: tuple[float, float], weight: float | None = None) -> list[tuple[bool, bool, bool]]:
    pieces = [OpinionPart(str(at), f"c{at}", one, other, weight) for at, (one, other) in enumerate(scores, 1)]
    return [(one.tells, one.for_winner, one.decides) for one in judged(pieces)]


def test_a_criterion_decides_where_without_it_the_verdict_is_another() -> None:
    """5:1 and 3:4 and 2:2 make 10:7; without the first 5:6, without the second 7:3, without the third 8:5."""
    assert said((5, 1), (3, 4), (2, 2)) == [(True, True, True), (True, False, False), (False, False, False)]


def test_a_tie_hangs_on_everything_that_tells() -> None:
    assert said((5, 1), (1, 5), (3, 3)) == [(True, False, True), (True, False, True), (False, False, False)]


def test_the_only_criterion_decides_and_what_was_not_read_says_nothing() -> None:
    assert said((3, 3)) == [(False, False, True)]
    assert list(judged([OpinionPart("1", "c", None, 3)])) == []


def test_what_says_the_same_in_other_words_is_counted_together(project: Project) -> None:
    """Six pairs in both orders: clarity decides all twelve, tone none; two names of clarity are one cluster."""
    for number in range(6):
        item = decided_pair(project)
        answers_there(project)
        names = ("Clarity" if number % 2 else "Clarity of words", "Tone")
        in_both_orders(item, pair_judge(project), [(1, 4), (3, 3)], [(1, 4), (3, 3)], names=names)
    found, trees = criteria(project)
    clear, tone = found.clusters
    assert (clear.n, clear.queries, dict(clear.names)) == (12, 6, {"Clarity": 6, "Clarity of words": 6})
    assert (clear.decides.value, tone.decides.value) == (1, 0)
    assert [row.called for row in found.never] == ["Tone"]
    assert [(row.key, row.decides.value) for row in found.places] == [("1", 1), ("2", 0)]
    assert trees.judge is None
    assert trees.places[0].n == 6


def test_of_few_judgements_nobody_says_never(project: Project) -> None:
    item = decided_pair(project)
    answers_there(project)
    in_both_orders(item, pair_judge(project), [(1, 4), (3, 3)], [(1, 4), (3, 3)])
    assert criteria(project)[0].never == []
