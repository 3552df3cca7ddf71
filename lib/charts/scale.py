"""Round numbers along an axis."""

from math import ceil, floor

STEPS = (1, 2, 5, 10, 20, 25, 50)


def domain(values: list[float], least: float = 20.0) -> tuple[float, float]:
    """Round ends between 0 and 100 around the values, at least so far apart; all of it where there are none."""
    if not values:
        return 0.0, 100.0
    low, high = floor((min(values) - 1) / 5) * 5.0, ceil((max(values) + 1) / 5) * 5.0
    missing = ceil(max(least - (high - low), 0.0) / 10) * 5
    low, high = low - missing, high + missing
    return (max(min(low, 100.0 - least), 0.0), min(max(high, least), 100.0))


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from low to high, at most so many."""
    step = next((step for step in STEPS if (high - low) / step <= most), STEPS[-1])
    return [tick * float(step) for tick in range(ceil(low / step), floor(high / step) + 1)]
