from collections import Counter
from typing import Any

import pytest
from django.http import QueryDict
from django.utils.translation import override
from pydantic import ValidationError

from annotate.kinds import find_kind
from annotate.kinds.perturbation.generation import fitting, perturb, wordings
from annotate.kinds.perturbation.shapes import PerturbationOptions, subtlety
from annotate.kinds.protocol import Prompts
from annotate.project.actions import checked_options
from tests.support.canals import DRAFT, FACTS, GOLD
from tests.support.running import run
from tests.support.scripted import Script

KIND = find_kind("perturbation")
NO_ANSWER: dict[str, Any] = {"perturbed_answer": "", "note": ""}


def doubts(perturbed: str, *, options: Any = None, **facts: Any) -> list[str]:
    shaped = KIND.read_facts(FACTS | facts)
    draft = KIND.read_draft(DRAFT | {"perturbed_answer": perturbed})
    return [found.message for found in KIND.doubts(shaped, draft, options or KIND.options())]


def problems(**draft: Any) -> list[str]:
    found = KIND.problems(KIND.read_facts(FACTS), KIND.read_draft(DRAFT | draft), KIND.options())
    return [one.path for one in found]


# --- what is looked at before a person does -------------------------------------------------------------------------
def test_a_good_perturbation_raises_no_doubt() -> None:
    assert doubts(DRAFT["perturbed_answer"]) == []


def test_the_gold_answer_itself_is_doubted() -> None:
    assert doubts(GOLD) == ["it is the gold answer, character for character."]


@pytest.mark.parametrize("gold", ["", " \n"])
def test_a_missing_gold_answer_is_doubted(gold: str) -> None:
    assert doubts("28", gold_answer=gold) == ["there is no gold answer to compare it with."]


def test_a_number_category_in_which_no_number_changed_is_doubted() -> None:
    assert doubts(GOLD.replace("canal", "channel"), explanation="") == ["no number changed."]
    assert doubts(GOLD.replace("82", "eighty"), explanation="") == []  # a number in words is a number


@pytest.mark.parametrize("to", ["82 miles", "82 千米", "82%"])
def test_a_changed_unit_is_seen(to: str) -> None:
    unit = {"category": "incorrect-units", "explanation": ""}
    assert doubts(GOLD.replace("82 kilometres", to), **unit) == []
    assert doubts(GOLD.replace("lift", "raise"), **unit) == ["no unit changed."]


@pytest.mark.parametrize(
    ("gold", "perturbed", "changed"),
    [
        ("- one\n- two", "one two", True),
        ("**Note:** all right", "Note: all right", True),
        ("# Head\ntext", "Head\ntext", True),
        ("| a | b |\n|---|---|", "a b", True),
        ("```\nx = 1\n```", "x = 1", True),
        ("1. one\n2. two", "1. uno\n2. two", False),
    ],
)
def test_a_format_category_in_which_the_form_is_the_same_is_doubted(gold: str, perturbed: str, changed: bool) -> None:
    own = PerturbationOptions(categories={"formatting-errors": {"largest": 1}})
    said = doubts(perturbed, gold_answer=gold, category="formatting-errors", explanation="", options=own)
    assert said == (
        [] if changed else ["the form of the text is the same: no heading, list, emphasis or line changed."]
    )


def test_a_change_too_large_or_too_small_for_the_category_is_doubted() -> None:
    # 17 tokens each, 5 of them replaced: 1 - 2 * 12 / 34 = 29 % of the text
    gold = "one two three four five six seven eight nine ten eleven twelve alpha beta gamma delta epsilon"
    perturbed = gold.replace("alpha beta gamma delta epsilon", "v w x y z")
    (large,) = doubts(perturbed, gold_answer=gold, category="entity-errors", explanation="")
    assert large == "29.4 % of the text changed, which is a lot for “Entity”."
    small = PerturbationOptions(categories={"entity-errors": {"smallest": 0.5, "largest": 1}})
    (little,) = doubts(perturbed, gold_answer=gold, category="entity-errors", explanation="", options=small)
    assert little == "only 29.4 % of the text changed, which is little for “Entity”."


