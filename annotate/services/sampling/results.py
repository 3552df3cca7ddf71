"""What the reviews of a sample say about its batch. Counted when it is looked at, kept nowhere."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotate.models import Annotation, Sample, Sampled, Slot

RUNNING, PASSED, FAILED = "running", "passed", "failed"


@dataclass(frozen=True)
class Result:
    """batch: items in all; drawn of them, looked at, and found faulty: fixed, sent back, dropped, or taken away."""

    batch: int
    drawn: int
    looked_at: int
    faulty: int
    allowed: int

    @property
    def verdict(self) -> str:
        """It fails with the first fault too many, and passes when all were looked at."""
        if self.faulty > self.allowed:
            return FAILED
        return PASSED if self.looked_at == self.drawn else RUNNING

    @property
    def running(self) -> bool:
        return self.verdict == RUNNING

    @property
    def left(self) -> int:
        return self.drawn - self.looked_at


def result_of(sample: Sample) -> Result:
    sampled_rows = sample.batch.filter(drawn=True)
    faulty = faults(sample).count()
    return Result(
        batch=sample.batch.count(),
        drawn=sampled_rows.count(),
        looked_at=sampled_rows.filter(Exists(_checks().filter(outcome="accepted"))).count() + faulty,
        faulty=faulty,
        allowed=sample.allowed,
    )


def faults(sample: Sample) -> QuerySet[Sampled]:
    """Drawn items that their review did not leave as they were.

    One that was taken out of its review, such as by a drop, was never found good: it counts as a fault.
    """
    wrong = Q(Exists(_checks().exclude(outcome="accepted"))) | Q(Exists(_slots().filter(state=Slot.State.VOID)))
    return sample.batch.filter(wrong, drawn=True)


def _slots() -> QuerySet[Slot]:
    return Slot.objects.filter(item=OuterRef("item"), round=OuterRef("round"), stage=Slot.Stage.REVIEW)


def _checks() -> QuerySet[Annotation]:
    return Annotation.objects.filter(
        slot__item=OuterRef("item"),
        slot__round=OuterRef("round"),
        slot__stage=Slot.Stage.REVIEW,
        submitted_at__isnull=False,
    )
