"""What every kind must keep whose items candidates answer and judges read: a conversation, and what a judge may see."""

from dataclasses import replace
from typing import Any

import pytest

from annotate.kinds import all_kinds
from annotate.kinds.contract import Kind
from annotate.kinds.protocol import AnswerPair, CandidatePrompt, JudgedItem
from annotate.kinds.trees import HIGHEST
from tests.support import canals, trees, use_cases
from tests.support.people import DRAFT, FACTS

# Facts and a decided draft of each such kind; a kind without them here fails.
EXAMPLES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "branching": (trees.PAIR, trees.DRAFT),
    "feedback": (FACTS, DRAFT),
    "form": ({"prompt": "Why?", "response": "Clouds."}, {"helpful": 4, "reason": ""}),
    "perturbation": (canals.FACTS, canals.DRAFT),
    "preference": (
        {"prompt": "Why?", "before": [{"role": "user", "content": "It rains."}], "first": "Clouds.", "second": ""},
        {"choice": "first", "reason": "", "recognised": False},
    ),
    "score_vote": (
        {"prompt": "Why?", "answer": "Clouds."},
        {"scores": {"Overall quality": 4}, "cannot_tell": [], "reason": "", "recognised": False},
    ),
    "use_case": (use_cases.FACTS, use_cases.DRAFT),
}
KINDS = [kind for kind in all_kinds().values() if kind.can_be_judged]
RULES = {"weights", "any", "all"}


def texts(kind: Kind) -> tuple[Any, Any]:
    facts, draft = EXAMPLES[kind.slug]
    return kind.read_facts(facts), kind.read_draft(draft)


@pytest.fixture(params=KINDS, ids=lambda kind: kind.slug)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


def asked(kind: Kind) -> CandidatePrompt:
    return kind.asked(*texts(kind), kind.options())


def judged(kind: Kind) -> JudgedItem:
    return kind.judged(*texts(kind), kind.options())


def test_a_candidate_gets_messages_that_end_with_a_users(kind: Kind) -> None:
    found = asked(kind)
    assert found.messages
    assert found.messages[-1]["role"] == "user"
    for message in found.messages:
        assert set(message) == {"role", "content"}
        assert message["role"] in ("system", "user", "assistant")
        assert message["content"].strip()


def test_a_candidate_is_asked_at_a_temperature_that_services_know(kind: Kind) -> None:
    temperature = asked(kind).temperature
    assert temperature is None or 0 <= temperature <= 2


def test_a_judge_sees_the_conversation_that_was_answered(kind: Kind) -> None:
    assert list(judged(kind).messages) == list(asked(kind).messages)


def test_a_judge_has_questions_a_known_rule_and_labels_in_lists(kind: Kind) -> None:
    found = judged(kind)
    assert found.rule in RULES
    assert all(question.text.strip() for question in found.checklist)
    if found.rule == "weights" and found.checklist:
        assert abs(sum(question.weight or 0 for question in found.checklist) - 1) < 0.01
    for values in found.labels.values():
        assert not isinstance(values, str)
        assert all(isinstance(value, str) for value in values)


def test_answers_that_an_item_holds_have_a_sort_and_a_text(kind: Kind) -> None:
    for author, (sort, text) in kind.answers(*texts(kind)).items():
        assert author.strip()
        assert sort.strip()
        assert isinstance(text, str)


def test_a_case_is_known_again_and_told_from_another(kind: Kind) -> None:
    found = judged(kind)
    assert found.sha256 == judged(kind).sha256
    other = replace(found, messages=[*found.messages[:-1], {"role": "user", "content": "Something else."}])
    assert other.sha256 != found.sha256


@pytest.mark.parametrize("holder", [one for one in KINDS if one.holds_pairs], ids=lambda one: one.slug)
def test_a_kind_that_holds_pairs_makes_items_of_them_that_say_the_same(holder: Kind) -> None:
    pair = AnswerPair("Which?", ("a", "b"), ("This.", ""), "space", "tie")
    facts = holder.read_facts(holder.of_pair(pair))
    assert holder.as_pair(facts) == pair
    drafts = [holder.empty_draft(facts), texts(holder)[1].stored()]
    seen = {holder.judged(facts, holder.read_draft(draft), holder.options()).sha256 for draft in drafts}
    assert len(seen) == 1  # of others' verdicts nothing becomes outdated by what people write


@pytest.mark.parametrize("bringer", [one for one in KINDS if one.brings_answers], ids=lambda one: one.slug)
def test_of_an_item_that_comes_with_its_answers_judges_see_nothing_that_people_write(bringer: Kind) -> None:
    facts, draft = texts(bringer)
    empty = bringer.read_draft(bringer.empty_draft(facts))
    options = bringer.options()
    assert bringer.judged(facts, empty, options).sha256 == bringer.judged(facts, draft, options).sha256


@pytest.mark.parametrize("kind", all_kinds().values(), ids=lambda one: one.slug)
def test_only_a_kind_that_says_so_holds_trees(kind: Kind) -> None:
    """A tree has the criteria of its draft, and says which of them are finished."""
    if not kind.holds_trees:
        assert kind.slug not in EXAMPLES or list(kind.scored_criteria(texts(kind)[1])) == []
        return
    facts, draft = texts(kind)
    found, criteria = kind.tree(facts, draft, kind.options()), kind.scored_criteria(draft)
    assert criteria
    assert len(found.criteria) + found.unfinished == len(criteria)
    assert {criterion.name for criterion in found.criteria} <= {criterion.name for criterion in criteria}
    for criterion in found.criteria:
        assert len(criterion.levels) == HIGHEST
        assert all(map(criterion.has_score, found.sides))
    assert found.ahead in ("first", "second", "tie")
    empty = kind.tree(facts, kind.read_draft(kind.empty_draft(facts)), kind.options())
    assert (empty.criteria, empty.unfinished, empty.corrections, empty.ahead) == ([], 0, [], "")


def test_a_kind_whose_judges_go_through_questions_says_so(kind: Kind) -> None:
    assert kind.holds_checklists == bool(judged(kind).checklist)
