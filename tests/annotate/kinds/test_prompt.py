from typing import Any

import pytest
from django.http import QueryDict

from annotate.kinds import find_kind
from annotate.kinds.prompt.kind import PromptOptions, text_of, verifies

KIND = find_kind("prompt")
FACTS = {"prompt": "How many legs has a spider?", "gold_answer": "Eight."}
DRAFT: dict[str, Any] = {"ability": "factual", "gold_verdict": "right", "edited_answer": "", "note": ""}


def problems(facts: dict[str, Any] = FACTS, options: PromptOptions | None = None, **draft: Any) -> list[str]:
    given = KIND.read_facts(facts), KIND.read_draft(DRAFT | draft), options or PromptOptions()
    return [found.path for found in KIND.problems(*given)]


def test_ability_and_verdict_are_asked_for() -> None:
    assert problems() == []
    assert problems(ability="") == ["ability"]
    assert problems(ability="juggling") == ["ability"]
    assert problems(gold_verdict=None) == ["gold_verdict"]


def test_an_edited_answer_is_another_one() -> None:
    assert problems(gold_verdict="edited", edited_answer="Eight. ") == ["edited_answer"]
    assert problems(gold_verdict="edited", edited_answer="It has eight.") == []


def test_without_a_gold_answer_there_is_nothing_to_verify() -> None:
    bare = {"prompt": FACTS["prompt"]}
    assert problems(bare, gold_verdict=None) == []
    assert problems(bare) == ["gold_verdict"]
    names = [field.name for field in KIND.fields(KIND.read_facts(bare))]
    assert names == ["ability", "gold_verdict", "edited_answer", "note"]
    form = KIND.form_context(KIND.read_facts(bare), DRAFT, PromptOptions())
    assert (form["has_gold"], form["verifies"]) == (False, False)


def test_a_gold_answer_that_a_model_or_a_person_wrote_is_verified_like_one_of_the_file() -> None:
    bare = {"prompt": FACTS["prompt"]}
    assert problems(bare, gold_verdict=None, edited_answer="Eight.") == ["gold_verdict"]
    assert problems(bare, gold_verdict="right", edited_answer="Eight.") == []
    none = PromptOptions(verified_share=0.0)
    assert problems(bare, none, gold_verdict=None, edited_answer="Eight.") == []
    form = KIND.form_context(KIND.read_facts(bare), DRAFT | {"edited_answer": "Eight."}, PromptOptions())
    assert (form["has_gold"], form["verifies"]) == (True, True)


@pytest.mark.parametrize(
    ("facts", "draft", "gold"),
    [
        (FACTS, {}, "Eight."),
        (FACTS, {"gold_verdict": None}, "Eight."),
        (FACTS, {"gold_verdict": "edited", "edited_answer": "It has eight."}, "It has eight."),
        (FACTS, {"gold_verdict": "wrong", "edited_answer": "It has eight."}, ""),
        ({"prompt": "?"}, {"edited_answer": "8"}, "8"),
        ({"prompt": "?"}, {"gold_verdict": None}, ""),
    ],
)
def test_which_text_counts_as_gold(facts: dict[str, Any], draft: dict[str, Any], gold: str) -> None:
    assert text_of(KIND.read_facts(facts), KIND.read_draft(DRAFT | draft)) == gold


def test_abilities_are_the_projects() -> None:
    own = PromptOptions(
        abilities={"juggling": {"name": "Juggling"}, "factual": None}, categories=dict.fromkeys(FACTUAL)
    )
    assert problems(options=own, ability="juggling") == []
    assert problems(options=own) == ["ability"]


FACTUAL = ["contextual-errors", "entity-errors", "incorrect-fact", "number-errors", "opposite-fact", "remove-fact"]


@pytest.mark.parametrize(("share", "least", "most"), [(0.0, 0, 0), (0.25, 440, 560), (1.0, 2000, 2000)])
def test_about_the_given_share_is_verified_and_always_the_same(share: float, least: int, most: int) -> None:
    options = PromptOptions(verified_share=share)
    facts = [KIND.read_facts(FACTS | {"prompt": f"Question {number}?"}) for number in range(2000)]
    drawn = [verifies(one, options) for one in facts]
    assert least <= sum(drawn) <= most
    assert drawn == [verifies(one, options) for one in facts]


def test_who_is_not_asked_may_hand_in_without_a_verdict() -> None:
    assert problems(options=PromptOptions(verified_share=0.0), gold_verdict=None) == []


def test_a_verdict_is_shown_by_its_name() -> None:
    assert KIND.shown("gold_verdict", "wrong") == "Wrong"
    assert KIND.shown("gold_verdict", None) == ""


def test_the_form_is_read_and_offers_what_was_chosen_before() -> None:
    facts = KIND.read_facts(FACTS)
    data = QueryDict("ability=factual&gold_verdict=perhaps&edited_answer=a%0D%0Ab&note=n")
    assert KIND.read_form(data, facts) == {
        "ability": "factual", "gold_verdict": None, "edited_answer": "a\nb", "note": "n"}  # fmt: skip
    offered = KIND.form_context(facts, {"ability": "juggling"}, PromptOptions())["abilities"]
    assert offered[-1] == ("juggling", "juggling")
