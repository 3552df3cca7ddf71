"""Rate limits of the installation: fixed windows, counted in the database, so that all processes share them.

See docs/decisions/0021-limits-in-the-database.md.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Lock
from time import time

from django.db import OperationalError, connection
from django.utils import timezone

from annotate.models import RateCounter

MINUTE, HOUR = 60, 3600  # seconds
COUNT = """
    INSERT INTO annotate_ratecounter (key, count, ends_at) VALUES (%s, %s, %s)
    ON CONFLICT (key) DO UPDATE SET count = annotate_ratecounter.count + excluded.count
    RETURNING count
"""


def within(name: str, most: int, seconds: int) -> bool:
    """Count once more in this window; False beyond the limit."""
    return _count(name, 1, seconds) <= most


def seconds_left(seconds: int) -> float:
    """Seconds until the next window begins."""
    return seconds - time() % seconds


def forget_old() -> None:
    over = RateCounter.objects.filter(ends_at__lt=timezone.now())
    if over.exists():  # a read: a DELETE of no rows would lock SQLite for writers
        over.delete()


def _count(name: str, times: int, seconds: int) -> int:
    """Count `times` in this window and return the total. One statement, so that no process's count is lost."""
    window = int(time() // seconds)
    ends_at = datetime.fromtimestamp((window + 1) * seconds, tz=UTC)
    with connection.cursor() as cursor:
        cursor.execute(COUNT, [f"{name}-{window}", times, connection.ops.adapt_datetimefield_value(ends_at)])
        return int(cursor.fetchone()[0])


@dataclass
class Tickets:
    """Tickets for requests, taken from the shared counter several at a time, so that a read need not write each time.

    Tickets that a process has taken and not used are lost to the others until the window ends, at most a sixtieth of
    the limit.
    """

    seconds: int
    _lock: Lock = field(default_factory=Lock)
    _window: int = 0
    _left: dict[str, int] = field(default_factory=dict)
    _spent: set[str] = field(default_factory=set)

    def take(self, name: str, most: int) -> bool:
        """One ticket of this window; False if all are used. If the database cannot count, nobody is refused."""
        with self._lock:
            self._begin_window()
            if name in self._spent:
                return False
            if self._left.get(name):
                self._left[name] -= 1
                return True
        return self._draw(name, most)

    def clear(self) -> None:
        with self._lock:
            self._window = 0

    def _begin_window(self) -> None:
        window = int(time() // self.seconds)
        if window != self._window:
            self._window, self._left, self._spent = window, {}, set()

    def _draw(self, name: str, most: int) -> bool:
        lump = max(1, most // 60)
        try:
            previous_count = _count(name, lump, self.seconds) - lump
        except OperationalError:
            return True
        tickets = min(lump, most - previous_count)
        with self._lock:
            if tickets <= 0:
                self._spent.add(name)
                return False
            self._left[name] = self._left.get(name, 0) + tickets - 1
        return True
