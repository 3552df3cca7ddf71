"""Small-cell suppression: values shared by fewer than five people are folded, so that nobody can be recognised."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeVar

FEWEST = 5  # people behind any number that is shown
P = TypeVar("P")


@dataclass(frozen=True)
class Folded:
    """shown: (value, people), most first, each at least FEWEST. others: people with any of the folded values; 0 if none
    was folded. values: how many values were folded. hidden: True if so few people answered that nothing is shown."""

    shown: tuple[tuple[str, int], ...] = ()
    others: int = 0
    values: int = 0
    hidden: bool = False


def folded(people: Mapping[str, AbstractSet[P]], fewest: int = FEWEST) -> Folded:
    """people: value -> the people who gave it; a person may have given several.

    Values of fewer than `fewest` people are folded together. If the fold itself has fewer people, the next smallest
    value is added to it, because otherwise the total would reveal the fold. Nothing is shown if all people together
    are fewer.
    """
    people_by_value = {value: givers for value, givers in people.items() if givers}
    everybody = set().union(*people_by_value.values()) if people_by_value else set()
    if not everybody:
        return Folded()
    if len(everybody) < fewest:
        return Folded(hidden=True)
    ordered = sorted(people_by_value, key=lambda value: (-len(people_by_value[value]), value))
    away = [value for value in ordered if len(people_by_value[value]) < fewest]
    shown_values = ordered[: len(ordered) - len(away)]
    while away and shown_values and len(_together(people_by_value, away)) < fewest:
        away.append(shown_values.pop())
    counts = tuple((value, len(people_by_value[value])) for value in shown_values)
    return Folded(counts, len(_together(people_by_value, away)), len(away))


def _together(people: Mapping[str, AbstractSet[P]], values: list[str]) -> set[P]:
    return set().union(*(people[value] for value in values))
