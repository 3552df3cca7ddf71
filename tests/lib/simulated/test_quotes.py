"""The simulated model marks spans by quoting: as often word for word as skill says."""

import json
from typing import Any

import pytest

from annotate.engine.wire import response_format
from annotate.kinds.form.preannotation import reply_shape
from annotate.kinds.questions.definition import read_definition
from annotate.kinds.questions.types.spans import Spans
from lib.simulated.knobs import BadKnob, Knobs
from lib.simulated.requests import read
from lib.simulated.service import answer
from lib.texts.fencing import fenced
from tests.support.scripted import shipped

DEFINITION = read_definition(
    "show: [{field: source}, {field: target}]\n"
    "questions: [{name: q, type: spans, on: [target, source], labels: [a, b], attributes: {size: [big, small]}}]"
)
FACTS = {"source": "雨停了，雨停了。", "target": "The rain stopped and the rain began, and the road is wet."}
SEEDS = range(40)


def spans(skill: float, seed: int) -> tuple[int, int]:
    """(spans that were found, quotes without a place) of one reply."""
    found, doubts = marked(Knobs(skill=skill, seed=seed))
    return len(found), doubts


def marked(knobs: Knobs) -> tuple[list[dict[str, Any]], int]:
    texts = {"material": json.dumps(FACTS, ensure_ascii=False), "questions": "q", "guidelines": ""}
    messages = fenced(shipped("form").text("answers", "en"), texts).messages()
    shape = reply_shape(DEFINITION, FACTS)
    body = {"model": "m", "messages": messages, "response_format": response_format(shape)}
    reply = shape.model_validate(answer(read(body), knobs).value)
    question = DEFINITION.questions[0]
    assert isinstance(question, Spans)
    found, doubts = question.from_model(reply.model_dump(by_alias=True)["q"], FACTS)
    return found or [], len(doubts)


def test_with_full_skill_every_quote_has_one_place() -> None:
    counts = [spans(1.0, seed) for seed in SEEDS]
    assert sum(found for found, _doubts in counts) > 20
    assert sum(doubts for _found, doubts in counts) == 0


def test_without_skill_no_quote_is_in_the_text() -> None:
    assert sum(found for found, _doubts in (spans(0.0, seed) for seed in SEEDS)) == 0


def test_with_a_pattern_recall_and_precision_are_as_set() -> None:
    # Of `The`, twice `the` and `is` 40 times each, 160 places: 0.5 are kept, and one false for each right one.
    noise = {"span_pattern": r"(?i)\bthe\b|\bis\b", "span_recall": 0.5, "span_precision": 0.5}
    right, false = 0, 0
    for seed in SEEDS:
        for quote in quoted(Knobs(seed=seed, **noise)):
            is_right = quote.lower() in ("the", "is")
            right, false = right + is_right, false + (not is_right)
    assert 60 < right < 100  # 80 on average, standard deviation 6.3
    assert 60 < false < 100
    assert set(quoted(Knobs(span_pattern="rain"))) == {"rain"}


def quoted(knobs: Knobs) -> list[str]:
    found, doubts = marked(knobs)
    assert doubts == 0
    return [span["text"] for span in found if span["field"] == "target"]


def test_a_pattern_that_is_none_and_a_precision_of_nothing_are_refused() -> None:
    for wrong in ({"span_pattern": "("}, {"span_precision": 0.0}, {"span_recall": 1.5}):
        with pytest.raises(BadKnob, match="span_"):
            Knobs(**wrong)
