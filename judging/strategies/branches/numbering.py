"""Axes of these strategies are numbers of the judge's own criteria, never of an item's checklist."""

FAMILY = "branches"


def numbers_its_own(strategy: str) -> bool:
    """Whether a judge asked this way went through criteria of its own; of judges of others nobody knows."""
    from judging.strategies import strategies  # which imports this package

    known_strategy = strategies().get(strategy)
    return known_strategy is not None and known_strategy.family == FAMILY
