import pytest

from lib.charts.dot_plots import AgreementDot, AgreementLine, beside_dots
from tests.lib.charts.drawn import numbers


def test_both_dots_lie_where_their_values_say() -> None:
    """A narrow chart begins at 8 and ends 12 before 330: 310 for 0 to 1."""
    svg = beside_dots([AgreementLine("a", AgreementDot(0.5, 0.25, 0.75), AgreementDot(0.1))], wide=330)
    (person,), (judge,) = numbers(svg, "circle", "person"), numbers(svg, "circle", "machine")
    assert person["cx"] == pytest.approx(8 + 0.5 * 310, abs=0.1)
    assert judge["cx"] == pytest.approx(8 + 0.1 * 310, abs=0.1)
    assert person["cy"] < judge["cy"]
    (span,) = numbers(svg, "line", "person span")
    assert (span["x1"], span["x2"]) == (pytest.approx(85.5, abs=0.1), pytest.approx(240.5, abs=0.1))
    assert not numbers(svg, "line", "machine span")


def test_the_scale_reaches_below_nothing_and_beyond_one() -> None:
    low = beside_dots([AgreementLine("a", AgreementDot(-0.3), None)], wide=330)
    assert ">−0.5<" in low
    (dot,) = numbers(low, "circle", "person")
    assert 8 <= dot["cx"] <= 318
    far = beside_dots([AgreementLine("a", AgreementDot(7.2), None)], wide=720)
    (dot,) = numbers(far, "circle", "person")
    assert dot["cx"] < 720


def test_few_units_are_drawn_pale() -> None:
    assert 'class="person thin"' in beside_dots([AgreementLine("a", AgreementDot(0.5), None, thin=True)])
