from dataclasses import replace

import numpy as np
import pytest
from statsmodels.api import GLM, families

from lib.stats.ranking.strengths import NotSettled
from lib.stats.ranking.style import Fought, style_controlled

LOGS = np.array([0.8, 0.0, -0.8])


def fought(count: int, weight: float, seed: int = 5) -> Fought:
    """The weakest model writes longest, and length wins."""
    chance = np.random.default_rng(seed)
    left = chance.integers(3, size=count)
    right = (left + chance.integers(1, 3, size=count)) % 3
    longer = chance.normal(size=count) + (left - right)
    odds = LOGS[left] - LOGS[right] + weight * longer
    outcome = np.where(chance.random(count) < 1 / (1 + np.exp(-odds)), 0, 1)
    features = np.column_stack([longer, np.zeros(count)])
    return Fought(("a", "b", "c"), left, right, outcome, features)


def test_a_logistic_regression_of_a_known_library_says_the_same() -> None:
    given = fought(4_000, 0.6)
    found = style_controlled(given, ["length", "formatting"])
    places = np.arange(3)
    design = (given.left[:, None] == places).astype(float) - (given.right[:, None] == places)
    longer = given.features[:, 0]
    table = np.column_stack([design[:, 1:], longer / longer.std()])
    theirs = GLM(1.0 - given.outcome, table, family=families.Binomial()).fit(cov_type="HC0")
    logs = np.append(0.0, theirs.params[:2])
    assert found.fit.logs == pytest.approx(logs - logs.mean(), abs=1e-7)
    weight = found.weights["length"]
    assert (weight.value, weight.low, weight.high) == pytest.approx((theirs.params[2], *theirs.conf_int()[2]), abs=1e-6)


def test_it_gives_back_the_order_that_length_had_turned() -> None:
    found = style_controlled(fought(6_000, 1.0), ["length", "formatting"])
    assert found.fit.logs == pytest.approx(LOGS, abs=0.15)
    assert list(found.weights) == ["length"]  # formatting never differs, so that nothing can be said about it


def test_the_unit_of_a_feature_does_not_matter() -> None:
    given = fought(500, 0.6)
    found = style_controlled(given, ["length", "formatting"])
    in_thousands = style_controlled(replace(given, features=given.features / 1000), ["length", "formatting"])
    assert list(in_thousands.weights) == ["length"]
    assert in_thousands.weights["length"].value == pytest.approx(found.weights["length"].value)
    assert in_thousands.fit.logs == pytest.approx(found.fit.logs)


def test_style_that_tells_every_winner_is_refused() -> None:
    left, right = np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])
    given = Fought(("a", "b"), left, right, np.array([0, 1, 0, 1]), np.array([[2.0], [-2.0], [2.0], [-2.0]]))
    with pytest.raises(NotSettled):
        style_controlled(given, ["length"])
