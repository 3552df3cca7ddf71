"""Template tags and filters for trust: intervals, reasons, states and names of cards. No queries."""

from collections.abc import Sequence

from django import template
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from annotate.templatetags.ui import state
from judging.templatetags.scores import NONE, points, signed
from lib.stats.alternative_annotator import NOT_SHOWN, REFUTED, SHOWN
from lib.stats.figures import FEW_TRUE, FEW_VOTES, NO_VOTES, Figure
from lib.stats.sample_size import two_digits as rounded

register = template.Library()

CARDS: dict[str, Promise] = {
    "position": gettext_lazy("Position"),
    "length_of_choices": gettext_lazy("Length"),
    "length_of_scores": gettext_lazy("Length"),
    "own_family": gettext_lazy("Own family"),
}
STATES: dict[str, tuple[str, Promise]] = {
    SHOWN: ("agree", gettext_lazy("shown")),
    REFUTED: ("disagree", gettext_lazy("refuted")),
    NOT_SHOWN: ("incomplete", gettext_lazy("not shown")),
}
ABOUT: dict[str, Promise] = {
    "position": gettext_lazy("> 0: the answer shown first wins more often."),
    "length_of_choices": gettext_lazy("> 0: the longer answer wins more often than with human voters."),
    "length_of_scores": gettext_lazy("Points the judge adds, compared with people, per doubling of the length."),
    "own_family": gettext_lazy("> 0: more lenient than people with answers of its own family, on the same items."),
}
VALUES: dict[object, Promise] = {
    1.0: pgettext_lazy("a question of a checklist", "met"),
    0.0: pgettext_lazy("a question of a checklist", "not met"),
    "first": gettext_lazy("first answer"),
    "second": gettext_lazy("second answer"),
    "tie": gettext_lazy("equal"),
    "both_bad": gettext_lazy("both bad"),
    None: gettext_lazy("cannot tell or not readable"),
}
LIKENESS: dict[str, Promise] = {
    "": gettext_lazy("share of equal answers"),
    "masi": gettext_lazy("1 less the MASI distance of two sets"),
    "ranking": gettext_lazy("share of pairs in the same order (Kendall); a tie of one side counts half"),
    "spans": gettext_lazy("F1 of marked characters; two answers without spans agree"),
}
SORTS: dict[str, Promise] = {
    "": gettext_lazy("All units"),
    "test": gettext_lazy("Units of the alternative annotator test"),
    "tested": gettext_lazy("Units of the alternative annotator test"),
    "judged": gettext_lazy("Answers with a verdict"),
    "labelled": gettext_lazy("Answers rated by the judge and by people"),
    "calibration": gettext_lazy("Answers scored by the judge and by people"),
    "bin": gettext_lazy("Answers in one score range"),
    "card": gettext_lazy("Units behind a bias card"),
    "leaning": gettext_lazy("Units that show the bias"),
    "lenient": gettext_lazy("Units that a rater shares with others"),
    "rated": gettext_lazy("Rated units"),
    "errs": gettext_lazy("Units where a rater differs from the estimated true label"),
}


@register.filter
def range_of(figure: Figure | None) -> str:
    """An interval of shares as 0..100; empty if all resamples were equal except for rounding."""
    if figure is None or figure.low is None or figure.high is None:
        return NONE
    low, high = points(figure.low, 1), points(figure.high, 1)
    return NONE if low == high else f"{low}–{high}"


@register.filter
def signed_range(figure: Figure) -> str:
    """An interval of differences, in points of 100."""
    if figure.low is None or figure.high is None:
        return NONE
    return gettext("%(low)s to %(high)s") % {"low": signed(figure.low, 1), "high": signed(figure.high, 1)}


@register.filter
def plain_range(figure: Figure) -> str:
    """An interval of a slope."""
    if figure.low is None or figure.high is None:
        return NONE
    return gettext("%(low)s to %(high)s") % {"low": _plain(figure.low), "high": _plain(figure.high)}


@register.filter
def reason(note: str) -> str:
    """Why a figure is undefined, or a caveat about it."""
    return gettext(note) if note else ""


@register.simple_tag
def trust_state(word: str) -> SafeString:
    """Shown, refuted or not shown: colour, icon and words."""
    look, label = STATES[word]
    return state(look, str(label))


@register.filter
def two_digits(number: float | None) -> str:
    """A number for planning, with two significant digits."""
    return NONE if number is None else number_format(str(rounded(number)), 0, force_grouping=True)


@register.simple_tag
def plan_range(low: float | None, high: float | None) -> str:
    """The range of a planned number; without `high` it may be open-ended. Empty without `low`."""
    if low is None:
        return ""
    if high is None:
        return gettext("%(low)s or more") % {"low": two_digits(low)}
    return gettext("%(low)s to %(high)s") % {"low": two_digits(low), "high": two_digits(high)}


@register.filter
def mark(cell: Figure) -> str:
    """In two words, why a cell of the error table has no value."""
    words = {NO_VOTES: gettext("no votes"), FEW_VOTES: gettext("too few votes"), FEW_TRUE: gettext("too few")}
    return words.get(cell.note, NONE)


@register.filter
def times(value: float | None) -> str:
    return NONE if value is None else f"{number_format(f'{value:.1f}', 1)} ×"


@register.filter
def card_name(bias_name: str) -> str:
    return str(CARDS[bias_name])


@register.filter
def card_about(bias_name: str) -> str:
    return str(ABOUT[bias_name])


@register.filter
def value_word(value: float | str | None, subject: str = "checklist") -> str:
    """A rating in words. subject: the kind of ratings; scores are numbers, and so are numbers of own questions."""
    is_number = subject == "score" or (isinstance(value, float) and subject != "checklist")
    if is_number and value is not None:
        return number_format(f"{float(value):g}")
    return str(VALUES.get(value, value))


@register.filter
def sort_name(sort: str) -> str:
    return str(SORTS.get(sort, sort))


@register.filter
def likeness_measure(graded: str) -> str:
    """By what two answers are compared."""
    return str(LIKENESS[graded])


@register.filter
def nth(values: Sequence[object], index: int) -> object:
    return values[index]


def _plain(value: float) -> str:
    return number_format(f"{value:.2f}", 2).replace("-", "−")
