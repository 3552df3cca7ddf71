"""Scores have a range: it is the strategy's own field, and what does not lie on it is not read."""

from typing import Any

import pytest

from annotate.kinds.protocol import Ask, Prompts
from judging.readers.scales import Scale
from judging.strategies.orders import judged, on_scale
from judging.strategies.scored import OneToTen
from judging.strategies.strategy import NoOptions, Opinion, OpinionPart, ShownCase, Strategy, Unparsed, numbers_its_own
from tests.support.judges import saying, shown
from tests.support.running import run


class Marks(Strategy):
    """Gives what it was made with."""

    slug = family = name = about = "marks"
    steps = ("mark",)

    def __init__(self, opinion: Opinion, scale: Scale | None) -> None:
        self.opinion, self.scale = opinion, scale

    async def judge(self, case: ShownCase, prompts: Prompts, ask: Ask) -> Opinion | Unparsed:
        return self.opinion


def given(opinion: Opinion, scale: Scale | None = Scale(1, 5)) -> Opinion | Unparsed:  # noqa: B008 - frozen
    return run(judged(Marks(opinion, scale), shown(), Prompts({}), saying(""))).said


@pytest.mark.parametrize("score", [1, 2.5, 5, 5 + 1e-12, None])
def test_a_score_on_the_scale_is_kept(score: float | None) -> None:
    assert given(Opinion(score)) == Opinion(score)


@pytest.mark.parametrize("score", [0, 0.99, 5.01, 400, float("inf"), float("nan")])
def test_a_score_off_the_scale_is_unparsed_and_says_why(score: float) -> None:
    for opinion in (Opinion(score, reason="good"), Opinion(3, score, reason="good")):
        said = given(opinion)
        assert isinstance(said, Unparsed)
        assert said.reason == f"The score {score:g} is not on the scale from 1 to 5."
        assert said.said == "good"


def test_a_part_that_is_no_finite_number_is_unparsed() -> None:
    for part in (OpinionPart("a", score_first=float("nan")), OpinionPart("a", weight=float("inf"))):
        said = given(Opinion(3, pieces=[part]))
        assert isinstance(said, Unparsed)
        assert said.reason == "A score is not a finite number."


def test_a_score_without_a_scale_is_a_fault_of_the_strategy() -> None:
    with pytest.raises(ValueError, match="Marks gives a score and names no scale"):
        given(Opinion(3), scale=None)
    assert given(Opinion(choice="tie"), scale=None) == Opinion(choice="tie")


def test_a_strategy_is_another_judge_by_its_scale() -> None:
    assert Marks(Opinion(3), Scale(1, 5)).variant(NoOptions()) == "scale=1-5"
    assert Marks(Opinion(3), None).variant(NoOptions()) == ""


def test_an_option_may_decide_the_scale() -> None:
    class Chosen(Marks):
        def scale_of(self, options: Any) -> Scale:
            return Scale.named(options.scale)

    assert on_scale(Opinion(9), Chosen(Opinion(9), None), OneToTen()) == Opinion(9)
    assert isinstance(on_scale(Opinion(9), Chosen(Opinion(9), None), OneToTen(scale="1-5")), Unparsed)


@pytest.mark.parametrize(
    ("slug", "own"),
    [
        ("checklist", False),
        ("branching-single", True),
        ("intent", True),
        ("vanilla", True),
        ("external", False),
    ],
)
def test_numbers_are_questions_of_a_checklist_only_where_a_strategy_says_so(slug: str, own: bool) -> None:
    assert numbers_its_own(slug) == own