def test_an_explanation_that_mentions_nothing_that_changed_is_doubted() -> None:
    perturbed = DRAFT["perturbed_answer"]
    assert doubts(perturbed, explanation="I made it wrong.") == ["the explanation mentions nothing that changed."]
    assert doubts(perturbed, explanation="Now it says 28.") == []
    assert doubts(GOLD.replace("82", "八十二"), explanation="改成了八。") == []


def test_a_category_that_the_project_does_not_have_is_doubted() -> None:
    said = doubts(DRAFT["perturbed_answer"], category="no-such-errors")
    assert said == ["the project has no category “no-such-errors”, so it cannot say what should change."]


def test_very_long_texts_are_checked_too() -> None:
    gold = "".join(f"第{number}段有{number}米。" for number in range(2500))
    assert doubts(gold.replace("第7段", "第九段"), gold_answer=gold, explanation="") == []


# --- what people say ------------------------------------------------------------------------------------------------
def test_a_verdict_is_asked_for_and_an_answer_where_it_is_of_use() -> None:
    assert problems() == []
    assert problems(verdict=None) == ["verdict"]
    assert problems(perturbed_answer=" ") == ["perturbed_answer"]
    assert problems(perturbed_answer="", verdict="invalid") == []


def test_what_is_invalid_or_not_relevant_does_not_belong_into_the_dataset() -> None:
    useless = [verdict for verdict in ("valid", "invalid", "score_invariant", "not_relevant", "not_sure")
               if KIND.unsuitable(KIND.read_draft(DRAFT | {"verdict": verdict}))]  # fmt: skip
    assert useless == ["invalid", "not_relevant"]


def test_only_another_perturbed_answer_sends_an_item_to_another_person() -> None:
    assert KIND.revised(DRAFT, DRAFT | {"perturbed_answer": "Other."})
    assert not KIND.revised(DRAFT, DRAFT | {"verdict": "invalid", "note": "No."})
    assert not KIND.revised(NO_ANSWER, DRAFT)  # there was nothing to validate
    assert KIND.passed_on(DRAFT) == DRAFT | {"verdict": None, "note": ""}


@pytest.mark.parametrize(("verdict", "authors"), [
    ("valid", {"gold", "perturbed"}), ("score_invariant", {"gold", "perturbed"}), (None, {"gold", "perturbed"}),
    ("invalid", {"gold"}), ("not_relevant", {"gold"}), ("not_sure", {"gold"}),
])  # fmt: skip
def test_answers_are_gold_and_perturbed_where_it_is_of_use(verdict: str | None, authors: set[str]) -> None:
    held = KIND.answers(KIND.read_facts(FACTS), KIND.read_draft(DRAFT | {"verdict": verdict}))
    assert set(held) == authors
    assert held["gold"] == ("gold", GOLD)


def test_a_judge_sees_the_prompt_alone_and_reports_divide_by_ability_and_category() -> None:
    found = KIND.judged(KIND.read_facts(FACTS), KIND.read_draft(DRAFT), KIND.options())
    assert list(found.messages) == [{"role": "user", "content": FACTS["prompt"]}]
    divisions = {"ability": ["factual"], "category": ["number-errors"]}
    assert found.labels == divisions | {"verdict": ["valid"]}
    nothing = KIND.judged(KIND.read_facts(FACTS), KIND.read_draft(DRAFT | {"verdict": None}), KIND.options())
    assert (nothing.labels, nothing.sha256) == (divisions, found.sha256)


def test_a_form_with_an_unknown_verdict_has_none() -> None:
    facts = KIND.read_facts(FACTS)
    assert KIND.read_form(QueryDict("verdict=perfect&perturbed_answer=a%0D%0Ab"), facts) == {
        "perturbed_answer": "a\nb", "verdict": None, "note": ""}  # fmt: skip


# --- files ----------------------------------------------------------------------------------------------------------
def test_rows_are_read_under_published_names_and_under_ours() -> None:
    row = KIND.write_row(KIND.read_facts(FACTS).stored(), DRAFT)
    assert list(row)[:6] == ["task", "category", "cdx", "question", "og", "perturbed_gpt4"]
    theirs, ours = KIND.read_row(row), KIND.read_row({**FACTS, **DRAFT})
    assert (theirs.facts, theirs.draft, theirs.key) == (ours.facts, ours.draft, ours.key)
    assert ours.key == "number-errors/factual-7_number-errors"
    assert KIND.read_row({**FACTS, "key": "mine"}).key == "mine"


