"""What designs are worth, out of the simulation whose table stands in docs/studies.md. Seeds were fixed beforehand."""

import numpy as np
import pytest

from benchmarks.study_designs import LOGS, Setting, lines, simulated, truth


def test_the_truth_is_what_endless_votes_say() -> None:
    """Without ties and without answers of their own it would be LOGS; a tenth of ties draws everybody together."""
    assert truth(0.0).mean() == pytest.approx(0)
    wide, narrow = np.ptp(LOGS), np.ptp(truth(0.0))
    assert 0.8 * wide < narrow < wide
    assert np.ptp(truth(1.0)) < narrow
    assert np.argsort(truth(1.0)).tolist() == np.argsort(LOGS).tolist()


@pytest.mark.slow
@pytest.mark.parametrize(
    "setting",
    [Setting("balanced"), Setting("random", 4, 1.0, by_item=True)],
    ids=lambda one: f"{one.design}-{one.overlap}",
)
def test_fixed_designs_hold_the_truth_in_93_to_97_of_100_intervals(setting: Setting) -> None:
    found = simulated(setting, studies=1000)
    assert 0.93 <= found.coverage <= 0.97
    assert abs(found.bias) < 0.03
    assert found.least > 35


@pytest.mark.slow
def test_votes_on_one_pair_taken_as_independent_promise_too_much() -> None:
    """The reason why rankings of projects draw items: the same studies, drawn vote by vote."""
    assert simulated(Setting("balanced", 4, 1.0), studies=300).coverage < 0.92


@pytest.mark.slow
def test_an_adaptive_design_tells_the_nearest_apart_better_and_the_rest_worse() -> None:
    fixed, adaptive = (simulated(Setting(design), studies=300) for design in ("balanced", "adaptive"))
    assert adaptive.near < fixed.near
    assert adaptive.error > fixed.error
    assert adaptive.least < 0.7 * fixed.least
    assert 0.02 < adaptive.bias < 0.15  # away from zero: who fell behind early is hardly asked about again
    assert 0.91 <= adaptive.coverage <= 0.97


def test_the_table_has_a_line_for_every_design_with_the_same_budget() -> None:
    head, rule, *rows = lines(3)
    assert head.count("|") == rule.count("|") == 11
    assert [row.split(" | ")[0].strip("| ") for row in rows] == ["random", "balanced", "adaptive"] + [
        design for design in ("random", "balanced", "adaptive") for _drawn in range(2)
    ]
    assert all("%" in row for row in rows)
