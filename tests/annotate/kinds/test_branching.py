"""The tree: what the form reads and shows, what its buttons do, what stops it, and what the sums come to."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from annotate.kinds.branching.kind import KIND
from annotate.kinds.branching.shapes import BranchingOptions, grounds, sums
from annotate.kinds.values import BadShape
from tests.support.trees import DRAFT, PAIR, SINGLE, branch, tree
from tests.support.trees_posted import posted

FIXTURE = Path(__file__).parents[3] / "fixtures" / "branching_demo.jsonl"
FACTS = KIND.read_facts(PAIR)


def form_of(draft: dict[str, Any]) -> QueryDict:
    data = QueryDict(mutable=True)
    for name, values in posted(draft).items():
        data.setlist(name, values if isinstance(values, list) else [values])
    return data


def messages(draft: dict[str, Any], facts: Any = FACTS) -> list[tuple[str, str]]:
    return [(found.path, found.message) for found in KIND.problems(facts, KIND.read_draft(draft), BranchingOptions())]


def doubts(draft: dict[str, Any], facts: Any = FACTS, **options: Any) -> list[tuple[str, str]]:
    read = KIND.doubts(facts, KIND.read_draft(draft), BranchingOptions(**options))
    return [(found.path, found.message) for found in read]


def ids(draft: dict[str, Any]) -> list[str]:
    return [one["id"] for one in draft["branches"]]


# --- form -----------------------------------------------------------------------------------------------------------
def test_what_the_form_shows_is_what_it_posts() -> None:
    draft = tree(branch(1, 2, 5, weight=0.5, merged=["c7"]), branch(2, 3, 4), correction_second="B.", numbered=7)
    assert KIND.read_form(form_of(draft), FACTS) == draft


def test_the_form_asks_for_as_many_judgements_as_there_are_responses() -> None:
    draft = tree(branch(1, 2, 5))
    shown = [KIND.form_context(KIND.read_facts(facts), draft, BranchingOptions())["rows"] for facts in (SINGLE, PAIR)]
    assert [[side for side, _score, _why in rows[0]["sides"]] for rows in shown] == [["first"], ["first", "second"]]


def test_a_score_that_is_no_number_stays_as_typed_and_is_refused_in_its_place() -> None:
    data = form_of(DRAFT)
    data.setlist("score_first", ["five", "3"])
    draft = KIND.read_form(data, FACTS)
    assert draft["branches"][0]["judgement"]["score_first"] == "five"
    with pytest.raises(BadShape) as refused:
        KIND.read_draft(draft)
    assert {found.field for found in refused.value.findings} == {"branches"}
    KIND.form_context(FACTS, draft, BranchingOptions())


def test_ten_is_not_one() -> None:
    data = form_of(DRAFT)
    data.setlist("score_first", ["10", "3"])
    draft = KIND.read_form(data, FACTS)
    assert draft["branches"][0]["judgement"]["score_first"] == 10
    assert ("branches[0]", "give every response a score from 1 to 5.") in messages(draft)


# --- buttons --------------------------------------------------------------------------------------------------------
THREE = tree(branch(1, 2, 5), branch(2, 3, 4), branch(3, 4, 4), grounds_first=["j1", "j2"])


@pytest.mark.parametrize(
    ("action", "left"),
    [
        ("tree:up-3", ["c1", "c3", "c2"]),
        ("tree:up-1", ["c1", "c2", "c3"]),
        ("tree:down-1", ["c2", "c1", "c3"]),
        ("tree:drop-2", ["c1", "c3"]),
        ("tree:add", ["c1", "c2", "c3", "c4"]),
        ("tree:merge-2", ["c1", "c3"]),
        ("tree:merge-1", ["c1", "c2", "c3"]),
        ("tree:drop-9", ["c1", "c2", "c3"]),
        ("tree:drop-0", ["c1", "c2", "c3"]),
        ("something", ["c1", "c2", "c3"]),
    ],
)
def test_buttons_move_drop_add_and_merge(action: str, left: list[str]) -> None:
    assert ids(KIND.edited(THREE, action, FACTS)) == left


def test_a_merged_criterion_remembers_the_other_and_asks_for_the_scores_that_differed() -> None:
    merged = KIND.edited(THREE, "tree:merge-3", FACTS)["branches"][1]
    assert merged["merged"] == ["c3"]
    assert merged["name"] == "Name 2 / Name 3"
    assert merged["guideline"]["levels"][0] == "2: score 1\n3: score 1"
    assert (merged["judgement"]["score_first"], merged["judgement"]["score_second"]) == (None, 4)
    assert merged["judgement"]["explanation_first"] == "Why the first."


def test_an_id_that_is_gone_is_never_given_again() -> None:
    dropped = KIND.edited(THREE, "tree:drop-3", FACTS)
    assert ids(KIND.edited(dropped, "tree:add", FACTS)) == ["c1", "c2", "c4"]


def test_a_correction_no_longer_rests_on_a_judgement_that_was_dropped() -> None:
    assert KIND.edited(THREE, "tree:drop-1", FACTS)["grounds_first"] == ["j2"]


def test_a_correction_rests_on_the_judgement_that_its_own_went_into() -> None:
    merged = KIND.edited(THREE, "tree:merge-2", FACTS)
    assert merged["grounds_first"] == ["j1"]
    assert KIND.edited(merged, "tree:merge-2", FACTS)["grounds_first"] == ["j1"]
    assert KIND.edited(THREE, "tree:merge-3", FACTS)["grounds_first"] == ["j1", "j2"]


def test_a_correction_by_a_person_rests_on_what_asks_for_it() -> None:
    def shown(**said: Any) -> Any:
        return KIND.form_context(FACTS, tree(branch(1, 2, 5), branch(2, 3, 4), **said), BranchingOptions())

    assert shown()["grounds_first"] == []
    assert shown(correction_first="Eight.")["grounds_first"] == ["j1"]
    assert shown(correction_first="Eight.", grounds_first=["j2"])["grounds_first"] == ["j2"]
    assert shown(correction_second="Eight.")["grounds_second"] == []


def test_a_new_criterion_is_weighted_where_the_others_are() -> None:
    assert KIND.edited(THREE, "tree:add", FACTS)["branches"][-1]["weight"] is None
    weighed = KIND.edited(THREE, "tree:even", FACTS)
    assert KIND.edited(weighed, "tree:add", FACTS)["branches"][-1]["weight"] == 1


def test_weights_are_given_and_taken_away() -> None:
    weighed = KIND.edited(THREE, "tree:even", FACTS)
    assert [one["weight"] for one in weighed["branches"]] == [1, 1, 1]
    assert [one["weight"] for one in KIND.edited(weighed, "tree:unweigh", FACTS)["branches"]] == [None] * 3


ACTIONS = st.lists(
    st.builds(lambda verb, no: f"tree:{verb}-{no}", st.sampled_from(["up", "down", "drop", "merge"]), st.integers(1, 4))
    | st.sampled_from(["tree:add", "tree:even", "tree:unweigh"]),
    max_size=12,
)


@given(actions=ACTIONS)
def test_whatever_is_pressed_the_lineage_holds(actions: list[str]) -> None:
    """Every guideline belongs to its criterion, every judgement to its guideline, no id stands twice."""
    draft, given_once = THREE, {"c1", "c2", "c3"}
    for action in actions:
        before = set(ids(draft))
        draft = KIND.edited(draft, action, FACTS)
        fresh = set(ids(draft)) - before
        assert not fresh & given_once
        given_once |= fresh
    read = KIND.read_draft(draft)
    known = [name for one in read.branches for name in (one.id, *one.merged)]
    assert len(known) == len(set(known))
    for one in read.branches:
        assert one.guideline.criterion == one.id
        assert one.judgement.guideline == one.guideline.id
    assert set(read.grounds_first) <= {one.judgement.id for one in read.branches}


# --- sums -----------------------------------------------------------------------------------------------------------
def test_sums_are_by_response_and_weights_count() -> None:
    """2 + 3 against 5 + 4; with weights 1 and 3: 2 + 9 = 11 against 5 + 12 = 17."""
    plain, weighed = [branch(1, 2, 5), branch(2, 3, 4)], [branch(1, 2, 5, weight=1), branch(2, 3, 4, weight=3)]
    assert (sums(plain).first, sums(plain).second, sums(plain).ahead) == (5, 9, "second")
    assert (sums(weighed).first, sums(weighed).second) == (11, 17)


def test_a_tie_is_only_where_the_sums_are_equal() -> None:
    assert sums([branch(1, 2, 4), branch(2, 4, 2)]).ahead == "tie"
    assert sums([branch(1, 4, 4, weight=0.1), branch(2, 5, 4, weight=0.01)]).ahead == "first"
    assert sums([branch(1, 4, None)]).ahead == ""
    assert sums([]).first is None


@pytest.mark.parametrize(("inclusive", "low"), [(False, ["j1"]), (True, ["j1", "j2"])])
def test_what_asks_for_a_correction_lies_below_the_threshold_or_at_it(inclusive: bool, low: list[str]) -> None:
    branches = [branch(1, 2), branch(2, 3), branch(3, 4)]
    assert grounds(branches, "first", BranchingOptions(inclusive=inclusive)) == low


# --- checks ---------------------------------------------------------------------------------------------------------
def test_a_whole_tree_has_no_problems() -> None:
    assert messages(DRAFT) == []
    assert messages(tree(branch(1, 4)), KIND.read_facts(SINGLE)) == []


@pytest.mark.parametrize(
    ("draft", "path"),
    [
        (tree(), "branches"),
        (tree(*[branch(no, 4, 4) for no in range(1, 12)]), "branches"),
        (tree(branch(1, 4, None)), "branches[0]"),
        (tree(branch(1, 4, 4), branch(2, 0, 4)), "branches[1]"),
        (tree(branch(1, 4, 4, name=" ")), "branches[0]"),
        (tree(branch(1, 4, 4), branch(2, 4, 4, name="name  1")), "branches[1]"),
        (tree(branch(1, 4, 4), branch(1, 4, 4, name="Other")), "branches[1]"),
        (tree(branch(1, 4, 4, weight=1), branch(2, 4, 4)), "branches"),
        (tree(branch(1, 4, 4, weight=-1)), "branches"),
        (tree(branch(1, 4, 4, weight=0)), "branches"),
        (tree(branch(1, 4, 4, guideline={"id": "g1", "criterion": "c1", "levels": list("abcd")})), "branches[0]"),
        (tree(branch(1, 4, 4, guideline={"id": "g1", "criterion": "c2", "levels": list("abcde")})), "branches[0]"),
        (tree(branch(1, 4, 4), grounds_second=["j9"]), "correction_second"),
    ],
)  # fmt: skip
def test_what_is_not_whole_cannot_be_handed_in(draft: dict[str, Any], path: str) -> None:
    assert path in [where for where, _what in messages(draft)]


def test_doubts_point_at_sums_against_people_and_at_corrections_that_are_missing_or_say_nothing() -> None:
    against = tree(branch(1, 5, 1))
    assert [path for path, _what in doubts(against)] == ["branches", "correction_second"]
    same = tree(branch(1, 2, 5), correction_first=PAIR["first"] + "\n")
    assert doubts(same) == [("correction_first", "the correction is the same as the response.")]
    needless = tree(branch(1, 3, 5), correction_first="Better.")
    assert [path for path, _what in doubts(needless)] == ["correction_first"]
    assert doubts(needless, inclusive=True) == []


# --- what others see ------------------------------------------------------------------------------------------------
def test_corrections_belong_to_an_author_of_their_own() -> None:
    answers = KIND.answers(FACTS, KIND.read_draft(DRAFT))
    assert answers == {
        "model-a": ("model", PAIR["first"]),
        "model-a+correction": ("model", "Eight, as all arachnids."),
        "model-b": ("model", PAIR["second"]),
    }


def test_an_answer_has_one_name_wherever_it_is_compared() -> None:
    long = {"author_first": "a" * 120, "author_second": "b" * 120}
    facts = KIND.read_facts(PAIR | long)
    pair, preferred = KIND.as_pair(facts), KIND.preferred(facts)
    assert pair is not None
    assert preferred is not None
    assert pair.authors == (preferred.first, preferred.second) == ("a" * 100, "b" * 100)
    assert set(KIND.answers(facts, KIND.read_draft(tree(branch(1, 4, 4))))) == set(pair.authors)


def test_a_correction_is_read_with_the_judgements_that_it_names_or_else_the_low_ones() -> None:
    low = [branch(1, 1, 5), branch(2, 1, 5)]
    named, unnamed = (
        KIND.tree(FACTS, KIND.read_draft(tree(*low, correction_first="Eight.", grounds_first=ids)), BranchingOptions())
        for ids in (["j2"], [])
    )
    assert ["Name 1" in named.corrections[0].judgements, "Name 2" in named.corrections[0].judgements] == [False, True]
    assert ["Name 1" in unnamed.corrections[0].judgements, "Name 2" in unnamed.corrections[0].judgements] == [
        True,
        True,
    ]


def test_candidates_and_judges_get_the_query_alone() -> None:
    draft = KIND.read_draft(DRAFT)
    assert KIND.asked(FACTS, draft, BranchingOptions()).messages == [{"role": "user", "content": PAIR["query"]}]
    assert KIND.judged(FACTS, draft, BranchingOptions()).labels == {"scenario": ["Biology"], "human_label": ["second"]}


def test_the_tree_reads_as_text_for_differences() -> None:
    text = KIND.shown("branches", DRAFT["branches"])
    assert text.startswith("1. Name 1\nWhat number 1 looks at.\n  1: 1: score 1\n")
    assert "  A: 2 Why the first.\n  B: 5 Why the second." in text


def test_a_released_row_is_read_back_as_it_was() -> None:
    row = KIND.write_row(FACTS.stored(), DRAFT)
    native = KIND.read_row(json.loads(json.dumps(row)))
    assert KIND.read_facts(native.facts) == FACTS
    assert KIND.read_draft(native.draft).stored() == DRAFT  # type: ignore[arg-type]  # there is one


def test_the_demo_rows_are_whole() -> None:
    for line in FIXTURE.read_text("utf-8").splitlines():
        native = KIND.read_row(json.loads(line))
        facts = KIND.read_facts(native.facts)
        if native.suggestion:
            suggested = {name: value for name, value in native.suggestion.items() if name != "model"}
            assert messages(KIND.read_draft(suggested).stored(), facts) == []


# --- whatever is posted ---------------------------------------------------------------------------------------------
POSTED = st.dictionaries(
    st.sampled_from([*posted(DRAFT), "unknown"]), st.lists(st.text(max_size=12), max_size=3), max_size=12
)


@given(fields=POSTED, actions=ACTIONS)
def test_no_form_breaks_the_page(fields: dict[str, list[str]], actions: list[str]) -> None:
    data = QueryDict(mutable=True)
    for name, values in fields.items():
        data.setlist(name, values)
    draft = KIND.read_form(data, FACTS)
    for action in actions:
        draft = KIND.edited(draft, action, FACTS)
    json.dumps(draft)
    KIND.form_context(FACTS, draft, BranchingOptions())
    KIND.shown("branches", draft["branches"])
    with suppress(BadShape):
        shaped = KIND.read_draft(draft)
        KIND.problems(FACTS, shaped, BranchingOptions())
        KIND.doubts(FACTS, shaped, BranchingOptions())
