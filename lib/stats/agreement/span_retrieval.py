"""Precision and recall of one rater's spans against those of others, by spans and by characters.

Micro averages: counts are added over all pairs of answers. Spans are matched one to one by the greatest overlap
(spans.py), labels aside; characters count once however many spans of an answer cover them. Intervals: 95 %,
percentiles of a bootstrap over clusters of units.
"""

from dataclasses import dataclass, replace

import numpy as np

from lib.stats.agreement.sets_and_ranks import ClusteredValue, with_intervals
from lib.stats.agreement.spans import SpanTable, Whole, common_characters, marked_characters, matched_spans
from lib.stats.agreement.table import NEVER_MEET, RESAMPLES, SEED, Floats
from lib.stats.figures import gettext_noop

NOTHING_MARKED = gettext_noop("Nothing was marked, so there is nothing to divide by.")


@dataclass(frozen=True)
class Retrieval:
    """precision: the share of what the rater marks that the reference marks too; recall: the share of what the
    reference marks that the rater finds; f1: 2·common / (rater's + reference's). All 0..1; n: pairs of answers."""

    precision: ClusteredValue
    recall: ClusteredValue
    f1: ClusteredValue


def retrieval(table: SpanTable, *, resamples: int = RESAMPLES, seed: int = SEED) -> tuple[Retrieval, Retrieval]:
    """(by spans, by characters). table: units of two answers, first the reference's, then that of the rater.

    An answer without spans counts: what the other marks there is false, or missed. Without units nothing is defined;
    precision is undefined where the rater marks nothing at all, recall where the reference does not.
    """
    if not len(table.unit):
        nothing = ClusteredValue(None, note=NEVER_MEET)
        return (Retrieval(nothing, nothing, nothing),) * 2
    references, raters = table.pairs
    matched = np.bincount(matched_spans(table).unit, minlength=len(table.lengths))[table.unit[references]]
    spans = np.bincount(table.rating, minlength=len(table.unit))
    rating, position = marked_characters(table.rating, table.start, table.end)
    characters = np.bincount(rating, minlength=len(table.unit))
    common = common_characters(table, rating, position)
    by_pair = (matched, spans[references], spans[raters]), (common, characters[references], characters[raters])
    cluster_of_span = table.clusters[table.unit[references]]
    by_spans, by_characters = (_figures(counts, cluster_of_span, table, resamples, seed) for counts in by_pair)
    return by_spans, by_characters


def _figures(
    counts: tuple[Whole, Whole, Whole], places: Whole, table: SpanTable, resamples: int, seed: int
) -> Retrieval:
    """counts: (pairs,) each, of what both mark, what the reference marks, and what the rater marks."""
    clusters = table.cluster_count
    sums = np.array([np.bincount(places, weights=values, minlength=clusters) for values in counts]).T

    def shares(times: Floats) -> Floats:
        both, reference, rater = (times @ sums).T
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.column_stack([both / rater, both / reference, 2 * both / (rater + reference)])

    resampled = with_intervals(shares, clusters, len(places), resamples, seed)
    return Retrieval(
        *(value if value.value is not None else replace(value, note=NOTHING_MARKED) for value in resampled)
    )
