import choix
import evalica
import numpy as np
import pytest

from lib.stats.ranking.battles import Battles, battles
from lib.stats.ranking.strengths import halves, log_strengths, shares, with_ties
from tests.lib.stats.ranking.fought import from_words, simulated

LOGS = np.array([1.5, 0.7, 0.0, -0.4, -1.8])


def fitted(given: Battles) -> dict[str, float]:
    return dict(zip(given.names, shares(log_strengths(halves(given))).tolist(), strict=True))


def test_of_two_models_strengths_are_their_shares_of_wins() -> None:
    # a won 2 and half of a tie: 2.5 of 4 battles.
    found = fitted(from_words("a>b", "a>b", "b>a", "a=b"))
    assert found == pytest.approx({"a": 2.5 / 4, "b": 1.5 / 4}, abs=1e-12)


def test_three_models_in_a_ring_of_wins() -> None:
    # a beat b 2 of 3, b beat c 2 of 3, a beat c 4 of 5: odds 2, 2 and 4 fit exactly, so strengths are 4 : 2 : 1.
    ring = ["a>b", "a>b", "b>a", "b>c", "b>c", "c>b", "a>c", "a>c", "a>c", "a>c", "c>a"]
    assert fitted(from_words(*ring)) == pytest.approx({"a": 4 / 7, "b": 2 / 7, "c": 1 / 7}, abs=1e-12)


def test_the_side_on_which_a_model_stands_changes_nothing() -> None:
    straight, turned = from_words("a>b", "b>c", "c=a", "b>a"), from_words("b<a", "c<b", "a=c", "a<b")
    assert fitted(straight) == pytest.approx({name: fitted(turned)[name] for name in "abc"}, abs=1e-12)


def test_choix_says_the_same_of_wins() -> None:
    given = simulated(LOGS, 2_000, seed=1)
    pairs = [(i, j) for i in range(5) for j in range(5) for _win in range(given.wins[i, j])]
    theirs = choix.ilsr_pairwise(5, pairs, max_iter=1000, tol=1e-12)
    assert log_strengths(halves(given)) == pytest.approx(theirs - theirs.mean(), abs=1e-8)


def test_evalica_says_the_same_of_wins_and_ties() -> None:
    given = simulated(LOGS, 2_000, seed=2, ties=0.3)
    rows = [(i, j, w) for i in range(5) for j in range(5) for w in [evalica.Winner.X] * int(given.wins[i, j])]
    rows += [(i, j, evalica.Winner.Draw) for i in range(5) for j in range(i) for _tie in range(given.ties[i, j])]
    theirs = evalica.bradley_terry(*zip(*rows, strict=True), tolerance=1e-14, limit=100_000).scores
    expected = (theirs / theirs.sum()).loc[range(5)].to_numpy()
    assert shares(log_strengths(halves(given))) == pytest.approx(expected, abs=1e-9)


def test_many_draws_are_fitted_as_each_alone() -> None:
    won = np.stack([halves(simulated(LOGS, 500, seed=seed)) for seed in range(20)])
    assert log_strengths(won) == pytest.approx(np.stack([log_strengths(each) for each in won]), abs=1e-9)


def test_a_long_chain_of_lopsided_pairs_settles() -> None:
    """Each beat the next 999 times of 1000: neighbours are 999 : 1, the ends 999 to the ninth power."""
    words = [(str(one), str(one + 1), "left") for one in range(9) for _win in range(999)]
    words += [(str(one), str(one + 1), "right") for one in range(9)]
    logs = log_strengths(halves(battles(*map(list, zip(*words, strict=True)))))
    assert -np.diff(logs) == pytest.approx(np.full(9, np.log(999)), rel=1e-8)


def test_davidsons_model_fits_counts_that_were_made_by_it() -> None:
    """Strengths 4 : 2 : 1 and nu 1.5, with as many battles as make every expected count what it is."""
    strengths, tendency = np.array([4.0, 2.0, 1.0]), 1.5
    middle = tendency * np.sqrt(np.outer(strengths, strengths))
    whole = strengths[:, None] + strengths[None, :] + middle
    off = 1 - np.eye(3)
    logs, nu = with_ties(1000 * off * strengths[:, None] / whole, 1000 * off * middle / whole)
    assert shares(logs) == pytest.approx(strengths / 7, abs=1e-10)
    assert nu == pytest.approx(tendency, abs=1e-10)


def test_davidsons_model_settles_where_one_model_hardly_loses() -> None:
    """The strongest is e¹² times as strong as the weakest, and ties are as likely as in the middle of the field."""
    logs = np.array([6.0, 0.0, -6.0])
    wins = np.exp((logs[:, None] - logs[None, :]) / 2)
    whole = wins + 1 / wins + 1
    off = 1 - np.eye(3)
    found, nu = with_ties(1000 * off * wins / whole, 1000 * off / whole)
    assert found == pytest.approx(logs, abs=1e-8)
    assert nu == pytest.approx(1, abs=1e-8)
