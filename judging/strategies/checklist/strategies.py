"""The checklist family: one strategy."""

from judging.strategies.base import Strategy

STRATEGIES: list[Strategy] = []
