"""What a project asks of a person before it hands them work. Reads rows that are loaded with the member as a rule."""

from typing import Any

from annotate.models import Member, Project, Readiness, Slot


def asked_by(project: Project) -> Readiness | None:
    """What the project asks; None where it asks nothing."""
    untyped_project: Any = project  # the stubs know the way back only when they happen to read the models in one order
    try:
        readiness: Readiness = untyped_project.readiness
    except Readiness.DoesNotExist:
        return None
    return readiness


def must_calibrate(member: Member) -> bool:
    """Whether work is closed to this person until they have passed the calibration. Leads need none."""
    if member.calibrated_at is not None or member.leads:
        return False
    readiness = asked_by(member.project)
    return readiness is not None and readiness.calibration_each > 0


def is_closed(member: Member, stage: str) -> bool:
    """Whether nothing new of this stage is handed to this person; what they hold they may finish."""
    if member.paused_at is not None:
        return True
    return stage == Slot.Stage.ANNOTATE and must_calibrate(member)
