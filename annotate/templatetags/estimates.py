"""Filters that write a number with its interval: a share in percent, a difference in points, minutes as a time."""

from datetime import timedelta

from django import template
from django.utils.formats import number_format

from annotate.quality.anchoring import EffectEstimate
from annotate.templatetags.drafting import duration

register = template.Library()


@register.filter
def percent(estimate: EffectEstimate, signed: bool | str = False) -> str:
    if estimate.value is None:
        return ""
    return _written(estimate.value, bool(signed)) + ("" if signed else " %")


@register.filter
def between(estimate: EffectEstimate, signed: bool | str = False) -> str:
    """The estimate's interval."""
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
