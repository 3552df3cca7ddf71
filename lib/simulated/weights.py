"""Lists of weighted questions: their weights add up to 1."""

import math
from typing import Any

from lib.simulated.roles import QUESTION, WEIGHT


def weighted(made: list[Any]) -> list[Any]:
    """Lists of objects with a question and a weight, or of such pairs, get weights that add up to 1."""
    places = [_place_of_weight(entry) for entry in made]
    if not made or any(place is None for place in places):
        return made
    shares = [abs(float(entry[place])) + 0.05 for entry, place in zip(made, places, strict=True)]
    for entry, place, weight in zip(made, places, shared_out(shares), strict=True):
        entry[place] = weight
    return made


def _place_of_weight(entry: Any) -> Any:
    if isinstance(entry, dict):
        weights = [name for name, value in entry.items() if WEIGHT.search(name) and isinstance(value, float)]
        return weights[0] if weights and any(QUESTION.search(name) for name in entry) else None
    pair = isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], str) and isinstance(entry[1], float)
    return 1 if pair else None


def shared_out(shares: list[float]) -> list[float]:
    """Hundredths in proportion to the shares, adding up to 1."""
    whole = [max(1, int(100 * share / math.fsum(shares))) for share in shares]
    whole[whole.index(max(whole))] += 100 - sum(whole)
    return [part / 100 for part in whole]
