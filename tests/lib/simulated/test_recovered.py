"""The simulated model recovers criteria by which the preferred response is ahead, as often as skill says."""

from typing import Any

import pytest

from annotate.engine.wire import response_format
from annotate.kinds.branching.chain import judgement_text
from annotate.kinds.branching.shapes import Original
from annotate.kinds.trees import Criteria, Levels
from lib.simulated.knobs import Knobs
from lib.simulated.requests import read
from lib.simulated.service import answer
from lib.simulated.traits import ENDS, criterion_in, score, scores
from lib.texts.fencing import fenced
from tests.support.scripted import shipped

PROMPTS = shipped("branching")
QUERY = "Which months are the wettest in the valley, and how much rain falls then?"
SHORT = "June and July."
LONG = "June has 120 mm and July has 140 mm.\n- June: showers\n- July: long rain\nThe valley is dry in winter."


def asked(step: str, shape: Any, skill: float = 1.0, seed: int = 1, **texts: str) -> Any:
    given = {"query": QUERY, "answer": SHORT, "second": LONG, "judgement": "", "count": "5", **texts}
    messages = fenced(PROMPTS.text(step, "en"), given).messages()
    body = {"model": "m", "messages": messages, "response_format": response_format(shape)}
    return shape.model_validate(answer(read(body), Knobs(skill=skill, seed=seed)).value)


def lean(judgement: str, skill: float = 1.0, seed: int = 1) -> list[int]:
    """For each recovered criterion who is ahead by it: 1 the first, -1 the second, 0 neither."""
    found = asked("recovered-criteria-pair", Criteria, skill, seed, judgement=judgement).criteria
    ends = [criterion_in(f"{one.name}\n{one.description}") for one in found]
    pairs = [scores(SHORT, LONG, QUERY, end) for end in ends if end]
    return [(one > other) - (one < other) for one, other in pairs]


@pytest.mark.parametrize(("verdict", "sign"), [("first", 1), ("second", -1)])
def test_with_full_skill_every_criterion_speaks_for_the_verdict(verdict: Any, sign: int) -> None:
    judgement = judgement_text(Original(style="verdict", verdict=verdict))
    assert lean(judgement) == [sign] * 5


def test_without_skill_they_speak_for_either() -> None:
    judgement = judgement_text(Original(style="verdict", verdict="first"))
    signs = [sign for seed in range(20) for sign in lean(judgement, skill=0.0, seed=seed)]
    assert 30 < signs.count(1) < 70


def test_a_high_score_alone_gives_criteria_that_the_response_meets() -> None:
    judgement = judgement_text(Original(style="score", score_first=5, lowest=1, highest=5))
    found = asked("recovered-criteria", Criteria, judgement=judgement, answer=LONG).criteria
    ends = [criterion_in(one.name) for one in found]
    assert all(end is not None and score(LONG, QUERY, end) >= 3 for end in ends)


def test_the_levels_are_about_the_criterion() -> None:
    levels = asked("recovered-guideline-pair", Levels, judgement="J.", criterion="Layout\nWhether …")
    assert len(set(levels.in_order())) == 5
    assert all("Layout" in words for words in levels.in_order())


def test_both_ends_of_a_trait_say_the_opposite() -> None:
    for trait in {end.trait for end in ENDS}:
        high, low = [end for end in ENDS if end.trait == trait]
        assert score(LONG, QUERY, high) + score(LONG, QUERY, low) == 6
        one, other = scores(SHORT, LONG, QUERY, high), scores(SHORT, LONG, QUERY, low)
        assert (one[0] > one[1]) == (other[0] < other[1])


def test_a_renamed_criterion_is_known_by_what_it_looks_at() -> None:
    end = ENDS[0]
    assert criterion_in(f"Another name\n{end.descriptions[0]}") == end
    assert criterion_in("Another name\nAnother look.") is None
