"""The clock's scheduler: Celery's, which also goes on when the clock of the machine is set back."""

from typing import Any

from celery.beat import PersistentScheduler


class SteadyScheduler(PersistentScheduler):
    """Celery plans the next beat at a time of day: set back by a day, it would be silent for a day."""

    def tick(self, *args: Any, **options: Any) -> float:
        for entry in self.schedule.values():
            if entry.last_run_at > entry.default_now():
                entry.last_run_at = entry.default_now()
                self._heap = None  # planned anew
        delay: float = super().tick(*args, **options)
        return delay
