"""The pooled headline: by hand, against public votes, and the same for people and a judge."""

import csv
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from lib.stats.agreement import Level, RatingTable, coefficients, ratings
from lib.stats.agreement.people_and_judges import beside
from lib.stats.agreement.pooled import against, among, clusters_that_count
from lib.stats.agreement.table import NEVER_MEET, ONE_CATEGORY

DATA = Path(__file__).resolve().parents[5] / "shared" / "data"
CROWD, GPT4 = DATA / "llmfao_crowd-comparisons.csv", DATA / "llmfao_gpt4-crowd-comparisons.csv"
BY_NAME = {"left": "second", "right": "first", "tie": "tie"}  # where the left one is later in the alphabet
STRAIGHT = {"left": "first", "right": "second", "tie": "tie"}
needs_data = pytest.mark.skipif(
    not CROWD.exists() and not os.environ.get("CI"), reason=f"needs the published data in {DATA}"
)


def table(*rows: str, level: Level = "nominal") -> RatingTable:
    """A row a rater, a character a unit; a dot is no rating."""
    given = [
        (f"u{place}", name, value if level == "nominal" else float(value))
        for name, row in zip(("ana", "bo", "cy", "judge"), rows, strict=False)
        for place, value in enumerate(row)
        if value != "."
    ]
    return ratings(given, level)


PEOPLE = ("ana", "bo", "cy")


def test_every_pair_of_ratings_counts_once() -> None:
    """u0: a a a, u1: a b ·, u2: b b ·. Pairs: 3 + 1 + 1, of which 4 are equal. Among their 10 ratings a is 7:
    e = 0.49 + 0.09, κ = (0.8 − 0.58) / 0.42."""
    found = among(table("aab", "abb", "a.."), PEOPLE, resamples=0)
    assert (found.units, found.pairs) == (3, 5)
    assert (found.equal, found.chance) == (pytest.approx(0.8), pytest.approx(0.58))
    assert found.value == pytest.approx(0.22 / 0.42)


def test_a_judge_is_counted_by_the_same_formula() -> None:
    """On u0 and u1 two people and the judge have spoken. Judge and person: a–a, a–a, a–a, a–b: 3 of 4 equal;
    of 8 ratings a is 7: e = 50/64."""
    found = against(table("aab", "abb", "...", "aa."), PEOPLE, "judge", resamples=0)
    assert (found.judge.units, found.judge.pairs, found.people.pairs) == (2, 4, 2)
    assert found.judge.value == pytest.approx((0.75 - 50 / 64) / (14 / 64))
    assert found.people.value == pytest.approx((0.5 - 10 / 16) / (6 / 16))
    assert found.difference.value == pytest.approx(found.judge.value - found.people.value)


def test_a_judge_that_repeats_the_only_other_person_differs_by_nothing() -> None:
    found = against(table("abab", "abba", "....", "abba"), ["ana", "bo"], "bo", resamples=50)
    assert found.people.pairs == 4
    found = against(table("abab", "abab", "....", "abab"), PEOPLE, "judge", resamples=50)
    assert (found.difference.value, found.difference.low, found.difference.high) == (0, 0, 0)


@pytest.mark.parametrize("level", ["ordinal", "interval"])
def test_scores_are_compared_by_alpha(level: Level) -> None:
    """Of people it is Krippendorff's; of a judge that of units of two ratings, a person's and the judge's."""
    given = table("12345", "12355", "2.34.", "13345", level=level)
    found = against(given, PEOPLE, "judge", resamples=0)
    people = table("12345", "12355", "2.34.", level=level)
    assert found.people.value == pytest.approx(coefficients(people, resamples=0)["krippendorff_alpha"].value)
    twos = [
        (f"{unit}-{person}", who, value)
        for person, row in zip("abc", ("12345", "12355", "2.34."), strict=True)
        for unit, (mine, judged) in enumerate(zip(row, "13345", strict=True))
        if mine != "."
        for who, value in (("person", float(mine)), ("judge", float(judged)))
    ]
    alone = coefficients(ratings(twos, level), resamples=0)["krippendorff_alpha"].value
    assert found.judge.value == pytest.approx(alone)


def test_what_is_undefined_says_why() -> None:
    assert among(table("aa", "aa"), PEOPLE).note == ONE_CATEGORY
    assert among(table("a.", ".a"), PEOPLE).note == NEVER_MEET
    assert against(table("ab", "ab"), PEOPLE, "judge").judge.note == NEVER_MEET


