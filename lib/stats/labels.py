"""A judge's labels against those of people: accuracy, and macro-averaged precision, recall and F1."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lib.stats.averages import Floats, divided
from lib.stats.bootstrap import DRAWS, SEED
from lib.stats.figures import NEVER_GIVEN, NEVER_RIGHT, NO_UNITS, Figure, drawn_figure, share_figure, undefined


@dataclass(frozen=True)
class Hits:
    """Classification metrics of a judge against labels taken as right.

    matrix: (labels, labels) counts of units, rows: people's label, columns: the judge's. macro_*: plain means over
    `labels`. skipped: units without a label on one side, including those without a majority.
    """

    labels: Sequence[str]
    matrix: Floats
    accuracy: Figure
    macro_precision: Figure
    macro_recall: Figure
    macro_f1: Figure
    skipped: int


def majority(votes: Iterable[str | None], split: str | None = None) -> str | None:
    """The label with more votes than any other; None does not count.

    split: the result where several labels share the most votes: None leaves the unit out; a label of the scale, such
    as a tie, is used instead. Without votes: None.
    """
    ranked = Counter(vote for vote in votes if vote is not None).most_common(2)
    if not ranked:
        return None
    return split if len(ranked) == 2 and ranked[0][1] == ranked[1][1] else ranked[0][0]


def hits(
    right: Sequence[str | None],
    judged: Sequence[str | None],
    *,
    counts_as: Mapping[str, str] | None = None,
    count: int = DRAWS,
    seed: int = SEED,
) -> Hits:
    """right, judged: (units,) labels; None where there is none. Intervals: Wilson; for the means, resampled units.

    counts_as: the label for a reply that is no label (`{"garbage": "tie"}`), on the judge's side only.
    F1 is the mean of each label's own F1, not the F1 of the two means. A label with nothing to divide by counts 0.
    Raises ValueError where the two sides differ in length.
    """
    counted = [(counts_as or {}).get(label, label) if label is not None else None for label in judged]
    pairs = [
        (right_label, judged_label)
        for right_label, judged_label in zip(right, counted, strict=True)
        if right_label is not None and judged_label is not None
    ]
    labels = sorted({label for pair in pairs for label in pair})
    matrix = _matrix(pairs, labels)
    accuracy, precision, recall, f1 = _figures(matrix, count, seed)
    return Hits(labels, matrix, accuracy, precision, recall, f1, len(right) - len(pairs))


def _matrix(pairs: Sequence[tuple[str, str]], labels: Sequence[str]) -> Floats:
    index_by_label = {label: number for number, label in enumerate(labels)}
    matrix = np.zeros((len(labels), len(labels)))
    for (right_label, judged_label), times in Counter(pairs).items():
        matrix[index_by_label[right_label], index_by_label[judged_label]] = times
    return matrix


def _figures(matrix: Floats, count: int, seed: int) -> list[Figure]:
    n = int(matrix.sum())
    if not n:
        return [undefined(NO_UNITS)] * 4
    resampled_matrices = (
        np.random.default_rng(seed).multinomial(n, matrix.ravel() / n, size=count).reshape(count, *matrix.shape)
    )
    values, spread = _scores(matrix[None])[0].tolist(), _scores(resampled_matrices.astype(float))
    macro = zip(values[1:], spread.T[1:], _notes(matrix), strict=True)
    accuracy = share_figure(float(np.trace(matrix)), n)
    return [accuracy, *(drawn_figure(value, n, draws, note) for value, draws, note in macro)]


def _notes(matrix: Floats) -> list[str]:
    given_note = NEVER_GIVEN if (matrix.sum(axis=0) == 0).any() else ""
    right = NEVER_RIGHT if (matrix.sum(axis=1) == 0).any() else ""
    return [given_note, right, given_note or right]


def _scores(matrices: Floats) -> Floats:
    """(…, labels, labels) -> (…, 4): accuracy, macro precision, recall and F1, over the labels that a matrix has."""
    right = np.diagonal(matrices, axis1=-2, axis2=-1)
    column_sums, row_sums = matrices.sum(axis=-2), matrices.sum(axis=-1)
    labels = np.count_nonzero(column_sums + row_sums, axis=-1)
    metrics = (divided(right, column_sums), divided(right, row_sums), divided(2 * right, column_sums + row_sums))
    macro = [np.nan_to_num(values).sum(axis=-1) / labels for values in metrics]
    return np.stack([right.sum(axis=-1) / column_sums.sum(axis=-1), *macro], axis=-1)
