"""What the work page hands out next."""

from annotate.models import Member, Slot
from annotate.services import queue
from annotate.services.readiness import asking, calibration, stream


def next_slot(member: Member) -> Slot | None:
    """The next slot of annotating, held: of the calibration, a check, or of the queue. None when there is nothing."""
    if member.project.paused or member.paused_at is not None:
        return None
    if asking.must_calibrate(member):
        if slot := calibration.next_slot(member):
            return slot
    elif slot := stream.next_check(member):
        return slot
    return queue.claim_next(member, Slot.Stage.ANNOTATE)
