import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.metrics.checklists import RULES, score

MET = st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=8)


def test_weights_of_the_questions_that_are_met_add_up():
    assert score([True, False, True], [0.3, 0.4, 0.3], "weights") == pytest.approx(0.6)


def test_ten_tenths_are_one():
    assert score([True] * 10, [0.1] * 10, "weights") == 1.0


def test_any_and_all():
    assert [score([True, False], [None, None], rule) for rule in ("any", "all")] == [1.0, 0.0]
    assert [score([True, True], [None, None], rule) for rule in ("any", "all")] == [1.0, 1.0]
    assert [score([False, False], [None, None], rule) for rule in ("any", "all")] == [0.0, 0.0]


def test_a_question_without_a_verdict_is_not_met():
    assert score([True, None], [0.3, 0.7], "weights") == pytest.approx(0.3)
    assert score([True, None], [0.3, 0.7], "all") == 0.0


@pytest.mark.parametrize("rule", RULES)
def test_nothing_said_is_no_score(rule):
    assert score([None, None], [0.5, 0.5], rule) is None
    assert score([], [], rule) is None


def test_an_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="weights, any, all"):
        score([True], [1.0], "most")


def test_every_question_needs_its_weight():
    with pytest.raises(ValueError):
        score([True, True], [1.0], "weights")


@given(MET, st.sampled_from(RULES))
def test_meeting_one_more_question_never_lowers_the_score(met, rule):
    weights = [1 / len(met)] * len(met)
    before = score(met, weights, rule) or 0.0
    for place in range(len(met)):
        more = [*met[:place], True, *met[place + 1 :]]
        assert score(more, weights, rule) >= before - 1e-12


@given(MET)
def test_all_is_the_strictest_and_any_the_mildest(met):
    weights = [1 / len(met)] * len(met)
    if any(each is not None for each in met):
        every, shares, some = (score(met, weights, rule) for rule in ("all", "weights", "any"))
        assert every <= shares + 1e-12 <= some + 2e-12
