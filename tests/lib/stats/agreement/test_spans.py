"""Agreement about spans: characters by hand and against a library, overlaps matched one to one."""

from itertools import combinations

import krippendorff
import numpy as np
import pytest

from lib.stats.agreement import spans as module
from lib.stats.agreement.spans import (
    SpanTable,
    alpha_of_characters,
    marked_characters,
    matched_agreement,
    matched_spans,
    span_f1,
    span_f1_beside,
)

Marks = list[tuple[int, int, int]]  # start, end, label


def table(units: list[tuple[int, list[Marks]]], clusters: list[int] | None = None) -> SpanTable:
    """units: (characters, the spans of each rating)."""
    ratings = [(unit, spans) for unit, (_length, all_spans) in enumerate(units) for spans in all_spans]
    rows = [(number, *span) for number, (_unit, spans) in enumerate(ratings) for span in spans]
    array = np.array(rows, dtype=np.int64).reshape(len(rows), 4)
    return SpanTable(
        lengths=np.array([length for length, _spans in units]),
        clusters=np.array(clusters or range(len(units))),
        unit=np.array([unit for unit, _spans in ratings], dtype=np.int64),
        rating=array[:, 0],
        start=array[:, 1],
        end=array[:, 2],
        labels=array[:, 3:],
    )


def drawn(seed: int = 1, units: int = 40) -> SpanTable:
    chance = np.random.default_rng(seed)

    def spans(length: int) -> Marks:
        starts = chance.integers(0, length - 4, chance.integers(0, 4))
        return [(int(start), int(start + chance.integers(1, 5)), int(chance.integers(0, 3))) for start in starts]

    lengths = chance.integers(8, 30, units)
    return table([(int(length), [spans(length) for _rater in range(chance.integers(1, 5))]) for length in lengths])


def marks(found: SpanTable, rating: int, label: int | None = None) -> set[int]:
    of = (found.rating == rating) & (label is None or found.labels[:, 0] == label)
    return {place for span in np.flatnonzero(of) for place in range(found.start[span], found.end[span])}


def test_characters_under_several_spans_are_marked_once() -> None:
    group, position = marked_characters(np.array([1, 0, 0, 0]), np.array([0, 4, 0, 1]), np.array([2, 6, 3, 2]))
    assert list(zip(group.tolist(), position.tolist(), strict=True)) == [
        (0, 0),
        (0, 1),
        (0, 2),
        (0, 4),
        (0, 5),
        (1, 0),
        (1, 1),
    ]


def test_f1_by_hand() -> None:
    # 0–4 and 2–6: 2·2/(4+4) = 1/2. 0–4 and nothing: 0. Nothing and nothing: left out. Alone: does not count.
    found = span_f1(table([(9, [[(0, 4, 0)], [(2, 6, 1)]]), (9, [[(0, 4, 0)], []]), (9, [[], []]), (9, [[(0, 9, 0)]])]))
    assert (found.value, found.n) == (0.25, 2)


def test_f1_is_the_mean_over_pairs_of_raters() -> None:
    found = drawn()
    values = []
    for unit in range(len(found.lengths)):
        for left, right in combinations(np.flatnonzero(found.unit == unit), 2):
            ours, theirs = marks(found, left), marks(found, right)
            if ours or theirs:
                values.append(2 * len(ours & theirs) / (len(ours) + len(theirs)))
    value = span_f1(found)
    assert (value.value, value.n) == (pytest.approx(np.mean(values)), len(values))
    assert (value.low or 0) < np.mean(values) < (value.high or 0)


