"""Template filters for means by intent: names of groups, means and intervals. No queries."""

from django import template
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.kinds.intents import intent_name
from judging.strategies.intent.intent_criteria import known_criteria
from lib.stats.figures import Figure

register = template.Library()

NONE = "–"
GROUPS: dict[str, Promise] = {
    "all": gettext_lazy("All"),
    "unknown": gettext_lazy("unknown"),
    "objective": gettext_lazy("Objective: right or wrong"),
    "subjective": gettext_lazy("Subjective: a matter of taste"),
}


@register.filter
def group_name(group: str) -> str:
    """The name of an intent, a side or a language."""
    return str(GROUPS[group]) if group in GROUPS else intent_name(group)


@register.filter
def mean(figure: Figure | None) -> str:
    return NONE if figure is None or figure.value is None else _two(figure.value)


@register.filter
def spread(figure: Figure | None) -> str:
    """Its interval."""
    if figure is None or figure.low is None or figure.high is None:
        return NONE
    return f"{_two(figure.low)}–{_two(figure.high)}"


@register.filter
def signed_mean(figure: Figure | None) -> str:
    """A difference with its sign."""
    return NONE if figure is None or figure.value is None else _signed(figure.value)


@register.filter
def signed_spread(figure: Figure | None) -> str:
    """Its interval with signs, and therefore with a word between the ends."""
    if figure is None or figure.low is None or figure.high is None:
        return NONE
    return _("%(low)s to %(high)s") % {"low": _signed(figure.low), "high": _signed(figure.high)}


@register.filter
def axis_name(axis: str, language: str = "en") -> str:
    """The name of a shipped criterion; a run's own criterion keeps its word."""
    criterion = known_criteria().get(axis)
    return axis if criterion is None else criterion.name["zh" if language.startswith("zh") else "en"]


def _signed(value: float) -> str:
    return ("+" if round(value, 2) > 0 else "") + _two(value)


def _two(value: float) -> str:
    return number_format(f"{value:.2f}", 2).replace("-", "−")
