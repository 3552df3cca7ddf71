import pytest

from judging.boards.blindspots.numbers import MISSED, compare_spots, sightings_behind
from judging.verdicts.sightings import SightedItem, Sighting
from lib.stats.blindspots import SINGLE


def sighting(item: int, outcome: str, category: str = "entity-errors", prompt: str = "") -> Sighting:
    return Sighting(item, SightedItem(prompt or f"prompt {item}", "factual", category), SINGLE, outcome)


def test_only_pairs_that_both_could_be_read_on_are_compared() -> None:
    first = [sighting(1, "detected"), sighting(2, "detected"), sighting(3, "unparsed"), sighting(4, "detected")]
    second = [sighting(1, "undetected"), sighting(2, "detected"), sighting(3, "detected"), sighting(5, "detected")]
    [found] = compare_spots(first, second)
    assert (found.found.n, found.found.only_first, found.found.only_second) == (2, 1, 0)


def test_p_values_are_corrected_over_the_categories() -> None:
    # Six of six for the first: 2/64 = 0.03125, times two categories. The other has no discordant pair.
    first = [sighting(item, "detected") for item in range(6)] + [sighting(9, "detected", "remove-fact")]
    second = [sighting(item, "undetected") for item in range(6)] + [sighting(9, "detected", "remove-fact")]
    one, other = compare_spots(first, second)
    assert (one.found.p, one.adjusted) == (pytest.approx(0.03125), pytest.approx(0.0625))
    assert (other.found.p, other.adjusted) == (1.0, 1.0)


def test_what_should_not_be_noticed_is_no_part_of_it() -> None:
    invariant = Sighting(1, SightedItem("sha", "score-invariant", "x", meant_invariant=True), SINGLE, "detected")
    assert compare_spots([invariant], [invariant]) == []


def test_nothing_in_common_is_no_row() -> None:
    assert compare_spots([sighting(1, "detected")], [sighting(2, "detected")]) == []


def test_what_was_missed_is_neither_noticed_nor_unreadable() -> None:
    seen = [sighting(1, "detected"), sighting(2, "undetected"), sighting(3, "unparsed"), sighting(4, "undetected", "x")]
    assert [each.item_id for each in sightings_behind(seen, shape="single", outcome=MISSED)] == [2, 4]
    assert [each.item_id for each in sightings_behind(seen, shape="single", category="x")] == [4]
    assert [each.item_id for each in sightings_behind(seen, shape="single", outcome="unparsed")] == [3]
    assert sightings_behind(seen, shape="pairwise") == []


def test_several_perturbations_of_one_prompt_are_not_counted_as_independent() -> None:
    """Six of six for the first, but of two prompts only: McNemar's test would say 0.031."""
    first = [sighting(item, "detected", prompt=f"prompt {item % 2}") for item in range(6)]
    second = [sighting(item, "undetected", prompt=f"prompt {item % 2}") for item in range(6)]
    first += [sighting(item, "detected", "other") for item in range(10, 16)]
    second += [sighting(item, "undetected", "other") for item in range(10, 16)]
    shared, apart = compare_spots(first, second)
    assert (shared.found.test, shared.found.clusters, shared.found.n) == ("bootstrap", 2, 6)
    assert (apart.found.test, apart.found.clusters, apart.found.p) == ("mcnemar", 6, pytest.approx(0.03125))
