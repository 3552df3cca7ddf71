"""How a number with its interval is written: a share as percent, a difference in points, minutes as a time."""

from datetime import timedelta

from django import template
from django.utils.formats import number_format

from annotate.services.anchoring import Estimate
from annotate.templatetags.drafting import duration

register = template.Library()


@register.filter
def percent(estimate: Estimate, signed: bool | str = False) -> str:
    if estimate.value is None:
        return ""
    return _written(estimate.value, bool(signed)) + ("" if signed else " %")


@register.filter
def between(estimate: Estimate, signed: bool | str = False) -> str:
    """Its interval."""
    if estimate.interval is None:
        return ""
    low, high = (_written(bound, bool(signed)) for bound in estimate.interval)
    return f"{low} … {high}" if signed else f"{low}–{high} %"


@register.filter
def as_time(minutes: float) -> str:
    return duration(timedelta(minutes=minutes))


def _written(share: float, signed: bool) -> str:
    rounded = round(100 * share)
    digits = number_format(abs(rounded))
    if not signed:
        return digits
    return f"+{digits}" if rounded > 0 else f"−{digits}" if rounded < 0 else "0"
