"""The swap merge: what a judge says of (second, first) is kept as what it means of (first, second)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.kinds.protocol import Question
from judging.strategies.orders import judged, turned
from judging.strategies.strategy import Opinion, OpinionPart, Strategy, Unparsed, strategies
from lib.texts.fencing import blocks
from tests.support.judges import Judge, saying, shipped, shown
from tests.support.running import run

# Those that say a verdict in one reply; judges in several steps have the same tests with their own replies.
PAIRWISE = [one for one in strategies().values() if one.family == "pairwise"]
CHOICES = ["first", "second", "both_good", "both_bad", "tie", ""]
SAID = {"first": "A", "second": "B", "both_good": "both good", "both_bad": "both bad"}
scores = st.none() | st.floats(0, 10)
pieces = st.builds(
    OpinionPart, axis=st.text(max_size=5), score_first=scores, score_second=scores, reason=st.text(max_size=5)
)
opinions = st.builds(
    Opinion,
    score_first=scores,
    score_second=scores,
    choice=st.sampled_from(CHOICES),
    reason=st.text(max_size=20),
    pieces=st.lists(pieces, max_size=3),
    note=st.text(max_size=5),
    top=scores,
)


@given(opinions)
def test_swapping_twice_is_nothing(said: Opinion) -> None:
    assert turned(turned(said)) == said


@given(opinions)
def test_labels_and_scores_are_exchanged_and_nothing_else(said: Opinion) -> None:
    found = turned(said)
    assert (found.score_first, found.score_second) == (said.score_second, said.score_first)
    assert {said.choice, found.choice} in ({"first", "second"}, {said.choice})
    assert (found.choice == said.choice) == (said.choice not in ("first", "second"))
    assert (found.reason, found.note, found.top) == (said.reason, said.note, said.top)
    assert [(one.score_second, one.score_first) for one in found.pieces] == [
        (one.score_first, one.score_second) for one in said.pieces
    ]


@pytest.fixture(params=PAIRWISE, ids=lambda strategy: strategy.slug)
def strategy(request: pytest.FixtureRequest) -> Strategy:
    return request.param


def kept(strategy: Strategy, ask: Judge, first: str, second: str, *, swapped: bool) -> Opinion:
    of = shown(first=first, second=second, options=strategy.options())
    said = run(judged(strategy, of, shipped(strategy.family), ask, swapped=swapped)).said
    assert isinstance(said, Opinion)
    return said


def preferring_longer() -> Judge:
    """A judge without a position: whichever it is shown as A, it names the longer text."""

    def says(question: Question) -> str:
        text = question.messages[1]["content"]
        found = blocks(text, text.split("<data-", 1)[1][:16])
        longer = len(found["answer"]) - len(found["second"])
        return json.dumps({"explanation": "", "verdict": "A" if longer > 0 else "B" if longer < 0 else "both good"})

    return Judge(says)


@given(first=st.text("ab", min_size=1, max_size=9), second=st.text("ab", min_size=1, max_size=9))
def test_a_judge_without_a_position_says_the_same_in_both_orders(first: str, second: str) -> None:
    for strategy in PAIRWISE:
        straight, swapped = (
            kept(strategy, preferring_longer(), first, second, swapped=order) for order in (False, True)
        )
        longer = len(first) - len(second)
        assert straight.choice == swapped.choice == ("first" if longer > 0 else "second" if longer < 0 else "both_good")


@pytest.mark.parametrize("choice", SAID)
def test_a_judge_that_sees_positions_only_contradicts_itself_where_it_names_one(
    strategy: Strategy, choice: str
) -> None:
    ask = saying(json.dumps({"explanation": "e", "verdict": SAID[choice]}))
    straight, swapped = (kept(strategy, ask, "one", "two", swapped=order) for order in (False, True))
    assert straight.choice == choice
    assert (swapped.choice == choice) == choice.startswith("both")


def test_a_swapped_reply_that_cannot_be_read_stays_unread(strategy: Strategy) -> None:
    of = shown(first="one", second="two", options=strategy.options())
    said = run(judged(strategy, of, shipped(strategy.family), saying("Well."), swapped=True)).said
    assert isinstance(said, Unparsed)
    assert said.said == "Well."
