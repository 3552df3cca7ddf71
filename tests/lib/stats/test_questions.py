import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from lib.stats.checklists import against, agreement, discrimination, share_met

mets = st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=30)


def test_a_share_leaves_out_what_was_not_said() -> None:
    found = share_met([True, True, False, None])
    assert (found.value, found.met, found.n, found.skipped) == (pytest.approx(2 / 3), 2, 3, 1)


@given(mets)
def test_the_interval_is_wilsons(said: list[bool | None]) -> None:
    found = share_met(said)
    if found.n:
        assert (found.low, found.high) == pytest.approx(
            proportion_confint(found.met, found.n, method="wilson"), abs=1e-6
        )
    else:
        assert (found.value, found.low, found.high) == (None, None, None)


def test_discrimination_leaves_the_question_itself_out_of_the_total() -> None:
    # The rest is met 1, 1/2, 1/2, 0, the question 1, 1, 0, 0: covariance (1/4 + 0 + 0 + 1/4) / 4 = 1/8, over the
    # standard deviations √(1/8) and 1/2.
    others = [[True, True, False, False], [True, False, True, False]]
    assert discrimination([True, True, False, False], others).value == pytest.approx(0.125 / (0.5 * 0.125**0.5))
    assert discrimination([False, False, True, True], others).value == pytest.approx(-0.125 / (0.5 * 0.125**0.5))


@given(st.lists(st.tuples(*[st.booleans()] * 3), min_size=3, max_size=20))
def test_discrimination_is_a_correlation_with_the_rest(rows: list[tuple[bool, bool, bool]]) -> None:
    one, two, three = (list(column) for column in zip(*rows, strict=True))
    found, rest = discrimination(one, [two, three]), np.array(two, dtype=int) + np.array(three, dtype=int)
    if found.value is None:
        assert len(set(one)) == 1 or len(set(rest.tolist())) == 1
    else:
        assert found.value == pytest.approx(np.corrcoef(np.array(one, dtype=float), rest)[0, 1])


@pytest.mark.parametrize(
    ("question", "others", "note"),
    [
        ([True, False, True], [], "alone"),
        ([True, False], [[True, False]], "too few"),
        ([True, True, True], [[True, False, True]], "always"),
        ([False, False, False], [[True, False, True]], "never"),
        ([True, False, True], [[True, True, True]], "rest"),
        ([True, None, True], [[True, False, None]], "too few"),
    ],
)
def test_what_is_not_defined_is_none_and_says_why(question: list[bool], others: list[list[bool]], note: str) -> None:
    found = discrimination(question, others)
    assert (found.value, found.note) == (None, note)


def test_the_opposite_of_the_first_question_has_minus_one() -> None:
    first = [True, True, False, True, None]
    assert against([False, False, True, False, True], first).value == pytest.approx(-1)
    assert against(first, first).value == pytest.approx(1)


def test_judges_agree_by_pairs_over_all_answers() -> None:
    # First answer: three judges, pairs yes-yes, yes-no, yes-no: 1 of 3. Second: one pair, alike. Third: one judge.
    found = agreement([[True, False, True], [True, False, None], [False, None, None]])
    assert (found.value, found.n) == (0.5, 4)
    assert agreement([[True, False]]).note == "one judge"
    assert agreement([]).value is None


@given(mets, st.randoms())
def test_agreement_does_not_depend_on_the_order_of_judges(said: list[bool | None], chance: object) -> None:
    other = list(reversed(said))
    assert agreement([said, other]) == agreement([other, said])
