import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.stats.checklists import RULES, score, what_if

MET = st.lists(st.booleans(), min_size=1, max_size=8)


def places(met):
    return {place for place, one in enumerate(met) if one}


def test_weights_of_the_questions_that_are_met_add_up():
    assert score({0, 2}, [0.3, 0.4, 0.3], "weights") == pytest.approx(0.6)


def test_ten_tenths_are_full_marks():
    assert score(range(10), [0.1] * 10, "weights") == 1.0


@pytest.mark.parametrize(
    ("met", "some", "every"), [({0}, 1.0, 0.0), ({0, 1}, 1.0, 1.0), (set(), 0.0, 0.0)], ids=["one", "both", "none"]
)
def test_any_and_all(met, some, every):
    assert what_if(met, [None, None]) == {"any": some, "all": every}


def test_with_weights_there_is_one_rule():
    assert what_if({1}, [0.25, 0.75]) == {"weights": 0.75}


@pytest.mark.parametrize("rule", RULES)
def test_without_questions_nothing_is_met(rule):
    assert score(set(), [], rule) == 0.0


def test_an_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="weights, any, all"):
        score({0}, [1.0], "most")


@given(MET, st.sampled_from(RULES))
def test_meeting_one_more_question_never_lowers_the_score(met, rule):
    weights = [1 / len(met)] * len(met)
    before = score(places(met), weights, rule)
    assert all(score(places(met) | {place}, weights, rule) >= before - 1e-12 for place in range(len(met)))


@given(MET)
def test_all_is_the_strictest_and_any_the_mildest(met):
    every, shares, some = (score(places(met), [1 / len(met)] * len(met), rule) for rule in ("all", "weights", "any"))
    assert every <= shares + 1e-12
    assert shares <= some + 1e-12
