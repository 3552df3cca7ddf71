"""Biases of judges: ratings as arrays for the metrics, bias cards and leniency, and error rates (Dawid and Skene)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from judging.ratings.grounds import OrderedChoices, ScoredSide
from judging.ratings.tables import UnitTable
from judging.ratings.units import PREFERENCE, Unit
from lib.stats import bias
from lib.stats.averages import AverageCell, Floats, Places
from lib.stats.bias import BiasCard
from lib.stats.figures import ORDER_UNKNOWN, Figure, bounded, gettext_noop, undefined
from lib.stats.rater_errors import rater_errors

MOST_LABELS = 10  # with more different scores, error rates between each two of them mean nothing


@dataclass(frozen=True)
class Rated:
    """values: (units, raters), NaN if there is none; labels: the meaning of the codes 0, 1, …, () for numbers.

    raters: keys, people first.
    """

    units: Sequence[Unit]
    raters: Sequence[str]
    values: Floats
    labels: Sequence[float | str] = ()

    def of(self, *keys: str) -> Floats:
        return self.values[:, [self.raters.index(key) for key in keys]]


@dataclass(frozen=True)
class ByAuthor:
    """Scores for a leaderboard. said, judged: (authors, places), NaN if there is none; cell: (places,)."""

    authors: Sequence[str]
    said: Floats
    judged: Floats
    cell: Places
    cells: Sequence[AverageCell]


def rated(material: UnitTable) -> Rated:
    """Scores as they are; labels, and checklist questions, as codes."""
    units, keys = list(material.said), [rater.key for rater in material.raters]
    column_by_key = {key: column for column, key in enumerate(keys)}
    labels = () if material.subject.scored else labels_of(material)
    codes = {label: code for code, label in enumerate(labels)}
    values = np.full((len(units), len(keys)), np.nan)
    for row, ratings in enumerate(material.said.values()):
        for key, rating in ratings.items():
            if rating.value is not None:
                values[row, column_by_key[key]] = codes[rating.value] if labels else float(rating.value)
    return Rated(units, keys, values, labels)


def labels_of(material: UnitTable) -> Sequence[float | str]:
    """All different values, in order."""
    labels = {
        rating.value for ratings in material.said.values() for rating in ratings.values() if rating.value is not None
    }
    return sorted(labels, key=lambda value: (isinstance(value, str), value))


def coded(ratings: Rated) -> Rated:
    """The same with scores as codes too; no values if there are too many different scores."""
    if ratings.labels:
        return ratings
    labels = np.unique(ratings.values[~np.isnan(ratings.values)])
    if labels.size > MOST_LABELS:
        return Rated([], ratings.raters, np.empty((0, len(ratings.raters))))
    codes = np.where(np.isnan(ratings.values), np.nan, np.searchsorted(labels, ratings.values))
    return Rated(ratings.units, ratings.raters, codes, labels.tolist())


def by_author(rows: Sequence[ScoredSide]) -> ByAuthor:
    """Scores by author; several samples of an author count as the mean of those that have a score."""
    authors = {name: index for index, name in enumerate(sorted({row.answer.author for row in rows}))}
    column_by_place = {name: number for number, name in enumerate(dict.fromkeys(row.place for row in rows))}
    cells = sorted({row.cell for row in rows}, key=lambda cell: (cell.scenario, cell.task))
    index_by_cell = {cell: number for number, cell in enumerate(cells)}
    cell = np.zeros(len(column_by_place), dtype=np.intp)
    sums, counts = np.zeros((2, len(authors), len(column_by_place))), np.zeros((2, len(authors), len(column_by_place)))
    for row in rows:
        author, column = authors[row.answer.author], column_by_place[row.place]
        cell[column] = index_by_cell[row.cell]
        for side, value in enumerate((row.said, row.judged)):
            if not np.isnan(value):
                sums[side, author, column] += value
                counts[side, author, column] += 1
    people, judged = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return ByAuthor(list(authors), people, judged, cell, cells)


# Bias cards of one judge, and the leniency of every rater, with the names of the units behind them.


NO_FAMILY = gettext_noop("No author is marked as part of this judge's family. Set the families on the Answers page.")
POINTS, PAIRS = "points", "pairs"  # units of an effect: points of 100, or per cent of pairs


@dataclass(frozen=True)
class JudgeBiasCard:
    """effect: as the metric gives it; for scores, in shares of their range. units: all units behind it; leaning: those
    that show the bias.

    named: the bias: `position`, `length_of_choices`, `length_of_scores`, `own_family` or `leniency`.
    rater: the rater whose leniency it is.
    """

    named: str
    effect: Figure
    units: Sequence[Unit]
    leaning: Sequence[Unit]
    unit: str = POINTS
    rater: str = ""


def cards(
    subject: str, pair_choices: OrderedChoices | None, rows: Sequence[ScoredSide], family: str
) -> list[JudgeBiasCard]:
    """The cards for this kind of ratings. pair_choices: pairs as the judge saw them, None for other kinds."""
    if subject == PREFERENCE and pair_choices is not None:
        return [_position(pair_choices), _length_of_choices(rows), _own_family(rows, family, PAIRS)]
    return [_length_of_scores(rows), _own_family(rows, family, POINTS)]


def leniency(material: UnitTable, ratings: Rated) -> Iterator[JudgeBiasCard]:
    """One card for each rater; none for pairs and labels, which know no leniency. Scores are shares of the range that
    occurs."""
    is_label = material.subject.question and not material.subject.scored
    if material.subject.slug == PREFERENCE or is_label or not ratings.units:
        return
    low, span = np.nanmin(ratings.values), float(np.ptp(ratings.values[~np.isnan(ratings.values)]))
    values = (ratings.values - low) / (span or 1.0)
    for key, card in zip(ratings.raters, bias.leniency(values), strict=True):
        yield _with_units("leniency", _on_scale(card), ratings.units, POINTS, rater=key)


def _position(pair_choices: OrderedChoices) -> JudgeBiasCard:
    units, unswapped, swapped = pair_choices
    if len(units) and np.isnan(unswapped).all() and np.isnan(swapped).all():
        return JudgeBiasCard("position", undefined(ORDER_UNKNOWN), (), (), PAIRS)
    both = ~(np.isnan(unswapped) | np.isnan(swapped))
    if both.any():
        return _with_units("position", bias.position(unswapped, swapped), units, PAIRS)
    return _with_units("position", bias.position(np.where(np.isnan(unswapped), swapped, unswapped)), units, PAIRS)


def _length_of_choices(rows: Sequence[ScoredSide]) -> JudgeBiasCard:
    pairs = [(first, second) for first, second in zip(rows[::2], rows[1::2], strict=True) if _has_family(first, second)]
    units = [first.unit for first, _other in pairs]
    longer = np.array([np.sign(first.answer.length - second.answer.length) for first, second in pairs], dtype=float)
    judged, people = (_leaning([getattr(first, side) for first, _other in pairs]) for side in ("judged", "said"))
    if np.isnan(people).all():
        card = bias.length_of_choices(longer, judged)
    else:
        card = bias.length_of_choices(longer, judged, people)
    return _with_units("length_of_choices", card, units, PAIRS)


def _has_family(first: ScoredSide, second: ScoredSide) -> bool:
    return bool(first.answer.length and second.answer.length)


def _leaning(wins: Sequence[float]) -> Floats:
    """Shares 0..1 for the first answer as -1..1."""
    return 2 * np.array(wins, dtype=float) - 1


def _length_of_scores(rows: Sequence[ScoredSide]) -> JudgeBiasCard:
    lengths = np.array([row.answer.length or np.nan for row in rows], dtype=float)
    card = bias.length_of_scores(lengths, *_scores(rows))
    return _with_units("length_of_scores", card, [row.unit for row in rows], POINTS)


def _own_family(rows: Sequence[ScoredSide], family: str, unit: str) -> JudgeBiasCard:
    if not family:
        return JudgeBiasCard("own_family", undefined(NO_FAMILY), (), (), unit)
    own_mask = np.array([row.answer.family == family for row in rows])
    items = np.array([row.place for row in rows], dtype=object)
    judged, people = _scores(rows)
    # In a pair, one side wins what the other loses: the effect is halved, so that a pair counts once.
    halved = 2 if unit == PAIRS else 1
    card = bias.own_family(judged / halved, people / halved, own_mask, items)
    return _with_units("own_family", _on_scale(card), [row.unit for row in rows], unit)


def _scores(rows: Sequence[ScoredSide]) -> tuple[Floats, Floats]:
    return np.array([row.judged for row in rows], dtype=float), np.array([row.said for row in rows], dtype=float)


def _on_scale(card: BiasCard) -> BiasCard:
    """Clip the card to -1..1: a difference of two shares, and its interval, cannot lie outside."""
    return replace(card, effect=bounded(card.effect, (-1.0, 1.0)))


def _with_units(bias_name: str, card: BiasCard, units: Sequence[Unit], unit: str, rater: str = "") -> JudgeBiasCard:
    card_units, leaning = (
        list(dict.fromkeys(units[index] for index in indices)) for indices in (card.units, card.showing)
    )
    return JudgeBiasCard(bias_name, card.effect, card_units, leaning, unit, rater)


# Error rates of raters, estimated from the raters' agreement with each other (Dawid and Skene).


TOO_MANY_LABELS = gettext_noop("With more than ten different scores, errors between single scores are not meaningful.")


@dataclass(frozen=True)
class RaterErrorRates:
    """One rater. errors: by true label and given label. units: those that they have rated; differing: those of them
    where their label differs from the estimated true one."""

    rater: str
    accuracy: Figure
    errors: Sequence[Sequence[Figure]]
    units: Sequence[Unit]
    differing: Sequence[Unit]


@dataclass(frozen=True)
class ErrorModel:
    """raters: empty if nothing can be estimated; note says why. labels: of the rows and columns of errors."""

    raters: Sequence[RaterErrorRates] = ()
    labels: Sequence[float | str] = ()
    shares: Sequence[Figure] = field(default_factory=tuple)
    note: str = ""


def error_model(ratings: Rated) -> ErrorModel:
    """ratings: codes of labels."""
    if not ratings.units:
        return ErrorModel(note=TOO_MANY_LABELS)
    estimate = rater_errors(ratings.values, len(ratings.labels))
    if not estimate.shares:
        return ErrorModel(note=estimate.note)
    raters = [
        RaterErrorRates(
            key,
            rater.accuracy,
            rater.errors,
            _labels_given(ratings, column),
            _differing(ratings, column, estimate.labels),
        )
        for column, (key, rater) in enumerate(zip(ratings.raters, estimate.raters, strict=True))
    ]
    return ErrorModel(raters, ratings.labels, estimate.shares, estimate.note)


def _labels_given(ratings: Rated, column: int) -> list[Unit]:
    return [ratings.units[row] for row in np.flatnonzero(~np.isnan(ratings.values[:, column])).tolist()]


def _differing(ratings: Rated, column: int, true: np.ndarray) -> list[Unit]:
    labels = ratings.values[:, column]
    return [ratings.units[row] for row in np.flatnonzero(~np.isnan(labels) & (labels != true)).tolist()]
