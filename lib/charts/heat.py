"""Which of the seven steps of a colour ramp a score has. The map itself is a table: every cell prints its number."""

from collections.abc import Sequence

STEPS = 7


def step(value: float) -> int:
    """0 (for 0) to 6 (up to 100), in equal parts."""
    return min(max(int(value * STEPS / 100), 0), STEPS - 1)


def ramp() -> Sequence[tuple[int, int]]:
    """(step, the score at which it begins), for a legend."""
    return [(step, -(-100 * step // STEPS)) for step in range(STEPS)]
