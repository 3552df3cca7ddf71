"""How long a page waits for results that are not remembered: about two seconds, then a worker computes them.

How long a result takes is measured each time; before that it is estimated by the rows of the project.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any, TypeVar

from django.core.cache import caches

from annotate.doors.waiting import Counted
from annotate.models import Annotation, Item, Project
from judging import results
from judging.models import Verdict

T = TypeVar("T")
QUICK = 2.0  # seconds of one core that a page waits for all its results together
SMALL = 2000  # rows; a project with fewer never needs a worker
MOST_COUNTED = 100_000  # rows; to count ten million takes seconds, and with this many no page computes anything
PER_ROW = 0.0002  # seconds: the estimate for a result that was never measured here
WORTH_STORING = 0.5  # seconds


class Slow(Exception):
    """A result is not remembered, and a page should not wait for it."""


@dataclass
class Patience:
    """seconds: of one core for all results; spent: by those that are there. missed: the key of a result that would have
    taken longer, "" if there was none.

    A template may swallow Slow inside a condition, so `missed` counts, not the exception.
    """

    project: Project
    seconds: float = QUICK
    spent: float = 0.0
    missed: str = ""

    @cached_property
    def rows(self) -> int:
        """Verdicts, votes and items of the project, of each at most MOST_COUNTED. One query."""
        votes = Annotation.objects.filter(item__ballot__first__item__project=self.project)
        verdicts = Verdict.objects.filter(judge__project=self.project)
        items = Item.objects.filter(project=self.project)
        counts = [Counted(rows, MOST_COUNTED) for rows in (verdicts, votes, items)]
        return sum(n for n in Project.objects.filter(pk=self.project.pk).values_list(*counts).get())

    def allows(self, name: str) -> bool:
        return self.seconds == inf or self.rows < SMALL or self._estimate(name) <= self.seconds - self.spent

    def spend(self, name: str, seconds: float, before: float) -> None:
        """before: what had been spent when this result began, which may have been made of others."""
        self.spent = before + seconds
        if seconds >= WORTH_STORING:
            caches["default"].set(_measure(name), (seconds, self.rows), None)

    def _estimate(self, name: str) -> float:
        seconds, rows = caches["default"].get(_measure(name)) or (PER_ROW * self.rows, self.rows)
        return float(seconds * max(1.0, self.rows / max(rows, 1)))


def _measure(name: str) -> str:
    """The cache key of a measurement: of all results of a sort, whatever they are about."""
    return f"judging:seconds:{name.partition(':')[0]}"


_patience: ContextVar[Patience | None] = ContextVar("patience", default=None)


def is_limited() -> bool:
    """Whether somebody around has already said how long to wait."""
    return _patience.get() is not None


@contextmanager
def waiting(project: Project, seconds: float = QUICK) -> Iterator[Patience]:
    """Inside, a result that would take longer raises Slow; inf for a worker, which waits as long as it takes."""
    patience = Patience(project, seconds)
    token = _patience.set(patience)
    try:
        yield patience
    finally:
        _patience.reset(token)


def made(name: str, key: str, make: Callable[[], T]) -> T:
    """The result of make(), measured and, if it took long, stored. Raises Slow if a page should not wait for it."""
    patience = _patience.get()
    if patience is not None and not patience.allows(name):
        patience.missed = key
        raise Slow(name)
    began, before = time.thread_time(), patience.spent if patience is not None else 0.0
    value: Any = make()
    seconds = time.thread_time() - began
    if patience is not None:
        patience.spend(name, seconds, before)
    if seconds >= WORTH_STORING:
        results.write(key, value)
    return value
