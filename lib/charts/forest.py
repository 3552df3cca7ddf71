"""Forest plots: estimates with their intervals on one scale, each with its name, its figures and its n.

The scale covers all estimates. An interval that is much wider than the others ends in an arrow where the scale ends.
`mean_forest` draws the means of a table at every width.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor
from statistics import median

from django.utils.safestring import SafeString

from lib.charts.marks import cut, drawing, element, fitted, number, round_step, text, width
from lib.stats.figures import FEW, Figure

ROW, HEAD, NARROW = 26, 24, 420  # below this width the name and the figures are above the interval
APART = 14  # between columns
WIDEST = 4  # half widths of the usual interval, of which so many are shown beyond the estimates
ARROW = 5


@dataclass(frozen=True)
class ForestRow:
    """value: None where there is none; low, high: its interval, None where there is none. n: what it is based on.

    thin: that is too little.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    thin: bool = False


@dataclass(frozen=True)
class ForestWords:
    """label: the sentence of the chart; name, value, n: heads of its columns. figure: writes a value."""

    label: str
    name: str
    value: str
    n: str
    figure: Callable[[float], str]
    missing: str = "–"

    def said(self, row: ForestRow) -> str:
        if row.value is None:
            return self.missing
        if row.low is None or row.high is None:
            return self.figure(row.value)
        return f"{self.figure(row.value)} ({self.figure(row.low)}–{self.figure(row.high)})"


def forest(
    rows: Sequence[ForestRow], words: ForestWords, *, reference: float | None = None, wide: int = 780
) -> SafeString:
    """Rows in their order. reference: a value that a dotted line marks."""
    plot = _plot(rows, words, reference, wide)
    elements = [*_scale(plot, reference), *_heads(plot, words)]
    for index, row in enumerate(rows):
        elements += _row(plot, row, words, HEAD + index * plot.tall)
    return drawing(elements, wide, plot.height, words.label, "forest")


