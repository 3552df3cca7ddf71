"""Template filters for rankings: shares, strengths, ranks and intervals."""

from django import template
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from judging.boards.options import BoardOptions
from judging.ratings.preferences import CANNOT_TELL, SAME_AUTHOR, UNREADABLE
from judging.templatetags.scores import NONE, coefficient, ranks
from lib.stats.correlation import Interval
from lib.stats.figures import Figure
from lib.stats.ranking.standings import RankedModel

register = template.Library()

FEATURES: dict[str, Promise] = {"length": gettext_lazy("Length"), "formatting": gettext_lazy("Formatting")}
SKIPPED: dict[str, Promise] = {
    CANNOT_TELL: gettext_lazy("of “cannot tell”"),
    UNREADABLE: gettext_lazy("that are not readable"),
    SAME_AUTHOR: gettext_lazy("between two answers of one model"),
}


@register.filter
def share(value: float | None) -> str:
    """A share of 0..1 as 0..100, with one decimal."""
    return NONE if value is None else number_format(f"{100 * value:.1f}", 1)


@register.filter
def elo(value: float | None) -> str:
    return NONE if value is None else f"{value:.0f}"


@register.filter
def strength_between(row: RankedModel) -> str:
    return NONE if row.low is None or row.high is None else f"{share(row.low)}–{share(row.high)}"


@register.filter
def elo_between(row: RankedModel) -> str:
    return NONE if row.elo_low is None or row.elo_high is None else f"{elo(row.elo_low)}–{elo(row.elo_high)}"


@register.filter
def figure_between(figure: Figure) -> str:
    return NONE if figure.low is None or figure.high is None else f"{share(figure.low)}–{share(figure.high)}"


@register.filter
def places(row: RankedModel) -> str:
    """Best and worst rank."""
    return ranks(None if row.rank_low is None or row.rank_high is None else (row.rank_low, row.rank_high))


@register.filter
def signed_elo(value: float | None) -> str:
    """A difference of Elo with its sign and a real minus."""
    return NONE if value is None else f"{value:+.0f}".replace("-", "−")


@register.filter
def rated(options: BoardOptions, rating: str) -> str:
    """The address of the same page with another rating in its chart."""
    return options.address_with(rating=rating)


@register.filter
def feature_name(name: str) -> str:
    return str(FEATURES.get(name, name))


@register.filter
def skipped_name(reason: str) -> str:
    return str(SKIPPED.get(reason, reason))


@register.filter
def interval(bounds: Interval | None) -> str:
    """The interval of a coefficient."""
    return NONE if bounds is None else " … ".join(map(coefficient, bounds))
