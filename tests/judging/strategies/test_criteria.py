from dataclasses import replace

import pytest
from pydantic import BaseModel, ValidationError

from annotate.kinds.perturbation.shapes import build_taxonomy
from annotate.kinds.protocol import JudgedItem
from judging.strategies.criteria import (
    FILES,
    GENERIC,
    TASK_SPECIFIC,
    OwnAxes,
    OwnRules,
    axes_in,
    axis_for,
    criteria,
    rules_for,
    text_of,
    worded,
)
from judging.strategies.strategy import Opinion, strategies
from tests.support.judges import WEIGHED, messages, saying, shipped, shown
from tests.support.running import run

FACTUAL = JudgedItem([{"role": "user", "content": "?"}], labels={"ability": ["Factual"]})


# Stems by which a text would name a category of perturbations.
NAMING = {
    "grammar-errors": ["gramma", "语法"],
    "spelling-errors": ["spell", "拼写", "错别字"],
    "consistency-errors": ["consisten", "contradict", "一致", "矛盾"],
    "seq-errors": ["chronolog", "in their order", "时间顺序", "先后"],
    "coherence-errors": ["coheren", "连贯"],
    "comprehensiveness-errors": ["comprehensive", "complete", "全面", "完整"],
    "formatting-errors": ["format", "layout", "排版", "格式"],
    "superficial-errors": ["superficial", "padding", "空泛"],
    "contextual-errors": ["context", "语境"],
    "entity-errors": ["entit", "names", "人名", "实体"],
    "incorrect-fact": ["fact", "事实"],
    "number-errors": ["number", "figures", "数字"],
    "opposite-fact": ["opposite", "相反"],
    "remove-fact": ["remove", "left out", "删去", "略去"],
    "do-less-errors": ["do less", "does less", "少做"],
    "do-more-errors": ["do more", "does more", "多做"],
    "ignore-format-errors": ["form ", "prescribed", "形式"],
    "incorrect-sequence-errors": ["sequence", "order", "顺序", "次序"],
    "assumption-errors": ["assum", "假定", "臆断"],
    "calculation-errors": ["calculat", "arithmetic", "recompute", "计算", "运算"],
    "copying-numbers-errors": ["copy", "copied", "抄"],
    "final-answer-errors": ["final", "最终"],
    "incorrect-units": ["unit", "单位"],
    "wrong-formula": ["formula", "公式"],
    "score_invariant": ["invariant", "wording differs", "分值不变", "措辞不同"],
}


def texts_in(texts: str) -> list[str]:
    """Every text of the set, in both languages."""
    tables = [parts if name == "rules" else {**parts} for name, parts in criteria(texts).items()]
    found = [one for parts in tables for one in parts.values()]
    return [text for one in found for text in (one.values() if isinstance(one, dict) else [one])]


def test_no_generic_text_names_a_category_of_perturbations() -> None:
    assert set(NAMING) == set(build_taxonomy({}, {}).categories)
    for text in texts_in(GENERIC):
        named = [stem for stems in NAMING.values() for stem in stems if stem in text.casefold()]
        assert not named, (named, text)


def test_the_task_specific_texts_name_categories_of_every_ability() -> None:
    """So that the test above can fail: these are the texts that told judges what is looked for."""
    for ability in ("long-form", "factual", "instruction-following", "reasoning"):
        text = text_of(ability, "axis", "en", TASK_SPECIFIC).casefold()
        stems = [NAMING[slug] for slug, one in build_taxonomy({}, {}).categories.items() if one.ability == ability]
        assert sum(any(stem in text for stem in some) for some in stems) >= 2, ability


@pytest.mark.parametrize("texts", FILES)
def test_every_ability_has_an_axis_and_two_rubrics_in_both_languages_with_a_line_for_each_score(texts: str) -> None:
    assert set(criteria(texts)) == set(criteria(GENERIC))
    abilities = [name for name in criteria(texts) if name != "rules"]
    assert abilities
    for ability in abilities:
        for language in ("en", "zh"):
            assert criteria(texts)[ability]["axis"][language]
            for top in (3, 5):
                lines = criteria(texts)[ability][f"rubric{top}"][language].strip().splitlines()
                assert [line[0] for line in lines] == [str(score) for score in range(1, top + 1)], (ability, language)


def test_no_two_texts_are_equal() -> None:
    texts = texts_in(GENERIC) + texts_in(TASK_SPECIFIC)
    assert len(set(texts)) == len(texts)


def test_a_judge_is_told_the_set_that_was_chosen() -> None:
    for slug in ("rubric", "axis-rubric", "pairwise-rules", "evaluator-task"):
        strategy = strategies()[slug]
        for texts in FILES:
            options = strategy.options.model_validate({"texts": texts})
            ask = saying('{"explanation": "fine", "score": 2, "verdict": "A"}')
            second = "b" if strategy.pairwise else None
            of = shown(replace(FACTUAL), first="a", second=second, reference="r", options=options)
            run(strategy.judge(of, shipped(strategy.family), ask))
            said = messages(ask.asked)[1]
            for each in FILES:
                rubric = [text_of("factual", what, "en", each).strip() for what in ("rubric3", "rubric5")]
                general = [text_of("general", what, "en", each).strip() for what in ("rubric3", "rubric5")]
                own = [criteria(each)["rules"]["en"].strip()]
                assert any(one in said for one in rubric + general + own) == (each == texts), (slug, texts)


def test_own_rules_replace_all_shipped_ones_and_make_another_judge() -> None:
    lines = OwnRules.model_validate({"rules": "- Short is better.\n- Plain is better; always."})
    assert rules_for(lines, "en") == "- Short is better.\n- Plain is better; always."
    listed = OwnRules.model_validate({"rules": ["Short is better.", "Plain is better."]})
    apart = OwnRules.model_validate({"rules": "Short is better.; Plain is better."})
    assert rules_for(listed, "zh") == rules_for(apart, "zh") == "- Short is better.\n- Plain is better."
    assert rules_for(OwnRules(), "en").strip() == criteria(GENERIC)["rules"]["en"].strip()
    strategy = strategies()["pairwise-axis-rules"]
    own = strategy.options.model_validate({"rules": "Short is better."})
    assert strategy.variant(own).startswith("texts=generic rules=")
    assert strategy.variant(strategy.options()) == "texts=generic"


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
    assert axis.variant(axis.options()) == "scale=1-10 texts=generic"
    plain: BaseModel = axis.options.model_validate({"scale": "1-5", "axes": "factual = x"})
    assert axis.variant(plain).startswith("scale=1-5 texts=generic axes=")
    assert strategies()["rubric"].variant(strategies()["rubric"].options()) == "scale=1-3 texts=generic"
    told = axis.options.model_validate({"texts": "task-specific"})
    assert axis.variant(told) == "scale=1-10 texts=task-specific"
    assert strategies()["pairwise"].variant(strategies()["pairwise"].options()) == ""


def test_a_score_is_kept_as_given_and_says_its_top_only_beside_a_reference() -> None:
    ask = saying('{"explanation": "fine", "score": 10}')
    for slug, top in (("vanilla", None), ("reference", 10.0)):
        strategy = strategies()[slug]
        of = shown(first="a", reference="b", options=strategy.options())
        assert run(strategy.judge(of, shipped(strategy.family), ask)) == Opinion(10.0, reason="fine", top=top)
    assert "from 1 (worthless) to 10" in messages(ask.asked)[1]