# --- categories as data ---------------------------------------------------------------------------------------------
def test_every_shipped_category_says_what_people_need_in_both_languages() -> None:
    known = PerturbationOptions().taxonomy
    assert {one.ability for one in known.categories.values()} == set(known.abilities)
    for one in known.categories.values():
        assert one.smallest < one.largest
        assert all((one.example, one.valid))
        assert one.zh is not None
        assert all((one.zh.name, one.zh.definition, one.zh.example, one.zh.valid))
    with override("zh-hans"):
        assert known.categories["number-errors"].words.name == "数字"
        assert known.ability_name("factual") == "事实"


def test_twenty_two_categories_are_errors_and_three_are_controls() -> None:
    known = PerturbationOptions().taxonomy.categories
    controls = [slug for slug, one in known.items() if one.expects == "score_invariant"]
    assert controls == ["formatting-errors", "superficial-errors", "score_invariant"]
    assert {known[slug].counted_as for slug in controls} == {"score-invariant"}
    errors = Counter(one.counted_as for one in known.values() if one.expects == "valid")
    assert errors == {"long-form": 6, "factual": 6, "instruction-following": 5, "reasoning": 5}


def test_layout_and_padding_are_made_from_long_form_prompts_only() -> None:
    options = PerturbationOptions()
    assert fitting("long-form", options)[-3:] == ["formatting-errors", "superficial-errors", "score_invariant"]
    assert fitting("reasoning", options)[-1] == "score_invariant"
    assert len(fitting("reasoning", options)) == 6


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_prompt_demands_what_is_not_obvious_and_gives_two_examples(language: str) -> None:
    known, prompts = PerturbationOptions().taxonomy.categories, wordings()
    subtle = {slug: one for slug, one in known.items() if one.subtle}
    assert {one.ability for one in subtle.values() if one.subtle == "knowledge"} == {"factual", "long-form"}
    assert {slug for slug, one in known.items() if one.ability in ("factual", "reasoning")} <= set(subtle)
    for slug, one in subtle.items():
        words = one.zh if language == "zh" and one.zh else one
        assert subtlety(one.subtle, language) in prompts[slug, language]
        assert len(words.examples.splitlines()) == 2
    assert not any(subtlety("knowledge", language) in prompts[slug, language] for slug in known if slug not in subtle)


def test_a_category_of_a_project_can_ask_for_what_only_knowledge_shows() -> None:
    """Its words go into the prompt as data: what it adds ends with how little may show."""
    given = {
        "ability": "factual",
        "name": "Dates",
        "definition": "A date is moved.",
        "prompt": "Move it.",
        "another": "b",
    }
    options = PerturbationOptions(categories={"dates": given | {"example": "a", "subtle": "knowledge"}})
    script = Script({"dates": {"perturbed_answer": "In 1638.", "explanation": "1648 became 1638."}})
    run(perturb("dates", "When?", "In 1648.", options, Prompts(wordings()), script, language="en"))
    said = script.said("dates")
    assert f"Move it. {subtlety('knowledge', 'en')}" in said
    assert "a\nb" in said


def test_a_project_changes_adds_and_takes_away_single_categories() -> None:
    shipped = PerturbationOptions().taxonomy.categories
    own = PerturbationOptions(
        abilities={"rhyme": {"name": "Rhyme"}},
        categories={
            "number-errors": {"definition": "Ours."},
            "grammar-errors": None,
            "no-rhyme": {"ability": "rhyme", "name": "No rhyme", "definition": "Lines do not rhyme."},
        },
    ).taxonomy
    assert set(own.categories) == set(shipped) - {"grammar-errors"} | {"no-rhyme"}
    assert own.categories["number-errors"].definition == "Ours."
    assert own.categories["number-errors"].must_change == "number"
    assert own.ability_name("rhyme") == "Rhyme"


@pytest.mark.parametrize("given", [{"new": {"name": "x"}}, {"number-errors": {"largest": 2}}, {"number-errors": 1}])
def test_a_category_that_is_none_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        PerturbationOptions(categories=given)
    assert checked_options("perturbation", {"categories": given})[1]


def test_only_changes_are_stored() -> None:
    given = {"categories": {"grammar-errors": None}, "wanted": 5}
    assert checked_options("perturbation", given) == (given, [])
