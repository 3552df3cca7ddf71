"""Bias cards of one judge, and how lenient everybody is, with the names of the units behind."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from judging.services.comparing_raters.material import Material
from judging.services.ratings import PREFERENCE
from judging.services.trust.places import Seen
from judging.services.trust.rows import Row
from judging.services.trust.tables import Rated
from lib.stats import bias
from lib.stats.averages import Floats
from lib.stats.bias import Card
from lib.stats.figures import Figure, bounded, undefined
from lib.stats.notes import ORDER_UNKNOWN, gettext_noop

NO_FAMILY = gettext_noop("Nobody has said which authors are of this judge's family: name their families on Answers.")
POINTS, PAIRS = "points", "pairs"  # what an effect is counted in: points of 100, or per cent of pairs


@dataclass(frozen=True)
class BiasCard:
    """effect: as the metric says; of scores in shares of their range. units: all behind; leaning: those that show it.

    named: bias, and what of: `position`, `length_of_choices`, `length_of_scores`, `own_family`, `leniency`.
    rater: of leniency, whose.
    """

    named: str
    effect: Figure
    units: Sequence[str]
    leaning: Sequence[str]
    unit: str = POINTS
    rater: str = ""


def cards(subject: str, pair_choices: Seen | None, rows: Sequence[Row], family: str) -> list[BiasCard]:
    """Those that this sort of ratings can have. seen: of pairs, as the judge saw them."""
    if subject == PREFERENCE and pair_choices is not None:
        return [_position(pair_choices), _length_of_choices(rows), _own_family(rows, family, PAIRS)]
    return [_length_of_scores(rows), _own_family(rows, family, POINTS)]


def leniency(material: Material, ratings: Rated) -> Iterator[BiasCard]:
    """One of each rater; none of pairs, where nobody can be lenient. Scores are shares of the range that was given."""
    if material.subject.slug == PREFERENCE or not ratings.units:
        return
    low, span = np.nanmin(ratings.values), float(np.ptp(ratings.values[~np.isnan(ratings.values)]))
    values = (ratings.values - low) / (span or 1.0)
    for key, card in zip(ratings.raters, bias.leniency(values), strict=True):
        yield _named("leniency", _on_scale(card), ratings.units, POINTS, rater=key)


def _position(pair_choices: Seen) -> BiasCard:
    units, unswapped, swapped = pair_choices
    if len(units) and np.isnan(unswapped).all() and np.isnan(swapped).all():
        return BiasCard("position", undefined(ORDER_UNKNOWN), (), (), PAIRS)
    both = ~(np.isnan(unswapped) | np.isnan(swapped))
    if both.any():
        return _named("position", bias.position(unswapped, swapped), units, PAIRS)
    return _named("position", bias.position(np.where(np.isnan(unswapped), swapped, unswapped)), units, PAIRS)


def _length_of_choices(rows: Sequence[Row]) -> BiasCard:
    pairs = [(first, second) for first, second in zip(rows[::2], rows[1::2], strict=True) if _known(first, second)]
    units = [first.unit for first, _other in pairs]
    longer = np.array([np.sign(first.answer.length - second.answer.length) for first, second in pairs], dtype=float)
    judged, people = (_leaning([getattr(first, side) for first, _other in pairs]) for side in ("judged", "said"))
    if np.isnan(people).all():
        card = bias.length_of_choices(longer, judged)
    else:
        card = bias.length_of_choices(longer, judged, people)
    return _named("length_of_choices", card, units, PAIRS)


def _known(first: Row, second: Row) -> bool:
    return bool(first.answer.length and second.answer.length)


def _leaning(wins: Sequence[float]) -> Floats:
    """Shares 0..1 for the first answer as -1..1."""
    return 2 * np.array(wins, dtype=float) - 1


def _length_of_scores(rows: Sequence[Row]) -> BiasCard:
    lengths = np.array([row.answer.length or np.nan for row in rows], dtype=float)
    card = bias.length_of_scores(lengths, *_scores(rows))
    return _named("length_of_scores", card, [row.unit for row in rows], POINTS)


def _own_family(rows: Sequence[Row], family: str, unit: str) -> BiasCard:
    if not family:
        return BiasCard("own_family", undefined(NO_FAMILY), (), (), unit)
    own_mask = np.array([row.answer.family == family for row in rows])
    items = np.array([row.place for row in rows], dtype=object)
    judged, people = _scores(rows)
    # Of a pair, what one side wins the other loses: halved, so that a pair counts once.
    halved = 2 if unit == PAIRS else 1
    card = bias.own_family(judged / halved, people / halved, own_mask, items)
    return _named("own_family", _on_scale(card), [row.unit for row in rows], unit)


def _scores(rows: Sequence[Row]) -> tuple[Floats, Floats]:
    return np.array([row.judged for row in rows], dtype=float), np.array([row.said for row in rows], dtype=float)


def _on_scale(card: Card) -> Card:
    """A difference of two shares is never beyond -1 and 1, and neither is its interval."""
    return replace(card, effect=bounded(card.effect, (-1.0, 1.0)))


def _named(bias_name: str, card: Card, units: Sequence[str], unit: str, rater: str = "") -> BiasCard:
    card_units, leaning = (
        list(dict.fromkeys(units[index] for index in indices)) for indices in (card.units, card.showing)
    )
    return BiasCard(bias_name, card.effect, card_units, leaning, unit, rater)
