"""Scores of one answer out of which questions of its checklist are met."""

import math
from collections.abc import Collection, Sequence

RULES = ("weights", "any", "all")


def score(met: Collection[int], weights: Sequence[float | None], rule: str) -> float:
    """Score of one answer, 0..1 where the weights sum to 1.

    met: places (from 0) of the questions that are met; a question that nothing was said about is not among them.
    weights: one a question, None where questions have none; rule: one of RULES. Raises ValueError for another rule.
    Without questions every rule gives 0: nothing was asked, so nothing is met.
    Source: FB-Bench (arXiv 2410.09412); `any` is what its published figures do, `all` what its formula says.
    """
    if rule == "weights":
        return math.fsum(weights[index] or 0.0 for index in met)
    if rule == "any":
        return float(bool(met))
    if rule == "all":
        return float(bool(weights) and len(met) == len(weights))
    raise ValueError(f"There is no rule {rule!r}; rules: {', '.join(RULES)}.")


def what_if(met: Collection[int], weights: Sequence[float | None]) -> dict[str, float]:
    """The score under every rule that such a checklist can have: by weights where it has them, else any and all."""
    rules = ("any", "all") if all(weight is None for weight in weights) else ("weights",)
    return {rule: score(met, weights, rule) for rule in rules}