def test_alpha_of_each_label_is_that_of_the_library_over_all_characters() -> None:
    found = drawn()
    columns = []
    raters = int(np.bincount(found.unit).max())
    alphas = alpha_of_characters(found, found.labels[:, 0])
    assert len(alphas) == 3
    for label, alpha in enumerate(alphas):
        columns = []
        for unit, length in enumerate(found.lengths):
            block = np.full((raters, length), np.nan)
            for row, rating in enumerate(np.flatnonzero(found.unit == unit)):
                block[row] = [place in marks(found, rating, label) for place in range(length)]
            columns.append(block)
        oracle = krippendorff.alpha(np.hstack(columns), level_of_measurement="nominal")
        assert alpha.value == pytest.approx(oracle)
        assert (alpha.low or 0) <= oracle <= (alpha.high or 0)


def test_raters_who_mark_the_same_agree_fully_and_the_order_does_not_matter() -> None:
    same: list[Marks] = [[(0, 2, 0), (3, 5, 1)], [(3, 5, 1), (0, 2, 0)]]
    found = table([(8, same), (8, [[], []])])
    assert span_f1(found).value == 1.0
    assert [alpha.value for alpha in alpha_of_characters(found, found.labels[:, 0])] == [1.0, 1.0]
    assert matched_agreement(found, matched_spans(found), 0).value == 1.0


def test_spans_are_matched_one_to_one_by_the_greatest_overlap() -> None:
    # 0–10 overlaps 0–3 by 3 and 4–10 by 6, so it takes 4–10; 0–2 is left for 0–3; 12–14 has no counterpart.
    found = table([(20, [[(0, 10, 0), (0, 2, 1)], [(0, 3, 1), (4, 10, 1), (12, 14, 0)]])])
    matched = matched_spans(found)
    pairs = {
        (int(found.end[left]), int(found.end[right])) for left, right in zip(matched.left, matched.right, strict=True)
    }
    assert pairs == {(10, 10), (2, 3)}
    agreement = matched_agreement(found, matched, 0)
    assert (agreement.value, agreement.n) == (0.5, 2)


def test_too_many_spans_are_not_matched_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_MATCHED", 3)
    matched = matched_spans(table([(9, [[(0, 4, 0), (5, 6, 0)], [(0, 4, 0), (5, 6, 0)]])]))
    assert (len(matched.left), matched.unmatched_pairs) == (0, 1)


def test_what_is_not_defined_says_why() -> None:
    nobody, alone, blank = table([]), table([(5, [[(0, 2, 0)]])]), table([(5, [[], []])])
    assert [span_f1(found).note for found in (nobody, alone, blank)] == [
        "There are no ratings.",
        alpha_of_characters(alone, alone.labels[:, 0])[0].note,
        "Nobody marked anything.",
    ]
    assert alpha_of_characters(blank, blank.labels[:, 0]) == []
    assert matched_agreement(blank, matched_spans(blank), 0).note == "No two spans lie over each other."


def test_clusters_are_resampled_together() -> None:
    units: list[tuple[int, list[Marks]]] = [(9, [[(0, 4, 0)], [(0, 4, 0)]]), (9, [[(0, 4, 0)], [(5, 9, 0)]])] * 6
    alone, together = span_f1(table(units)), span_f1(table(units, [0, 1] * 6))
    assert alone.value == together.value == 0.5
    assert (together.low, together.high) == (0.0, 1.0)
    assert (alone.low or 0) > 0


def test_a_judge_is_compared_with_people_over_the_same_units() -> None:
    # People: 1/2 and 0. The judge with each of them: 1/2 and 1, then 1 and 0.
    units: list[tuple[int, list[Marks]]] = [
        (9, [[(0, 4, 0)], [(2, 6, 0)], [(2, 6, 0)]]),
        (9, [[(0, 4, 0)], [], [(0, 4, 0)]]),
    ]
    found = span_f1_beside(table(units), np.array([False, False, True] * 2))
    assert (found.people.value, found.judge.value, found.difference.value) == (0.25, 0.625, 0.375)
    assert (found.people.n, found.pairs) == (2, 4)
    assert span_f1_beside(table([]), np.array([], bool)).judge.note == "There are no ratings."
