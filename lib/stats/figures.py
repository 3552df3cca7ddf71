"""Figures: numbers of reports with their interval, their n, and a note with the reason where one is missing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, inf, isinf, log, sqrt

import numpy as np
from scipy.special import stdtrit

from lib.stats.averages import AverageCell, Floats, ScoreTable
from lib.stats.bootstrap import DRAWS, LEVEL, SEED, draws, intervals, known
from lib.stats.intervals import Z95, wilson

# Notes: why a figure has no value or no interval, and caveats. The list is closed, so that pages can translate it.


def gettext_noop(text: str) -> str:
    """Marks a text for translation, because this package does not import Django."""
    return text


NO_UNITS = gettext_noop("There are no units to calculate from.")
ONE_UNIT = gettext_noop("A single unit gives no estimate of the variation.")
ALL_ALIKE = gettext_noop("All units have the same value, so no interval can be calculated.")
FEW_OF_A_MEAN = gettext_noop("Fewer than six items: too few for an interval.")

# Labels against a majority
NEVER_GIVEN = gettext_noop("A label that the judge never gives has no precision; it counts as 0 in the mean.")
NEVER_RIGHT = gettext_noop("A label that people never give has no recall; it counts as 0 in the mean.")

# The alternative annotator test
ONE_PERSON = gettext_noop(
    "At least two people are needed: one is left out, and the others are the reference for that person and the judge."
)
FEW_ITEMS = gettext_noop("No person has enough items that the judge and another person also rated.")
TOO_FEW_ITEMS = gettext_noop("Too few items to test this person; the person does not count in the winning rate.")
TOO_FEW_CLUSTERS = gettext_noop(
    "Units of fewer than ten items, or of what is resampled together, are too few to test this person; the person does "
    "not count in the winning rate."
)
TWO_PEOPLE = gettext_noop("With two people there is no consensus to compare with; three or more are better.")
DECISIONS = gettext_noop("A share of test decisions, each with its own p value; it has no interval.")
TESTS_DIFFER = gettext_noop("By the published t test alone the judge would win here, but the differences hardly vary.")
AS_SEEN_SO_FAR = gettext_noop(
    "A planning value with two significant digits: if the data so far are representative, the test then "
    "passes in four of five cases. The range contains the number in four of five cases, given the chance "
    "variation in the data so far."
)
NEAR_MARGIN = gettext_noop("The judge is so close to the margin ε that no meaningful number of items can be given.")
MORE_DO_NOT_HELP = gettext_noop(
    "More items are not expected to help: so far, the judge is worse than most people by at least the margin."
)
ENOUGH = gettext_noop("The test has passed; no more items are needed.")

# Means and leaderboards corrected by people's labels
TOO_FEW_LABELS = gettext_noop("Too few items have both human labels and a verdict; at least ten are needed.")
THIN_TASK = gettext_noop("A task has fewer than two labelled items, so its mean cannot be corrected.")
NO_SPREAD = gettext_noop("The labelled items do not vary, so no interval can be calculated.")
FEW_DIFFERENCES = gettext_noop(
    "People and judge differ on fewer than five labelled items: the interval may be too narrow."
)
ALL_LABELLED = gettext_noop("People labelled every item; this is their plain mean.")

# Who errs how (Dawid and Skene)
TOO_FEW_RATERS = gettext_noop(
    "At least three raters with shared units are needed: if only two differ, it is unknown who is wrong."
)
ONE_LABEL = gettext_noop("Only one label was ever given, so no errors can be estimated.")
NOBODY_MEETS = gettext_noop("This rater shares no unit with another rater.")
NOT_SETTLED = gettext_noop("The estimate had not converged when it was stopped.")
AGAINST_OTHERS = gettext_noop("Raters contradict each other so much that labels and errors may be swapped.")
NEVER_TRUE = gettext_noop("No unit is estimated to have this label.")
NO_VOTES = gettext_noop("No votes: no rater gives this label.")
FEW_VOTES = gettext_noop("Too few votes: almost no rater gives this label, so its errors cannot be estimated.")
FEW_TRUE = gettext_noop("Too few units are estimated to have this label, so its errors cannot be estimated.")
EMPTY_LABELS = gettext_noop(
    "One of the labels is hardly ever given or correct; its errors are left out because they are chance."
)

BY_DEGREES = gettext_noop("Sets, orders and spans agree by degrees, so they have no single labels to confuse.")

# Judge calibration
FEW_UNITS = gettext_noop("Fewer than ten units have both a judge score and a human rate.")
SCORE_CONSTANT = gettext_noop("The judge gives every unit the same score.")
GAPS_ADD_UP = gettext_noop("Chance alone makes this larger than 0, especially with few units per bin.")

# Bias cards
NOT_BOTH_ORDERS = gettext_noop("No pair was judged in both orders.")
ONE_ORDER = gettext_noop("Based on one order only: meaningful only if the order was drawn at random.")
ORDER_UNKNOWN = gettext_noop(
    "Left out: it is unknown which answer was shown first. The file does not say, and these pairs are "
    "stored in the order of a digest of their texts, which nobody saw."
)
SOME_UNORDERED = gettext_noop("For some pairs it is unknown which answer was shown first; they are left out.")
NO_DECISION = gettext_noop("No pair of answers of different lengths was decided.")
NO_PEOPLE = gettext_noop(
    "Without human votes the comparison is with an even split; longer answers may simply be better."
)
LENGTHS_ALIKE = gettext_noop("All answers are of the same length.")
NO_COMMON_ITEM = gettext_noop(
    "No item has answers both of the judge's own family and of others that people also rated."
)
NO_OTHERS = gettext_noop("No other rater rated any unit of this rater.")

# Settings of judge and reference
ONE_AUTHOR = gettext_noop("At least two authors with different means are needed.")
SAME_ORDER = gettext_noop("No interval: the order is the same whichever cases are drawn.")

# Means by intent against satisfaction
FEW_INTENTS = gettext_noop("No interval: there are fewer than three intents, or too few that differ.")


FEW = 10  # units below which a coefficient, share or mean is unreliable, and is greyed on every board


@dataclass(frozen=True)
class Figure:
    """value: None where undefined; then note gives the reason. low, high: of the 95 % interval, None where there is
    none. n: units that it is based on. A note on a value is a caveat, for example about a missing interval."""

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    note: str = ""


def undefined(note: str, n: int = 0) -> Figure:
    return Figure(None, n, note=note)


def share_figure(hits: float, n: int, note: str = "") -> Figure:
    """hits of n with Wilson's interval; undefined for n = 0. Hits may be a sum of shares: the interval is then too wide
    rather than too narrow, because no variable in 0..1 varies more than a binary one."""
    bounds = wilson(hits, n)
    return Figure(hits / n, n, *bounds, note=note) if bounds else undefined(NO_UNITS)


def mean_figure(values: Floats, note: str = "", *, within: tuple[float, float] = (-inf, inf)) -> Figure:
    """Mean of one value per unit, without NaN, with Student's interval. No interval if all are equal or n is 1.

    within: the range of possible values; the interval stays inside, see `bounded`. Assumes that units were drawn
    independently, and approximately normal means: thirty units, or values that are not skewed.
    """
    n = values.size
    if not n:
        return undefined(NO_UNITS)
    mean = float(values.mean())
    if n == 1 or np.ptp(values) == 0:
        return Figure(mean, n, note=ONE_UNIT if n == 1 else ALL_ALIKE)
    half = float(stdtrit(n - 1, (1 + LEVEL) / 2) * values.std(ddof=1) / sqrt(n))
    return bounded(Figure(mean, n, mean - half, mean + half, note), within)


def bounded(figure: Figure, within: tuple[float, float]) -> Figure:
    """The figure with a value and an interval that stay within the scale.

    A symmetric interval that would leave it is replaced by an interval of the log-odds of the position on the scale,
    with the width of the delta method, transformed back. It never reaches an end and is longer towards the middle. A
    value at an end, or beyond it after a correction, has no log-odds: it and its interval are cut at the end.
    Source of the method: Agresti, "Categorical Data Analysis", on intervals by the logit.
    """
    low, high = within
    if figure.value is None or figure.low is None or figure.high is None:
        return figure if figure.value is None else replace(figure, value=min(max(figure.value, low), high))
    if low <= figure.low and figure.high <= high:
        return figure
    if not (low < figure.value < high) or isinf(low) or isinf(high):
        cut = [min(max(number, low), high) for number in (figure.value, figure.low, figure.high)]
        return Figure(cut[0], figure.n, cut[1], cut[2], figure.note)
    share, half = (figure.value - low) / (high - low), (figure.high - figure.low) / 2 / (high - low)
    odds, width = log(share / (1 - share)), half / (share * (1 - share))
    ends = [low + (high - low) * _share_of(odds + sign * width) for sign in (-1, 1)]
    return Figure(figure.value, figure.n, ends[0], ends[1], figure.note)


def _share_of(odds: float) -> float:
    """The share for log-odds; written so that large ones do not overflow."""
    return 1 / (1 + exp(-odds)) if odds >= 0 else exp(odds) / (1 + exp(odds))


def balance_figure(values: Floats, note: str = "") -> Figure:
    """Mean of one value in -1..1 per unit, where 0 means "neither side"; its interval is never empty.

    Two units are added, one half for and one half against, each way: Σd stays, Σd² grows by 1, n by 2.
    Source: Agresti and Min, "Simple improved confidence intervals for comparing matched proportions" (Statistics in
    Medicine, 2005), whose intervals these are where every value is -1, 0 or 1.
    """
    n = values.size
    if not n:
        return undefined(NO_UNITS)
    middle = float(values.sum()) / (n + 2)
    variance = (float((values**2).sum()) + 1) / (n + 2) - middle**2
    half = Z95 * sqrt(variance / (n + 2))
    return Figure(float(values.mean()), n, max(middle - half, -1.0), min(middle + half, 1.0), note)


def shifted(figure: Figure, by: float) -> Figure:
    """The figure with value and interval shifted."""
    moved = (None if number is None else number + by for number in (figure.value, figure.low, figure.high))
    value, low, high = moved
    return Figure(value, figure.n, low, high, figure.note)


def drawn_means(rows: Sequence[Floats], *, count: int = DRAWS, seed: int = SEED) -> Floats:
    """(rows, draws): means of several values per unit over resampled units, the same units for every row."""
    values = np.asarray(rows, dtype=float)
    cell_indices = np.zeros(values.shape[1], dtype=np.intp)
    return draws(ScoreTable([""] * len(values), values, cell_indices, [AverageCell("", "")]), count=count, seed=seed)[
        ..., 0
    ]


def drawn_figure(value: float, n: int, draws: Floats, note: str = "") -> Figure:
    """A value with the percentile interval of its resamples. If all resamples are equal, no unit differed, which is no
    certainty: then there is no interval."""
    low, high = bounds_of(draws)
    return Figure(value, n, note=ALL_ALIKE) if low is not None and low == high else Figure(value, n, low, high, note)


def bounds_of(draws: Floats) -> tuple[float | None, float | None]:
    """Percentile interval of draws (NaN is ignored); None where most of them have no value."""
    if 2 * np.isnan(draws).sum() >= draws.size:
        return None, None
    low, high = intervals(draws[None, :, None])[0, 0]
    return known(low), known(high)