def test_clusters_are_drawn_whole() -> None:
    """Ten equal units in each of forty clusters are no more than forty units."""
    said = ("ab", "aa", "bb", "aa", "ba") * 8
    rows = [(f"{no:02}-{copy}", who, two[at]) for no, two in enumerate(said) for copy in range(10)
            for at, who in enumerate(("ana", "bo"))]  # fmt: skip
    one = [(f"{no:02}", who, two[at]) for no, two in enumerate(said) for at, who in enumerate(("ana", "bo"))]
    whole = ratings(rows)
    clustered = whole.clustered({unit: unit[:2] for unit in whole.units})
    wide, small, narrow = (among(each, PEOPLE) for each in (clustered, ratings(one), whole))
    assert (wide.low, wide.high) == (pytest.approx(small.low), pytest.approx(small.high))
    assert narrow.low is not None
    assert wide.low is not None
    assert narrow.low > wide.low


def test_only_clusters_in_which_two_people_meet_count() -> None:
    """Four documents: two people in the first two, one in the third, the judge alone in the fourth."""
    said = ratings([("a1", "ana", "x"), ("a1", "bo", "x"), ("a2", "ana", "y"), ("a2", "bo", "x"), ("b1", "ana", "x"),
                    ("b1", "bo", "y"), ("c1", "ana", "x"), ("d1", "judge", "x")])  # fmt: skip
    clustered = said.clustered({unit: unit[0] for unit in said.units})
    assert clusters_that_count(clustered, ["ana", "bo"]) == 2
    assert clusters_that_count(said, ["ana", "bo"]) == 3


def test_one_coefficient_of_one_set_of_units_has_one_interval() -> None:
    """19 units and two people: alone, beside a judge, among all raters, in another order, among other units."""
    ana, bo = "aabbabababaabbaabab", "aabbabbabbaababaaab"
    alone = table(ana, bo)
    crowded = table(ana + "..", bo + "..", "." * 19 + "aa", "bbaaabababaabbaabab" + "..")
    two = [("ana", "bo")]
    pair = coefficients(alone, names=["cohen_kappa"])["cohen_kappa"]
    listed = coefficients(crowded, names=["cohen_kappa"])["cohen_kappa"].pairs
    intervals = [
        (pair.low, pair.high),
        *[(each.low, each.high) for each in listed if each.raters == ("ana", "bo")],
        *[(m.low, m.high) for m in [beside(alone, "cohen_kappa", two, two).one]],
        *[(m.low, m.high) for m in [beside(table(ana, bo, "." * 19, ana), "cohen_kappa", two, two).one]],
    ]
    assert len(intervals) == 4
    assert pair.low is not None
    assert all(each == (pytest.approx(pair.low), pytest.approx(pair.high)) for each in intervals)
    pooled = [among(each, ("ana", "bo")) for each in (alone, crowded)]
    assert (pooled[0].low, pooled[0].high) == (pytest.approx(pooled[1].low), pytest.approx(pooled[1].high))
    judged = against(table(ana, bo, "." * 19, ana), ("ana", "bo"), "judge")
    assert (judged.people.low, judged.people.high) == (pytest.approx(pooled[0].low), pytest.approx(pooled[0].high))


def crowd_rows() -> Iterator[tuple[str, str, str]]:
    for path in (CROWD, GPT4):
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                first, second = sorted((row["left"], row["right"]))
                word = (STRAIGHT if row["left"] == first else BY_NAME)[row["winner"]]
                yield f"{row['prompt']}/{first}/{second}", row.get("worker") or "gpt-4", word


@needs_data
def test_llmfao_as_derived() -> None:
    """../shared/data/README.md: 15,112 and 8,916 pairs; 13 prompts are drawn whole."""
    whole = ratings(crowd_rows())
    whole = whole.clustered({unit: unit.partition("/")[0] for unit in whole.units})
    found = against(whole, [name for name in whole.raters if name != "gpt-4"], "gpt-4")
    assert (found.people.pairs, found.judge.pairs) == (15112, 8916)
    assert (round(found.people.equal or 0, 5), round(found.judge.equal or 0, 5)) == (0.53223, 0.41476)
    assert (found.people.value, found.judge.value) == (
        pytest.approx(0.292680, abs=5e-7),
        pytest.approx(0.081628, abs=5e-7),
    )
    assert (found.people.low, found.people.high) == (pytest.approx(0.219, abs=0.01), pytest.approx(0.366, abs=0.01))
    assert found.difference.value == pytest.approx(-0.2111, abs=5e-5)
    assert (found.difference.low, found.difference.high) == (
        pytest.approx(-0.35, abs=0.02),
        pytest.approx(-0.09, abs=0.02),
    )
