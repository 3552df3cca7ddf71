"""Agreement about spans of texts: F1 of marked characters, alpha of each label by character, labels of matched spans.

Everything is counted from flat arrays: the characters that are marked, not those of the whole text, so that long texts
with few spans cost little. Intervals: 95 %, percentiles of a bootstrap over clusters of units.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from lib.stats.agreement.sets_and_ranks import ClusteredValue, JudgedSets, with_interval, with_intervals
from lib.stats.agreement.table import NEVER_MEET, NO_RATINGS, RESAMPLES, SEED, Floats

Whole = NDArray[np.int64]
NO_MARKS = "Nobody marked anything."
MOST_MATCHED = 4_000_000  # spans of one rating × spans of another; above that they are not matched


@dataclass(frozen=True)
class SpanTable:
    """Spans of several ratings of several units. All arrays are of whole numbers.

    lengths, clusters: (units,), characters of a unit, and the number of what is resampled with it, from 0.
    unit: (ratings,), the unit of each rating; a rating without spans says that there is none.
    rating, start, end: (spans,), places in the unit, whose texts stand one after the other; end is behind the span.
    labels: (spans, any number), numbers from 0 of what a span is called, one column for each way of calling it.
    """

    lengths: Whole
    clusters: Whole
    unit: Whole
    rating: Whole
    start: Whole
    end: Whole
    labels: Whole

    @cached_property
    def pairs(self) -> tuple[Whole, Whole]:
        """(left, right): the ratings of every two raters of one unit."""
        order = np.argsort(self.unit, kind="stable")
        _units, counts = np.unique(self.unit, return_counts=True)
        firsts = np.cumsum(counts) - counts
        left, right = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        for size in np.unique(counts):
            one, other = np.triu_indices(int(size), 1)
            left.append((firsts[counts == size][:, None] + one).ravel())
            right.append((firsts[counts == size][:, None] + other).ravel())
        return order[np.concatenate(left)], order[np.concatenate(right)]

    @property
    def met(self) -> int:
        """Units with at least two ratings."""
        return int((np.bincount(self.unit, minlength=len(self.lengths)) > 1).sum())

    @property
    def cluster_count(self) -> int:
        return int(self.clusters.max(initial=-1)) + 1

    def without(self) -> ClusteredValue | None:
        """Why there is nothing to compare; None if there is something."""
        if self.met:
            return None
        return ClusteredValue(None, note=NEVER_MEET if len(self.unit) else NO_RATINGS)


def marked_characters(group: Whole, start: Whole, end: Whole) -> tuple[Whole, Whole]:
    """(group, position) of every character that a span of the group covers, once each, by group and position."""
    order = np.lexsort((start, group))
    group, start, end = group[order], start[order], end[order]
    far = int(end.max(initial=0)) + 1
    begins, ends = start + group * far, np.maximum.accumulate(end + group * far)
    is_new = np.ones(len(group), dtype=bool)
    is_new[1:] = begins[1:] > ends[:-1]
    firsts = np.flatnonzero(is_new)
    lasts = np.append(firsts[1:], len(group)) - 1 if len(firsts) else firsts
    sizes = ends[lasts] - begins[firsts]
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.repeat(group[firsts], sizes), np.repeat(start[firsts], sizes) + within


def span_f1(table: SpanTable, *, resamples: int = RESAMPLES, seed: int = SEED) -> ClusteredValue:
    """The mean of 2·|A∩B| / (|A|+|B|) over pairs of ratings of one unit; A, B: the characters that they mark.

    Labels do not count. Pairs that mark nothing are left out. n: pairs that count. Returns 0..1.
    """
    if nothing := table.without():
        return nothing
    f1, left, _right = _f1_of_pairs(table)
    if not len(f1):
        return ClusteredValue(None, note=NO_MARKS)
    return _mean(f1, table.clusters[table.unit[left]], table.cluster_count, resamples, seed)


def span_f1_beside(
    table: SpanTable, is_judge: NDArray[np.bool_], *, resamples: int = RESAMPLES, seed: int = SEED
) -> JudgedSets:
    """The mean F1 of pairs of people, and that of pairs of a person and the judge, over the same units.

    is_judge: (ratings,). Units that lack two people or the judge are for the caller to leave out.
    """
    f1, left, right = _f1_of_pairs(table)
    of_judge = is_judge[left] | is_judge[right]
    if of_judge.all() or not of_judge.any():
        nothing = table.without() or ClusteredValue(None, note=NO_MARKS)
        return JudgedSets(nothing, nothing, nothing)
    cluster, clusters = table.clusters[table.unit[left]], table.cluster_count
    parts = (~of_judge, of_judge)
    above = np.array([np.bincount(cluster[part], weights=f1[part], minlength=clusters) for part in parts]).T
    below = np.array([np.bincount(cluster[part], minlength=clusters) for part in parts], dtype=float).T

    def statistic(times: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            means = (times @ above) / (times @ below)
        return np.column_stack([means, means[:, 1] - means[:, 0]])

    people, judge, difference = with_intervals(statistic, clusters, table.met, resamples, seed)
    return JudgedSets(people, judge, difference, int(of_judge.sum()))


def _f1_of_pairs(table: SpanTable) -> tuple[Floats, Whole, Whole]:
    """(F1, left rating, right rating) of every pair of ratings of one unit that mark something."""
    rating, position = marked_characters(table.rating, table.start, table.end)
    sizes = np.bincount(rating, minlength=len(table.unit))
    left, right = table.pairs
    both, some = common_characters(table, rating, position), sizes[left] + sizes[right]
    counts = some > 0
    return 2 * both[counts] / some[counts], left[counts], right[counts]


def _mean(values: Floats, cluster: Whole, clusters: int, resamples: int, seed: int) -> ClusteredValue:
    above = np.bincount(cluster, weights=values, minlength=clusters)
    below = np.bincount(cluster, minlength=clusters).astype(float)
    counts = below > 0
    above, below = above[counts], below[counts]
    return with_interval(lambda times: (times @ above) / (times @ below), len(above), len(values), resamples, seed)


def common_characters(table: SpanTable, rating: Whole, position: Whole) -> Whole:
    """(pairs,): how many characters both ratings of a pair mark."""
    order = np.lexsort((rating, position, table.unit[rating]))
    rating, position = rating[order], position[order]
    unit, several = table.unit[rating], len(table.unit)
    met: list[Whole] = []
    for step in range(1, len(rating)):
        same = (unit[step:] == unit[:-step]) & (position[step:] == position[:-step])
        if not same.any():
            break
        met.append(rating[:-step][same] * several + rating[step:][same])
    keys, counts = np.unique(np.concatenate(met), return_counts=True) if met else (np.zeros(0, dtype=np.int64),) * 2
    left, right = table.pairs
    searched_keys = np.minimum(left, right) * several + np.maximum(left, right)
    positions = np.searchsorted(keys, searched_keys)
    known = positions < len(keys)
    known[known] = keys[positions[known]] == searched_keys[known]
    common = np.zeros(len(searched_keys), dtype=np.int64)
    common[known] = counts[positions[known]]
    return common


def alpha_of_characters(
    table: SpanTable, of: Whole, *, resamples: int = RESAMPLES, seed: int = SEED
) -> list[ClusteredValue]:
    """Alpha (Krippendorff, nominal) of “this character is marked so”, yes or no, for each value of `of` from 0.

    of: (spans,), such as the numbers of labels; the spans of one value are compared by themselves. Every character of a
    unit with at least two ratings counts, marked or not. n: units that count.
    """
    kinds = int(of.max(initial=-1)) + 1
    if nothing := table.without():
        return [nothing] * kinds
    if not kinds:
        return []
    raters = np.bincount(table.unit, minlength=len(table.lengths))
    counted = raters > 1
    clusters = table.cluster_count
    sizes = np.where(counted, table.lengths * raters, 0)
    totals: Floats = np.bincount(table.clusters, weights=sizes, minlength=clusters).astype(float)
    group, position = marked_characters(table.rating * kinds + of, table.start, table.end)
    unit, kind = table.unit[group // kinds], group % kinds
    unit, kind, position = (values[counted[unit]] for values in (unit, kind, position))
    far = int(position.max(initial=0)) + 1
    characters, marks = np.unique((unit * kinds + kind) * far + position, return_counts=True)
    of_unit, of_kind = np.divmod(characters // far, kinds)
    disagreeing = marks * (raters[of_unit] - marks) / (raters[of_unit] - 1)
    places = table.clusters[of_unit] * kinds + of_kind
    observed, marked = (
        np.bincount(places, weights=counts, minlength=clusters * kinds).astype(float).reshape(clusters, kinds)
        for counts in (disagreeing, marks)
    )
    some = totals > 0
    alpha = partial(_binary_alpha, observed[some], marked[some], totals[some])
    return with_intervals(alpha, int(some.sum()), table.met, resamples, seed)


def _binary_alpha(observed: Floats, marked: Floats, totals: Floats, times: Floats) -> Floats:
    """(draws, kinds). observed: (clusters, kinds), disagreeing pairs of ratings of a character, by one less than its
    ratings. marked: (clusters, kinds), totals: (clusters,), ratings of characters. times: (draws, clusters).
    """
    yes, n = times @ marked, (times @ totals)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        return 1 - (times @ observed) * (n - 1) / (yes * (n - yes))


@dataclass(frozen=True)
class MatchedSpans:
    """Spans of two ratings of one unit that lie over each other, each at most once.

    left, right: (matches,), places in the table's spans. unit: (matches,). unmatched_pairs: pairs of ratings with too
    many spans to match.
    """

    left: Whole
    right: Whole
    unit: Whole
    unmatched_pairs: int = 0


def matched_spans(table: SpanTable) -> MatchedSpans:
    """One to one by the greatest overlap in characters; of equal overlaps, the spans that begin first."""
    order = np.lexsort((table.end, table.start, table.rating))
    firsts = np.searchsorted(table.rating[order], np.arange(len(table.unit) + 1))
    left, right, units, too_many = [], [], [], 0
    for one, other in zip(*(ratings.tolist() for ratings in table.pairs), strict=True):
        ours, theirs = order[firsts[one] : firsts[one + 1]], order[firsts[other] : firsts[other + 1]]
        if len(ours) * len(theirs) > MOST_MATCHED:
            too_many += 1
            continue
        for place, other_place in _greatest_overlaps(table, ours, theirs):
            left.append(place)
            right.append(other_place)
            units.append(int(table.unit[one]))
    ours_matched, theirs_matched, unit = (np.array(values, dtype=np.int64) for values in (left, right, units))
    return MatchedSpans(ours_matched, theirs_matched, unit, too_many)


def _greatest_overlaps(table: SpanTable, ours: Whole, theirs: Whole) -> Sequence[tuple[int, int]]:
    if not len(ours) or not len(theirs):
        return []
    overlap = np.minimum.outer(table.end[ours], table.end[theirs])
    overlap = overlap - np.maximum.outer(table.start[ours], table.start[theirs])
    rows, columns = np.nonzero(overlap > 0)
    matches: list[tuple[int, int]] = []
    free_rows, free_columns = np.ones(len(ours), dtype=bool), np.ones(len(theirs), dtype=bool)
    for place in np.argsort(-overlap[rows, columns], kind="stable"):
        row, column = rows[place], columns[place]
        if free_rows[row] and free_columns[column]:
            free_rows[row] = free_columns[column] = False
            matches.append((int(ours[row]), int(theirs[column])))
    return matches


def matched_agreement(
    table: SpanTable, matched: MatchedSpans, column: int, *, resamples: int = RESAMPLES, seed: int = SEED
) -> ClusteredValue:
    """The share of matched spans that both ratings call the same. column: of the table's labels. n: matched spans."""
    if not len(matched.left):
        return table.without() or ClusteredValue(None, note="No two spans lie over each other.")
    equal = (table.labels[matched.left, column] == table.labels[matched.right, column]).astype(float)
    return _mean(equal, table.clusters[matched.unit], table.cluster_count, resamples, seed)
