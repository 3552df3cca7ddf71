"""Lists of weighted questions: their weights add up to 1."""

import math
from typing import Any

from lib.simulated.roles import QUESTION, WEIGHT


def weighted(entries: list[Any]) -> list[Any]:
    """Lists of objects with a question and a weight, or of such pairs, get weights that add up to 1."""
    weight_keys = [_place_of_weight(entry) for entry in entries]
    if not entries or any(key is None for key in weight_keys):
        return entries
    shares = [abs(float(entry[key])) + 0.05 for entry, key in zip(entries, weight_keys, strict=True)]
    for entry, key, weight in zip(entries, weight_keys, shared_out(shares), strict=True):
        entry[key] = weight
    return entries


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
