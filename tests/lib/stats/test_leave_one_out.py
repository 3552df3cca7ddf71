"""Similarity with the other people, and what units that belong together are worth to the alternative annotator test."""

import numpy as np
import pytest

from lib.stats.alternative_annotator import annotator_test_by_similarity, annotator_test_of
from lib.stats.figures import TOO_FEW_CLUSTERS
from lib.stats.leave_one_out import NO_JUDGE, ONE_RATING, compared, leave_one_out, similarity_to_others
from lib.stats.sample_size import Outcomes, t_p
from lib.stats.similarity import masi_distance


def alike(left: frozenset[str], right: frozenset[str]) -> float:
    return 1 - masi_distance(left, right)


def test_each_is_compared_with_the_others_by_hand() -> None:
    # The first person says {a}, the others {a, b} (similarity 1/3) and {a} (1): 2/3. The judge says {a, b}: with the
    # others 1 and 1/3: 2/3 too. The second says {a, b}: 1/3 with both; the judge in their place 1/3 as well.
    people = [{0: frozenset("a"), 1: frozenset("ab"), 2: frozenset("a")}, {0: frozenset("a")}, {0: frozenset("a")}]
    found = leave_one_out(people, [frozenset("ab"), frozenset("a"), None], alike, 3)
    assert found.person[0] == pytest.approx([2 / 3, 1 / 3, 2 / 3])
    assert found.judge[0] == pytest.approx([2 / 3, 1 / 3, 2 / 3])
    assert np.isnan(found.person[1:]).all()
    assert found.skipped == {NO_JUDGE: 1, ONE_RATING: 1}


def table(units: int = 120, seed: int = 1) -> np.ndarray:
    """(units, three people and a judge): labels, some missing."""
    chance = np.random.default_rng(seed)
    values = ((chance.random((units, 1)) < 0.5) ^ (chance.random((units, 4)) < [0.1, 0.2, 0.3, 0.25])).astype(float)
    values[:, :3][chance.random((units, 3)) < 0.1] = np.nan
    return values


def test_equal_labels_give_the_test_of_labels() -> None:
    values = table()
    answers = [{column: row[column] for column in range(3) if not np.isnan(row[column])} for row in values]
    left_out = leave_one_out(answers, list(values[:, 3]), lambda left, right: float(left == right), 3)
    found = annotator_test_by_similarity(left_out)
    assert found == annotator_test_of(*compared(values[:, :3], values[:, 3], "match"))
    everybody, people = similarity_to_others(left_out)
    assert everybody.judge.value == pytest.approx(np.mean([person.judge.value for person in people]))
    assert everybody.difference.value == pytest.approx(everybody.judge.value - everybody.person.value)
    assert everybody.difference.low < everybody.difference.value < everybody.difference.high
    assert [person.person.n for person in people] == [person.judge.n for person in people]


def test_repeated_units_of_a_cluster_add_no_certainty() -> None:
    # Four copies of each unit are worth one; only t has a little less freedom for it.
    chance = np.random.default_rng(2)
    one = chance.choice([-1.0, 0.0, 0.0, 1.0], 40)
    copied, clusters = np.repeat(one, 4), np.repeat(np.arange(40), 4)
    outcomes = Outcomes.of(copied, clusters)
    assert outcomes.size == pytest.approx(40 * 160 / 159 * 39 / 40, rel=1e-6)
    assert t_p(outcomes, 0.15) == pytest.approx(t_p(Outcomes.of(one), 0.15), rel=1e-6)
    assert Outcomes.of(one, np.arange(40)).size == pytest.approx(40)
    assert Outcomes.of(np.zeros(160), clusters).size == 40  # nothing says that they differ within a cluster


def test_units_of_few_clusters_test_nobody() -> None:
    differences = np.random.default_rng(3).choice([-1.0, 0.0, 1.0], (90, 2))
    found = annotator_test_of(differences, {}, clusters=np.arange(90) // 10)
    assert [person.note for person in found.people] == [TOO_FEW_CLUSTERS] * 2
    assert annotator_test_of(differences, {}, clusters=np.arange(90) // 9).people[0].p is not None


def test_intervals_over_clusters_are_wider_where_units_of_one_resemble_each_other() -> None:
    one = np.random.default_rng(4).choice([-1.0, 1.0], (30, 3))
    differences, clusters = np.repeat(one, 5, axis=0), np.repeat(np.arange(30), 5)
    alone, together = annotator_test_of(differences, {}), annotator_test_of(differences, {}, clusters=clusters)
    assert together.advantage.value == alone.advantage.value
    width = together.advantage.high - together.advantage.low
    assert width > 1.5 * (alone.advantage.high - alone.advantage.low)
    assert together.people[0].judge.low < alone.people[0].judge.low
