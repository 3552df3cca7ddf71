import gzip
import json
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.stats.figures import NEVER_GIVEN, NEVER_RIGHT, NO_UNITS
from lib.stats.labels import Hits, hits, majority

PANDALM = Path(__file__).resolve().parents[4] / "shared" / "data" / "pandalm_testset.jsonl.gz"
LABELS = {"0": "tie", "1": "first", "2": "second", "Tie": "tie"}
labels = st.sampled_from(["first", "second", "tie"])


def percentages(found: Hits) -> list[float]:
    figures = (found.accuracy, found.macro_precision, found.macro_recall, found.macro_f1)
    return [round(100 * (figure.value or 0), 2) for figure in figures]


def test_a_small_case_by_hand() -> None:
    # people: a a a b b c · judge: a a b b c c. Right 4 of 6.
    # a: P 2/2, R 2/3, F1 4/5 · b: P 1/2, R 1/2, F1 1/2 · c: P 1/2, R 1/1, F1 2/3
    found = hits(list("aaabbc"), list("aabbcc"))
    assert found.matrix.tolist() == [[2, 1, 0], [0, 1, 1], [0, 0, 1]]
    assert found.accuracy.value == pytest.approx(4 / 6)
    assert found.macro_precision.value == pytest.approx((1 + 1 / 2 + 1 / 2) / 3)
    assert found.macro_recall.value == pytest.approx((2 / 3 + 1 / 2 + 1) / 3)
    assert found.macro_f1.value == pytest.approx((4 / 5 + 1 / 2 + 2 / 3) / 3)


def test_missing_labels_are_left_out_and_counted() -> None:
    found = hits(["a", None, "b"], ["a", "a", None])
    assert (found.accuracy.n, found.skipped) == (1, 2)


def test_what_is_no_label_counts_as_said_on_the_judges_side_only() -> None:
    found = hits(["tie", "garbage"], ["garbage", "tie"], counts_as={"garbage": "tie"})
    assert found.accuracy.value == 0.5
    assert found.labels == ["garbage", "tie"]


def test_a_label_of_one_side_only_counts_nothing_and_says_so() -> None:
    found = hits(["a", "b"], ["a", "a"])
    assert found.macro_precision.note == NEVER_GIVEN
    assert found.macro_precision.value == pytest.approx((1 / 2 + 0) / 2)
    assert found.macro_recall.note == ""
    assert hits(["a", "a"], ["a", "b"]).macro_recall.note == NEVER_RIGHT


def test_nothing_to_compare_is_undefined() -> None:
    found = hits([None], ["a"])
    assert (found.accuracy.value, found.macro_f1.value, found.accuracy.note) == (None, None, NO_UNITS)


def test_an_interval_of_accuracy_is_about_that_of_a_share() -> None:
    # 80 of 100: .8 ± 1.96 · √(.16 / 100) = ± .078
    found = hits(["a"] * 100, ["a"] * 80 + ["b"] * 20).accuracy
    assert (found.low, found.high) == pytest.approx((0.72, 0.88), abs=0.015)


def test_a_majority_is_more_than_any_other() -> None:
    assert majority(["a", "b", "a"]) == "a"
    assert majority(["a", None, None]) == "a"
    assert majority(["a", "b", "c"]) is None
    assert majority(["a", "b", "c"], split="tie") == "tie"
    assert majority([None], split="tie") is None


@given(st.lists(st.tuples(labels, labels), min_size=1, max_size=40), st.randoms(use_true_random=False))
def test_neither_order_of_units_nor_names_of_labels_matter(pairs: list[tuple[str, str]], chance) -> None:
    shuffled = list(pairs)
    chance.shuffle(shuffled)
    renamed = {"first": "z", "second": "y", "tie": "x"}
    found = hits(*zip(*pairs, strict=True), count=2)
    other = hits(*zip(*[(renamed[one], renamed[two]) for one, two in shuffled], strict=True), count=2)
    assert percentages(found) == percentages(other)


@given(st.lists(st.tuples(labels, labels), min_size=1, max_size=40))
def test_turned_round_precision_is_recall(pairs: list[tuple[str, str]]) -> None:
    right, judged = zip(*pairs, strict=True)
    there, back = hits(right, judged, count=2), hits(judged, right, count=2)
    assert there.macro_precision.value == pytest.approx(back.macro_recall.value)
    assert there.macro_f1.value == pytest.approx(back.macro_f1.value)


@pytest.mark.skipif(not PANDALM.exists() and not os.environ.get("CI"), reason=f"needs PandaLM's test set: {PANDALM}")
def test_pandalms_published_figures_come_out() -> None:
    with gzip.open(PANDALM, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    people = [majority(LABELS[str(row[f"annotator{number}"])] for number in (1, 2, 3)) for row in rows]
    gpt = [LABELS.get(str(row["gpt35_result"]), str(row["gpt35_result"])) for row in rows]
    panda = [LABELS[str(row["pandalm_result"])] for row in rows]

    assert Counter(people) == {"tie": 105, "first": 422, "second": 472}
    found = hits(people, gpt, counts_as={"garbage": "tie"})
    assert percentages(found) == [71.07, 58.79, 57.36, 57.55]
    assert percentages(hits(people, panda)) == [66.77, 57.38, 57.50, 57.43]
    assert found.accuracy.n == 999
    assert np.array([found.macro_f1.low, found.macro_f1.high]) == pytest.approx([0.54, 0.61], abs=0.015)
