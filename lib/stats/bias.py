"""Biases of a judge: position, length, own family, leniency. Each is one number that is 0 without the bias."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lib.stats.averages import Floats, divided
from lib.stats.bootstrap import DRAWS, SEED
from lib.stats.figures import (
    LENGTHS_ALIKE,
    NO_COMMON_ITEM,
    NO_DECISION,
    NO_OTHERS,
    NO_PEOPLE,
    NO_UNITS,
    NOT_BOTH_ORDERS,
    ONE_ORDER,
    Figure,
    balance_figure,
    drawn_figure,
    drawn_means,
    mean_figure,
    undefined,
)

Names = NDArray[np.str_] | NDArray[np.object_] | NDArray[np.intp]
Flags = NDArray[np.bool_]
FIRST, NEITHER, SECOND = 1.0, 0.0, -1.0  # a choice by place, as numbers; NaN: nothing could be read


@dataclass(frozen=True)
class BiasCard:
    """effect: 0 without the bias, above it in the direction that the function names; its n counts units (items, for
    own family). units: indices of the units used; showing: those that lean in the direction of the effect's sign."""

    bias: str
    effect: Figure
    units: tuple[int, ...]
    showing: tuple[int, ...]


def position(choices: Floats, swapped: Floats | None = None) -> BiasCard:
    """Position bias, -1..1: share of pairs where the first position won in both orders, less the share where the
    second did. A tie in one of the orders counts half.

    choices, swapped: (pairs,) choices by position as shown: 1 first, -1 second, 0 neither, NaN unread; swapped has the
    same pairs in the other order. Without it: first choices less second ones, over random orders.
    A judge that contradicts itself evenly has no position bias, but bad consistency.
    """
    if swapped is None:
        return _card("position", choices, ONE_ORDER, NO_UNITS)
    return _card("position", (choices + swapped) / 2, "", NOT_BOTH_ORDERS)


def length_of_choices(longer: Floats, choices: Floats, people: Floats | None = None) -> BiasCard:
    """Length bias of choices, -1..1: the judge's mean preference for the longer answer less that of people, halved.

    longer: (pairs,) 1 where the first answer is longer, -1 the second, 0 neither; choices, people: 1, -1, 0, NaN, of
    the same two answers. Pairs of equal length are left out. Without people: against an even split, with a note.
    """
    of_judge = np.where(longer == NEITHER, np.nan, longer * choices)
    if people is None:
        return _card("length", of_judge, NO_PEOPLE, NO_DECISION)
    return _card("length", (of_judge - longer * people) / 2, "", NO_DECISION)


def length_of_scores(
    lengths: Floats, scores: Floats, people: Floats, *, count: int = DRAWS, seed: int = SEED
) -> BiasCard:
    """Length bias of scores: growth of the judge's score less people's per doubling of the length, in points.

    lengths: (units,) above 0; scores, people: (units,) on one scale, NaN where there is none. The slope of a straight
    line; the interval resamples units. Undefined for less than three units and equal lengths.
    """
    more = scores - people
    used = np.flatnonzero(~np.isnan(more) & ~np.isnan(lengths))
    doublings, more = np.log2(lengths[used]), more[used]
    if used.size < 3 or np.ptp(doublings) == 0:
        return BiasCard(
            "length", undefined(LENGTHS_ALIKE if used.size >= 3 else NO_UNITS, used.size), _places(used), ()
        )
    rows = [doublings, more, doublings**2, doublings * more]
    slope = float(_slope(np.array(rows).mean(axis=1)[:, None])[0])
    effect = drawn_figure(slope, used.size, _slope(drawn_means(rows, count=count, seed=seed)))
    leaning = (doublings - doublings.mean()) * (more - more.mean())
    return BiasCard("length", effect, _places(used), _places(used[leaning * slope > 0]))


def own_family(scores: Floats, other_scores: Floats, is_own: Flags, items: Names) -> BiasCard:
    """Own-family bias: points by which a judge favours answers of its own family over others' of the same item.

    scores, other_scores: (units,) of the judge, and of the comparison (people's mean, or that of other judges); is_own:
    (units,) whether the author is of its family; items: (units,) which item. Each item with answers of both sorts
    gives one difference: mean (score - others') of own answers less that of the rest. n counts such items. Student's
    interval.
    """
    kinder = scores - other_scores
    used = ~np.isnan(kinder)
    names, item = np.unique(items[used], return_inverse=True)
    own_means, rest = (_by_item(kinder[used], item, len(names), which) for which in (is_own[used], ~is_own[used]))
    differences = own_means - rest
    both = ~np.isnan(differences)
    indices, leaning = np.flatnonzero(used)[both[item]], differences[item][both[item]]
    if not both.any():
        return BiasCard("own_family", undefined(NO_COMMON_ITEM), (), ())
    effect = mean_figure(differences[both])
    return BiasCard("own_family", effect, _places(indices), _places(indices[leaning * (effect.value or 0) > 0]))


def leniency(values: Floats) -> list[BiasCard]:
    """Leniency of each rater: points by which they rate above the others on shared units; below 0: severe.

    values: (units, raters) on one scale, NaN where there is none; people and judges alike. Student's interval.
    """
    has_rating = ~np.isnan(values)
    total, count = np.nansum(values, axis=1), has_rating.sum(axis=1)
    cards = []
    for ratings in values.T:
        has = ~np.isnan(ratings)
        above = ratings - divided(total - np.where(has, ratings, 0), count - has)
        used = np.flatnonzero(~np.isnan(above))
        effect = mean_figure(above[used]) if used.size else undefined(NO_OTHERS)
        cards.append(BiasCard("leniency", effect, _places(used), _places(used[above[used] * (effect.value or 0) > 0])))
    return cards


def _card(bias: str, leaning: Floats, note: str, nothing: str) -> BiasCard:
    used = np.flatnonzero(~np.isnan(leaning))
    if not used.size:
        return BiasCard(bias, undefined(nothing), (), ())
    effect = balance_figure(leaning[used], note)
    return BiasCard(bias, effect, _places(used), _places(used[leaning[used] * (effect.value or 0) > 0]))


def _slope(means: Floats) -> Floats:
    """(4, draws) means of x, y, x², xy -> (draws,) slopes, NaN where x does not vary."""
    x, y, square, product = means
    spread = square - x**2
    return divided(product - x * y, np.where(spread > 1e-12, spread, 0))


def _by_item(values: Floats, item: NDArray[np.intp], items: int, which: Flags) -> Floats:
    """(items,) means of the units in `which`, NaN where an item has none of them."""
    sums = np.bincount(item[which], values[which], items)
    return divided(sums, np.bincount(item[which], minlength=items))


def _places(indices: NDArray[np.intp]) -> tuple[int, ...]:
    return tuple(indices.tolist())
