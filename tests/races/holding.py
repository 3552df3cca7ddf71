"""Who held what from when to when, as the people themselves saw it."""

from collections import defaultdict
from itertools import pairwise
from typing import Any

Received = list[dict[str, Any]]


def overlapping(received: Received) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Pairs of holds of one slot of which the later began before the earlier ended."""
    holds: dict[int, Received] = defaultdict(list)
    for hold in received:
        holds[hold["slot"]].append(hold)
    in_time = (sorted(each, key=lambda hold: hold["from"]) for each in holds.values())
    return [(one, next_) for each in in_time for one, next_ in pairwise(each) if next_["from"] < one["until"]]
