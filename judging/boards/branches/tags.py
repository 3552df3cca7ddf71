"""Template tags and filters for judging by criteria: names, scores and intervals. No queries."""

from collections.abc import Sequence

from django import template
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from judging.boards.branches.gain import BEFORE_ALONE, GONE, NOT_JUDGED, UNREAD
from judging.boards.branches.systems import PEOPLE_PAIRS, PEOPLE_SCORES
from judging.models import Judge
from judging.ratings.branch_pairs import FEWER, NOT_BOTH, BranchCurvePoint
from judging.ratings.consistency import NO_MAJORITY, NO_VOTES, ONE_ORDER, UNREADABLE
from judging.templatetags.scores import coefficient, points
from judging.templatetags.trust import range_of
from judging.verdicts.low_scores import branch_slugs
from lib.stats.figures import Figure

register = template.Library()
register.filter("plain", coefficient)  # a score or a sum, on the scale that it was given on

NONE, LAST = "–", "agreement_of_consistent"
WHY: dict[str, Promise] = {
    NO_VOTES: gettext_lazy("without a human label"),
    NO_MAJORITY: gettext_lazy("without a human majority"),
    ONE_ORDER: gettext_lazy("in one order only"),
    UNREADABLE: gettext_lazy("not readable"),
    NOT_BOTH: gettext_lazy("with only one answer judged"),
    FEWER: gettext_lazy("with fewer criteria"),
    NOT_JUDGED: gettext_lazy("corrections not judged"),
    BEFORE_ALONE: gettext_lazy("answers not judged"),
    UNREAD: gettext_lazy("not readable"),
    GONE: gettext_lazy("corrections whose answer is missing"),
}
LABELS: dict[str, Promise] = {
    "kept": gettext_lazy("kept with the answers"),
    "exchanged": gettext_lazy("exchanged"),
}
FIGURES: dict[str, Promise] = {
    "consistency": gettext_lazy("Consistency"),
    "agreement": gettext_lazy("Agreement"),
    "accuracy": gettext_lazy("Accuracy, first order"),
    "agreement_of_consistent": gettext_lazy("Accuracy, consistent pairs"),
    "place": gettext_lazy("Criteria at the same position"),
    "cluster": gettext_lazy("Similar criteria"),
}
CHOICES: dict[str | None, Promise] = {
    "first": gettext_lazy("first answer"),
    "second": gettext_lazy("second answer"),
    "tie": gettext_lazy("equal"),
    "both_bad": gettext_lazy("both bad"),
    None: gettext_lazy("no label"),
}
PEOPLE: dict[str, Promise] = {
    PEOPLE_SCORES: gettext_lazy("People: scores"),
    PEOPLE_PAIRS: gettext_lazy("People: win rate"),
}


@register.filter
def goes_through_criteria(judge: Judge) -> bool:
    return judge.strategy in branch_slugs()


@register.filter
def why_name(reason: str) -> str:
    return str(WHY.get(reason, reason))


@register.filter
def labels_name(labels: str) -> str:
    return str(LABELS[labels]) if labels in LABELS else NONE


@register.filter
def figure_name(figure: str) -> str:
    return str(FIGURES[figure])


@register.filter
def choice_name(choice: str | None) -> str:
    return str(CHOICES.get(choice, choice))


@register.filter
def ranking_name(name: str) -> str:
    """A judge keeps its name."""
    return str(PEOPLE.get(name, name))


@register.filter
def as_given(value: float | None) -> str:
    """A single score as it was given: 4, or 4.5."""
    return NONE if value is None else number_format(f"{value:g}")


@register.filter
def difference_of(value: float | None) -> str:
    """A difference with its sign."""
    return NONE if value is None else ("+" if value > 0 else "") + coefficient(value)


@register.filter
def bounds(figure: Figure) -> str:
    """An interval of differences."""
    if figure.low is None or figure.high is None:
        return NONE
    return gettext("%(low)s to %(high)s") % {"low": difference_of(figure.low), "high": difference_of(figure.high)}


@register.filter
def spread(interval: Sequence[float] | None) -> str:
    """An interval of coefficients."""
    if interval is None:
        return NONE
    return gettext("%(low)s to %(high)s") % {"low": coefficient(interval[0]), "high": coefficient(interval[1])}


@register.filter
def apart(figure: Figure) -> bool:
    """Whether the interval excludes 0."""
    return figure.low is not None and figure.high is not None and (figure.low > 0 or figure.high < 0)


@register.filter
def shares(point: BranchCurvePoint) -> list[tuple[str, Figure]]:
    """(name, figure) of the columns of a curve."""
    return [(name, getattr(point.orders, name)) for name in ("consistency", "agreement", "accuracy", LAST)]


@register.filter
def percent(figure: Figure) -> str:
    return points(figure.value, 1)


@register.filter
def percent_range(figure: Figure) -> str:
    return range_of(figure)


@register.filter
def words(text: str) -> list[str]:
    return text.split()
