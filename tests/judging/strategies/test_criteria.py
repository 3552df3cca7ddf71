from dataclasses import replace

import pytest
from pydantic import BaseModel, ValidationError

from annotate.kinds.judged import Judged
from judging.strategies import strategies
from judging.strategies.base import Opinion
from judging.strategies.criteria import OwnAxes, axes_in, axis_for, criteria, text_of, worded
from tests.support.judges import WEIGHED, messages, saying, shipped, shown
from tests.support.running import run

FACTUAL = Judged([{"role": "user", "content": "?"}], labels={"ability": ["Factual"]})


def test_every_ability_has_an_axis_and_two_rubrics_in_both_languages_with_a_line_for_each_score() -> None:
    abilities = [name for name in criteria() if name != "rules"]
    assert abilities
    for ability in abilities:
        for language in ("en", "zh"):
            assert criteria()[ability]["axis"][language]
            for top in (3, 5):
                lines = criteria()[ability][f"rubric{top}"][language].strip().splitlines()
                assert [line[0] for line in lines] == [str(score) for score in range(1, top + 1)], (ability, language)


def test_no_two_texts_are_equal() -> None:
    texts = [text for ability, parts in criteria().items() if ability != "rules" for each in parts.values()
             for text in each.values()]  # fmt: skip
    assert len(set(texts)) == len(texts)


def test_an_own_axis_replaces_that_of_its_ability_only() -> None:
    own = OwnAxes.model_validate({"axes": {"factual": "Is it made up?"}})
    assert own.axes == "factual = Is it made up?"
    assert axis_for(FACTUAL, own, "en") == "Is it made up?"
    other = replace(FACTUAL, labels={"ability": ["reasoning"]})
    assert axis_for(other, own, "en") == text_of("reasoning", "axis", "en")
    assert axis_for(WEIGHED, own, "zh") == text_of("general", "axis", "zh")


@pytest.mark.parametrize("axes", ["factual", "= x", "factual =", "a = b; c"])
def test_a_line_that_is_no_axis_is_refused(axes: str) -> None:
    with pytest.raises(ValidationError, match="write ability = axis"):
        OwnAxes(axes=axes)


def test_lines_and_semicolons_both_part_axes() -> None:
    assert axes_in("Long form = a = b；factual=c\n\n") == {"long-form": "a = b", "factual": "c"}


def test_our_own_texts_leave_no_slot_behind() -> None:
    assert worded("{{ axis }} {{ answer }}", {"axis": "{{ answer }}!"}) == "{ { answer }}! {{ answer }}"


def test_a_variant_says_scale_and_axes() -> None:
    axis = strategies()["axis"]
    assert axis.variant(axis.options()) == "scale=1-10"
    plain: BaseModel = axis.options.model_validate({"scale": "1-5", "axes": "factual = x"})
    assert axis.variant(plain).startswith("scale=1-5 axes=")
    assert strategies()["rubric"].variant(strategies()["rubric"].options()) == "scale=1-3"
    assert strategies()["pairwise"].variant(strategies()["pairwise"].options()) == ""


def test_a_score_is_kept_as_given_and_says_its_top_only_beside_a_reference() -> None:
    ask = saying('{"explanation": "fine", "score": 10}')
    for slug, top in (("vanilla", None), ("reference", 10.0)):
        strategy = strategies()[slug]
        of = shown(first="a", reference="b", options=strategy.options())
        assert run(strategy.judge(of, shipped(strategy.family), ask)) == Opinion(10.0, reason="fine", top=top)
    assert "from 1 (worthless) to 10" in messages(ask.asked)[1]
