"""The score of one answer by its checklist."""

import math
from collections.abc import Sequence

RULES = ("weights", "any", "all")


def score(met: Sequence[bool | None], weights: Sequence[float | None], rule: str) -> float | None:
    """What the questions that are met make of the answer, in 0..1 where the weights add up to 1.

    met: one a question; None where nothing was said about it, which counts as not met. weights: one a question, read
    by the rule `weights` only; None weighs nothing. rule: `weights` (sum of the weights of what is met), `any` (1 where
    one is met), `all` (1 where every one is). None where there is no question, or nothing was said about any.
    Raises ValueError for another rule, or where the two lists differ in length.

    Source: FB-Bench (arXiv 2410.09412): `weights` for error correction; for response maintenance its formula says
    `all`, and its published figures are those of `any`.
    """
    if rule not in RULES:
        raise ValueError(f"There is no rule {rule!r}; rules: {', '.join(RULES)}.")
    if all(each is None for each in met):
        return None
    if rule == "any":
        return float(any(met))
    if rule == "all":
        return float(all(met))
    return math.fsum(weight or 0.0 for each, weight in zip(met, weights, strict=True) if each)