@dataclass(frozen=True)
class _ForestPlot:
    """left, right: ends of the scale in pixels; low, high: the values there. said: the right end of the figures."""

    wide: int
    left: float
    right: float
    low: float
    high: float
    step: float
    said: float
    tall: int
    height: int

    @property
    def above(self) -> bool:
        return self.wide < NARROW

    def at(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.left + (self.right - self.left) * min(max(share, 0), 1)


def _plot(rows: Sequence[ForestRow], words: ForestWords, reference: float | None, wide: int) -> _ForestPlot:
    low, high, step = _ends(rows, reference)
    tall = ROW + 20 if wide < NARROW else ROW
    height = HEAD + tall * len(rows) + 4
    if wide < NARROW:
        return _ForestPlot(wide, 12, wide - 12, low, high, step, 0, tall, height)
    names = min(max([width(row.name) for row in rows] + [width(words.name)]), wide * 0.34)
    counts = max([width(number(row.n)) for row in rows] + [width(words.n)])
    figures = max([width(words.said(row)) for row in rows] + [width(words.value)])
    plot_end = wide - counts - APART
    return _ForestPlot(wide, names + APART, plot_end - figures - APART, low, high, step, plot_end, tall, height)


def _ends(rows: Sequence[ForestRow], reference: float | None) -> tuple[float, float, float]:
    """(low, high, step) in round numbers."""
    values = [row.value for row in rows if row.value is not None]
    if reference is not None:
        values.append(reference)
    if not values:
        return 0.0, 1.0, 1.0
    bounds = [(row.low, row.high) for row in rows if row.low is not None and row.high is not None]
    usual = median((high - low) / 2 for low, high in bounds) if bounds else 0.0
    reach = max(max(values) - min(values), WIDEST * usual)
    low = max(min([*values, *(low for low, _high in bounds)]), min(values) - reach)
    high = min(max([*values, *(high for _low, high in bounds)]), max(values) + reach)
    step = round_step(high - low)
    start, end = floor(low / step) * step, ceil(high / step) * step
    return start, end if end > start else start + step, step


def _scale(plot: _ForestPlot, reference: float | None) -> list[SafeString]:
    elements = []
    marks = [plot.low + count * plot.step for count in range(round((plot.high - plot.low) / plot.step) + 1)]
    room = (plot.right - plot.left) / (len(marks) - 1)
    every = ceil((max(width(_tick(mark)) for mark in marks) + 8) / room)
    for count, mark in enumerate(marks):
        x = plot.at(mark)
        elements.append(element("line", "grid", x1=x, x2=x, y1=HEAD - 6, y2=plot.height))
        if count % every == 0:
            elements.append(text(_tick(mark), x, 12, "middle"))
    if reference is not None:
        x = plot.at(reference)
        elements.append(element("line", "reference", x1=x, x2=x, y1=HEAD - 6, y2=plot.height))
    return elements


def _tick(value: float) -> str:
    return f"{round(value, 6):g}".replace("-", "−")


def _heads(plot: _ForestPlot, words: ForestWords) -> list[SafeString]:
    if plot.above:
        return []
    return [text(words.name, 0, 12), text(words.value, plot.said, 12, "end"), text(words.n, plot.wide, 12, "end")]


def _row(plot: _ForestPlot, row: ForestRow, words: ForestWords, top: float) -> list[SafeString]:
    middle = top + plot.tall - ROW / 2
    elements = _written(plot, row, words, top + 13 if plot.above else middle + 4)
    if row.value is None:
        return elements
    look = "person thin" if row.thin else "person"
    elements += _interval(plot, row, look, middle)
    return [*elements, element("circle", look, cx=plot.at(row.value), cy=middle, r=4)]


def _written(plot: _ForestPlot, row: ForestRow, words: ForestWords, y: float) -> list[SafeString]:
    """The name, the figures and the n of a row."""
    figure_text = words.said(row)
    if plot.above:
        figures = f"{figure_text} · n = {row.n}"
        name = cut(row.name, plot.wide - width(figures) - APART)
        return [text(name, 0, y, look="name"), text(figures, plot.wide, y, "end")]
    name = cut(row.name, plot.left - APART)
    figures_look = "aside" if row.thin else ""
    return [
        text(name, 0, y, look="name"),
        text(figure_text, plot.said, y, "end", figures_look),
        text(number(row.n), plot.wide, y, "end", figures_look),
    ]


def _interval(plot: _ForestPlot, row: ForestRow, look: str, y: float) -> list[SafeString]:
    """The interval of a row; an end beyond the scale is an arrow."""
    if row.low is None or row.high is None:
        return []
    start, end = plot.at(row.low), plot.at(row.high)
    elements = [element("line", f"{look} span", x1=start, x2=end, y1=y, y2=y)]
    tips = [(start, ARROW)] if row.low < plot.low else []
    tips += [(end, -ARROW)] if row.high > plot.high else []
    return elements + [element("polyline", f"{look} span", points=_arrow(x, back, y)) for x, back in tips]


def _arrow(x: float, back: float, y: float) -> str:
    foot = number(x + back)
    return f"{foot},{number(y - 4)} {number(x)},{number(y)} {foot},{number(y + 4)}"


def mean_forest(
    figures: Sequence[tuple[str, Figure]],
    words: ForestWords,
    *,
    among: Sequence[float | None] | None = None,
    times: float = 1,
    few: int = FEW,
) -> SafeString:
    """Each name with its mean, the largest first; names without one come last. The dotted line is the mean of all.

    Empty where nothing has a mean. words.label: with a place for the reference. among: the means of all, where the
    figures are some of them. times: 100 for shares that are shown out of 100. few: units below which a row is grey.
    """
    rows = [_mean_row(name, figure, times, few) for name, figure in figures]
    if all(row.value is None for row in rows):
        return SafeString()
    means = [figure.value for _name, figure in figures] if among is None else among
    values = [times * value for value in means if value is not None]
    rows.sort(key=lambda row: (row.value is None, -(row.value or 0)))
    reference = sum(values) / len(values)
    words = replace(words, label=words.label % {"reference": words.figure(reference)})
    return fitted(lambda wide: forest(rows, words, reference=reference, wide=wide))


def _mean_row(name: str, figure: Figure, times: float, few: int) -> ForestRow:
    value, low, high = (None if end is None else times * end for end in (figure.value, figure.low, figure.high))
    return ForestRow(name, value, low, high, figure.n, thin=figure.n < few)
