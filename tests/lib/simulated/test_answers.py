"""What the simulated model answers: the shape asked for, the same each time, in the language of the text."""

import json
import math
import re
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.simulated.knobs import Knobs
from lib.simulated.requests import NotUnderstood, read
from lib.simulated.service import answer
from tests.annotate.engine.asked import CHINESE, QUERY, closed, request, value

TEXT = {"type": "string"}
WEIGHTED = closed(
    checklist={"type": "array", "items": closed(criterion=TEXT, weight={"type": "number", "minimum": 0, "maximum": 1})}
)
SCHEMAS = {
    "texts": closed(answer=TEXT, reason={"type": "string", "minLength": 200}, title={"type": "string", "maxLength": 9}),
    "numbers": closed(
        score={"type": "integer", "minimum": 1, "maximum": 5},
        share={"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        even={"type": "integer", "multipleOf": 2, "minimum": 3, "maximum": 9},
        negative={"type": "number", "maximum": -3},
        open={"type": "integer", "minimum": 7},
    ),
    "choices": closed(
        winner={"enum": ["A", "B", "tie"]}, level={"type": "integer", "enum": [1, 3]}, kind={"const": "verdict"}
    ),
    "lists": closed(
        labels={"type": "array", "items": {"enum": ["x", "y", "z"]}, "minItems": 1, "maxItems": 2, "uniqueItems": True},
        long={"type": "array", "items": TEXT, "minItems": 12, "uniqueItems": True},
        pair={"type": "array", "prefixItems": [TEXT, {"type": "number"}], "items": False, "minItems": 2},
        pairs={"type": "array", "items": {"type": "array", "prefixItems": [TEXT, {"type": "number"}], "minItems": 2}},
    ),
    "weighted": WEIGHTED,
    "nothing or something": closed(
        note={"anyOf": [TEXT, {"type": "null"}]}, flag={"type": ["boolean", "null"]}, none={"type": "null"}
    ),
    "references": {
        "$defs": {"Row": closed(question=TEXT, ok={"type": "boolean"}), "Alias": {"$ref": "#/$defs/Row"}},
        **closed(rows={"type": "array", "items": {"$ref": "#/$defs/Alias"}}, one={"allOf": [{"$ref": "#/$defs/Row"}]}),
    },
    "a tree": {
        "$defs": {"Node": closed(name=TEXT, children={"type": "array", "items": {"$ref": "#/$defs/Node"}})},
        "$ref": "#/$defs/Node",
    },
    "a map": {"type": "object", "additionalProperties": {"type": "boolean"}, "minProperties": 3},
    "formats": closed(**{name: {"type": "string", "format": name} for name in ("date", "uuid", "uri", "email")}),
    "a list at the top": {"type": "array", "items": closed(question=TEXT)},
}  # fmt: skip


@pytest.mark.parametrize("text", [QUERY, CHINESE, "", "?", "<b>" * 50], ids=["en", "zh", "empty", "sign", "marks"])
@pytest.mark.parametrize("name", SCHEMAS)
def test_every_answer_fits_its_schema(name: str, text: str) -> None:
    schema = SCHEMAS[name]
    for seed in range(20):
        jsonschema.validate(value(schema, text, seed=seed), schema)


LEAVES = st.sampled_from([TEXT, {"type": "integer", "minimum": 2}, {"type": "boolean"}, {"enum": ["no", "yes"]}])
NAMES = st.sampled_from(["question", "weight", "score", "reason", "winner", "labels", "名称", "x"])
ANY_SCHEMA = st.recursive(
    LEAVES,
    lambda inner: (
        st.dictionaries(NAMES, inner, min_size=1, max_size=4).map(lambda parts: closed(**parts))
        | st.builds(lambda part, least: {"type": "array", "items": part, "minItems": least}, inner, st.integers(0, 5))
        | inner.map(lambda part: {"anyOf": [part, {"type": "null"}]})
    ),
    max_leaves=8,
)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(ANY_SCHEMA, st.text(max_size=80), st.integers(0, 5))
def test_any_schema_made_of_these_parts_is_filled(schema: dict[str, Any], text: str, seed: int) -> None:
    jsonschema.validate(value(closed(answer=schema), text, seed=seed), closed(answer=schema))


def test_the_same_request_has_the_same_answer_and_usage() -> None:
    first, second = (answer(read(request(QUERY, WEIGHTED)), Knobs()) for _turn in range(2))
    assert first.body() == second.body()


@pytest.mark.parametrize("schema", [None, WEIGHTED], ids=["prose", "JSON"])
def test_another_seed_or_another_text_has_another_answer(schema: dict[str, Any] | None) -> None:
    asked = read(request(QUERY, schema))
    assert len({answer(asked, Knobs(seed=seed)).content for seed in range(10)}) > 5
    assert answer(read(request(QUERY + "!", schema)), Knobs()).content != answer(asked, Knobs()).content


def test_the_layout_of_the_json_makes_no_difference() -> None:
    body = request(QUERY, WEIGHTED)
    turned = json.loads(json.dumps(dict(reversed(body.items()))))
    assert read(turned).digest == read(body).digest


def test_weights_of_questions_add_up_to_one() -> None:
    for seed in range(50):
        rows = value(WEIGHTED, seed=seed)["checklist"]
        assert math.isclose(math.fsum(row["weight"] for row in rows), 1)
        assert all(row["weight"] > 0 for row in rows)


def test_questions_can_be_answered_with_yes_or_no_and_differ() -> None:
    for seed in range(50):
        questions = [row["criterion"] for row in value(WEIGHTED, seed=seed)["checklist"]]
        assert all(re.match(r"(Does|Is|Are) .*\?$", question) for question in questions)
        assert len(set(questions)) == len(questions)


def test_texts_speak_the_language_of_what_they_are_about_and_quote_it() -> None:
    schema = closed(feedback=TEXT, question=TEXT, answer=TEXT)
    said = [value(schema, CHINESE, seed=seed) for seed in range(10)]
    assert all(len(re.findall(r"[a-zA-Z]{3,}", text)) == 0 for one in said for text in one.values())
    assert all(one["question"].endswith("？") for one in said)
    assert any("圆锥" in one["feedback"] + one["answer"] for one in said)
    assert not re.search(r"[\u4e00-\u9fff]", json.dumps(value(schema, QUERY), ensure_ascii=False))


def test_prose_is_about_the_question() -> None:
    said = answer(read(request(QUERY)), Knobs())
    assert said.value is None
    assert "A coat costs 80 euros" in (said.content or "")


def test_a_bias_to_the_first_position_shows() -> None:
    schema = closed(winner={"enum": ["first", "second"]})

    def share(bias: float) -> float:
        drawn = [value(schema, f"{QUERY} {turn}", biases={"position": bias})["winner"] for turn in range(400)]
        return drawn.count("first") / len(drawn)

    # 400 draws: three standard deviations are 0.075 around a half. With a bias of 0.6: 0.6 + 0.4 / 2 = 0.8.
    assert abs(share(0) - 0.5) < 0.075
    assert abs(share(0.6) - 0.8) < 0.075
    assert share(1) == 1


def test_leniency_raises_scores_only() -> None:
    schema = closed(score={"type": "number", "minimum": 0, "maximum": 10}, pages={"type": "number"})
    strict, lenient = value(schema), value(schema, biases={"leniency": 0.9})
    assert lenient["score"] > max(strict["score"], 8.8)
    assert lenient["pages"] == strict["pages"]


@pytest.mark.parametrize(
    "schema",
    [
        closed(code={"type": "string", "pattern": "^[A-Z]{3}-[0-9]{7}$"}),
        closed(code={"type": "string", "format": "iri-reference"}),
        closed(number={"type": "integer", "minimum": 4, "maximum": 2}),
        closed(rows={"type": "array", "minItems": 1}),
        {"$defs": {"A": closed(a={"$ref": "#/$defs/A"})}, "$ref": "#/$defs/A"},
    ],
)
def test_what_cannot_be_filled_is_refused_and_not_guessed(schema: dict[str, Any]) -> None:
    with pytest.raises(NotUnderstood):
        value(schema)


def test_a_pattern_that_a_word_matches_is_kept() -> None:
    schema = closed(yes={"type": "string", "pattern": "^[a-z]+$"}, number={"type": "string", "pattern": r"^\d+$"})
    jsonschema.validate(value(schema), schema)
