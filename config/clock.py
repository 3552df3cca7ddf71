"""The scheduler of periodic tasks: Celery's, which here also continues when the machine's clock is set back."""

from typing import Any

from celery.beat import PersistentScheduler


class SteadyScheduler(PersistentScheduler):
    """Celery plans the next beat as a time of day: with the clock set back by a day, it would be silent for a day."""

    def tick(self, *args: Any, **options: Any) -> float:
        for entry in self.schedule.values():
            if entry.last_run_at > entry.default_now():
                entry.last_run_at = entry.default_now()
                self._heap = None  # planned again
        delay: float = super().tick(*args, **options)
        return delay
