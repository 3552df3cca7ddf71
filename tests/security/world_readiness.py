"""A calibration that everybody has passed, with what was expected and why, and somebody whom checks have paused."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from annotate.models import Annotation, Comment, Item, Member, Project, Readiness, Slot

Say = Callable[[str], str]


def calibrated(project: Project, members: dict[str, Member], say: Say, draft: dict[str, Any]) -> dict[str, Any]:
    """Ids by what they are. draft: of the kind, fit to be handed in."""
    Readiness.objects.create(project=project, calibration_each=1)
    now, lead = timezone.now(), next(member.user for member in members.values() if member.leads)
    facts = Item.objects.filter(project=project).values_list("facts", flat=True)[0]
    item = Item.objects.create(
        project=project,
        key=say("calibration key")[:60],
        title=say("calibration title")[:160],
        purpose="calibration",
        state="accepted",
        facts=facts,
        content_hash="calibration",
    )
    item.base = Annotation.objects.create(
        item=item, rater="expected", draft=draft, outcome="accepted", note=say("expected note"), submitted_at=now
    )
    item.save()
    Comment.objects.create(item=item, field="feedback", author=lead, text=say("why it is expected"))
    ids: dict[str, Any] = {}
    for no, (name, member) in enumerate(members.items(), start=1000):
        place = Slot.objects.create(
            item=item, project=project, stage="annotate", round=1, no=no, own=True, state="submitted",
            holder=member.user, reserved_for=member.user,
        )  # fmt: skip
        Annotation.objects.create(
            item=item, slot=place, author=member.user, draft=draft, outcome="annotated", submitted_at=now
        )
        ids |= {f"calibrated slot:{name}": place.pk, "calibrated slot": place.pk, "calibrated member": member.pk}
    Member.objects.filter(project=project).update(calibrated_at=now)
    return ids
