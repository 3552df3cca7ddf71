"""How much work it is to do some items again: as many as there are, times what people usually take."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from annotate.models import Annotation, Item, Project, Slot
from annotate.services.overview.help import TOO_FEW
from lib.stats.intervals import median_interval

RECENT = 1000  # of the newest submissions are the median taken


@dataclass(frozen=True)
class Step:
    """What one stage takes: minutes of a submission as median of n with its 95 % interval; None where nobody knows.

    times: how many submissions an item needs on the average, as the project is set now.
    """

    stage: str
    times: float
    n: int
    minutes: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Estimate:
    """Minutes for all the items together, of the steps that people were timed at.

    The bounds add those of the steps: wider than 95 %, never narrower.
    """

    items: int
    steps: Sequence[Step]

    @property
    def minutes(self) -> float | None:
        return self._sum([step.minutes for step in self.steps])

    @property
    def low(self) -> float | None:
        return self._sum([step.low for step in self.steps])

    @property
    def high(self) -> float | None:
        return self._sum([step.high for step in self.steps])

    @property
    def n(self) -> int:
        """Of the step of which least is known, those aside of which nothing is."""
        return min((step.n for step in self.steps if step.n), default=0)

    @property
    def too_few(self) -> bool:
        return self.n < TOO_FEW

    def _sum(self, minutes: Sequence[float | None]) -> float | None:
        durations = [
            duration * step.times for duration, step in zip(minutes, self.steps, strict=True) if duration is not None
        ]
        return self.items * sum(durations) if durations else None

    @property
    def untimed(self) -> list[Step]:
        """Steps that nobody's time is recorded of: they are not in the sums."""
        return [step for step in self.steps if not step.n]


def estimate(project: Project, items: int, *, group: str = "") -> Estimate:
    """By the active time of the newest submissions of work items, of one group where given. Two queries.

    Written from the accepted text an item goes faster than from nothing: this is rather too much than too little.
    """
    stages = [(Slot.Stage.ANNOTATE, _writings(project)), (Slot.Stage.REVIEW, _reviews(project))]
    return Estimate(items, [_step(project, stage, times, group) for stage, times in stages if times])


def _step(project: Project, stage: str, times: float, group: str) -> Step:
    timed = Annotation.objects.filter(
        slot__project=project,
        slot__stage=stage,
        submitted_at__isnull=False,
        active_seconds__gt=0,
        item__purpose=Item.Purpose.WORK,
    )
    if group:
        timed = timed.filter(item__group=group)
    seconds = list(timed.order_by("-submitted_at").values_list("active_seconds", flat=True)[:RECENT])
    interval = median_interval(seconds)
    low, high = (interval.low / 60, interval.high / 60) if interval else (None, None)
    return Step(stage, times, len(seconds), median(seconds) / 60 if seconds else None, low, high)


def _writings(project: Project) -> float:
    return 1 + (project.overlap - 1) * float(project.overlap_share if project.overlap > 1 else 0)


def _reviews(project: Project) -> float:
    """Items that several people write on are compared, and not reviewed."""
    if not project.reviews:
        return 0
    review_count = 1 + (float(project.second_share) if project.reviews > 1 else 0)
    return review_count * (1 - float(project.overlap_share) if project.overlap > 1 else 1)
