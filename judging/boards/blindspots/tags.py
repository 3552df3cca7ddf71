"""Template filters for blind spots: shares, intervals and names of outcomes. No queries."""

from decimal import ROUND_HALF_UP, Decimal

from django import template
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lib.stats.blindspots import OutcomeTally
from lib.stats.intervals import Interval
from lib.stats.paired import MCNEMAR, PairedComparison

register = template.Library()

NONE = "–"
OUTCOMES: dict[str, Promise] = {
    "detected": gettext_lazy("Detected"),
    "undetected": gettext_lazy("Not detected"),
    "gold": gettext_lazy("Gold chosen"),
    "perturbed": gettext_lazy("Perturbed chosen"),
    "both_good": gettext_lazy("Both good"),
    "both_bad": gettext_lazy("Both bad"),
    "inconsistent": gettext_lazy("Orders differ"),
    "top": gettext_lazy("Top score"),
    "top_minus_1": gettext_lazy("One below"),
    "top_minus_2": gettext_lazy("Two below"),
    "lower": gettext_lazy("Lower"),
    "unparsed": gettext_lazy("Not readable"),
    "missed": gettext_lazy("Not noticed"),
}
SHAPES: dict[str, Promise] = {
    "single": gettext_lazy("Single answer"),
    "pairwise": gettext_lazy("Pairs, both orders"),
    "reference": gettext_lazy("Relative to the gold answer"),
}


@register.filter
def percent(share: float | None, decimals: int = 0) -> str:
    return NONE if share is None else f"{_hundredths(share, decimals)} %"


@register.filter
def percents(bounds: Interval | None) -> str:
    """An interval, without the sign."""
    return NONE if bounds is None else f"{_hundredths(bounds[0], 0)}–{_hundredths(bounds[1], 0)}"


def _hundredths(share: float, decimals: int) -> str:
    """Rounded half up, like the published tables; Django's own formatting would not do so."""
    rounded = (100 * Decimal(repr(share))).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    return str(number_format(rounded, decimals))


@register.filter
def outcome_name(outcome: str) -> str:
    return str(OUTCOMES.get(outcome, outcome))


@register.filter
def shape_name(shape: str) -> str:
    return str(SHAPES.get(shape, shape))


@register.filter
def test_name(comparison: PairedComparison) -> str:
    """Which test two judges were compared by."""
    if comparison.test == MCNEMAR:
        return _("exact McNemar test")
    return _("paired bootstrap, clustered by prompt (%(n)s prompts)") % {"n": comparison.clusters}


@register.filter
def p_value(value: float) -> str:
    return (
        _("below %(least)s") % {"least": number_format("0.001", 3)}
        if value < 0.001
        else str(number_format(f"{value:.3f}", 3))
    )


@register.filter
def of(counts: dict[str, int], outcome: str) -> int:
    return counts.get(outcome, 0)


@register.filter
def rate(cell: OutcomeTally, outcome: str) -> float | None:
    return cell.rate(outcome)
