"""Leaps of the clock, which make every lease look as if it had run out.

A living worker extends its leases every few seconds, timed by a clock that does not leap. So a process that has just
seen a leap waits that long before it takes over jobs whose leases have run out: their workers may still be at them,
with a paid call on its way.
"""

import time
from dataclasses import dataclass

from django.utils import timezone

FAR = 5.0  # seconds that the clock may drift from the monotonic one between two looks
PATIENCE = 20.0  # seconds, longer than living workers take to extend their leases


@dataclass
class LeapWatch:
    """What this process knows of its clock."""

    offset: float | None = None
    leapt_at: float | None = None

    def has_just_leapt(self) -> bool:
        """Whether the clock has leapt within the last PATIENCE seconds, as far as this process has looked."""
        now = time.monotonic()
        offset = timezone.now().timestamp() - now
        if self.offset is not None and abs(offset - self.offset) > FAR:
            self.leapt_at = now
        self.offset = offset
        return self.leapt_at is not None and now - self.leapt_at < PATIENCE


watch = LeapWatch()
