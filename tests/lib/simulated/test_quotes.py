"""The simulated model marks spans by quoting: as often word for word as skill says."""

import json

from annotate.engine.wire import response_format
from annotate.kinds.form.preannotation import reply_shape
from annotate.kinds.questions.definition import read_definition
from annotate.kinds.questions.types.spans import Spans
from lib.simulated.knobs import Knobs
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
    texts = {"material": json.dumps(FACTS, ensure_ascii=False), "questions": "q", "guidelines": ""}
    messages = fenced(shipped("form").text("answers", "en"), texts).messages()
    shape = reply_shape(DEFINITION, FACTS)
    body = {"model": "m", "messages": messages, "response_format": response_format(shape)}
    reply = shape.model_validate(answer(read(body), Knobs(skill=skill, seed=seed)).value)
    question = DEFINITION.questions[0]
    assert isinstance(question, Spans)
    found, doubts = question.from_model(reply.model_dump(by_alias=True)["q"], FACTS)
    return len(found or ()), len(doubts)


def test_with_full_skill_every_quote_has_one_place() -> None:
    counts = [spans(1.0, seed) for seed in SEEDS]
    assert sum(found for found, _doubts in counts) > 20
    assert sum(doubts for _found, doubts in counts) == 0


def test_without_skill_no_quote_is_in_the_text() -> None:
    assert sum(found for found, _doubts in (spans(0.0, seed) for seed in SEEDS)) == 0
