"""A lead's actions: admit a person, ask for another calibration attempt, end a pause, mark items as checks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate import hidden_checks
from annotate.audit.trail import record, stored_values, values_of
from annotate.errors import Refused
from annotate.items import flow
from annotate.models import Annotation, Item, Member, Notification, Project, Readiness, User
from annotate.models.work import SlotQuerySet
from annotate.option_forms.meanwhile import SettingsClash, merge
from annotate.readiness import calibration
from annotate.readiness.calibration import EXPECTED, OPEN

Verb = Notification.Verb


def let_in(member: Member, *, by: User) -> None:
    """Open the queue to this person regardless of the calibration. Raises Refused if it is open already."""
    with transaction.atomic():
        if not Member.objects.filter(pk=member.pk, calibrated_at=None).update(calibrated_at=timezone.now()):
            raise Refused(_("%(name)s was already let in.") % {"name": member.user})
        hidden_checks.void_unfinished(_calibration(member))
        calibration.tell(member.user, member.project, Verb.CALIBRATE, lambda: _("You can start working."), by=by)
        record("readiness.let_in", member)


def ask_again(member: Member, *, by: User) -> None:
    """Start a new attempt; the queue is closed until it is passed. Raises Refused without items."""
    readiness = hidden_checks.requirements_of(member.project)
    if readiness is None or not readiness.calibration_each:
        raise Refused(_("This project has no calibration."))
    if not hidden_checks.until_free(lambda: _open_again(member)):
        raise Refused(_("There are no calibration items among the work of %(name)s.") % {"name": member.user})
    calibration.tell(member.user, member.project, Verb.CALIBRATE, lambda: _("Please do the calibration again."), by=by)


def _open_again(member: Member) -> bool:
    locked = Member.objects.select_for_update().get(pk=member.pk)
    standing = calibration.standing(member)
    hidden_checks.void_unfinished(_calibration(member))
    slot_count = calibration.open_attempt(member, standing.next_attempt)
    if slot_count:
        locked.calibrated_at = member.calibrated_at = None
        locked.save(update_fields=["calibrated_at"])
        record("readiness.asked_again", member, after={"items": slot_count})
    return bool(slot_count)


def go_on(member: Member, *, by: User) -> None:
    """End a pause; earlier checks no longer count. Raises Refused if there is no pause."""
    with transaction.atomic():
        paused = Member.objects.filter(pk=member.pk, paused_at__isnull=False)
        if not paused.update(paused_at=None, paused_reason="", checks_since=timezone.now()):
            raise Refused(_("%(name)s is not paused.") % {"name": member.user})
        calibration.tell(member.user, member.project, Verb.RESUMED, lambda: _("You can continue your work."), by=by)
        record("readiness.pause_ended", member)


def _calibration(member: Member) -> SlotQuerySet:
    return hidden_checks.own_slots_of(member).filter(item__purpose=Item.Purpose.CALIBRATION)


def change_requirements(project: Project, entered: Mapping[str, Any], *, opened: Mapping[str, Any]) -> list[str]:
    """Store what a form has checked: the requirements before people may work, and those of the checks.

    opened: the values when the page was opened. Returns the names of what somebody else changed meanwhile, which is
    kept; raises SettingsClash if both changed the same.
    """
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).only("pk").get(pk=project.pk)  # its requirements may be missing
        stored = Readiness.objects.filter(project=project).first()
        before = stored_values(stored, *entered) if stored else {}
        merged = merge(opened, entered, before or values_of(Readiness(), *entered))
        if merged.clashes:
            raise SettingsClash(merged.clashes, before)
        Readiness.objects.update_or_create(project=project, defaults=merged.values)
        record("readiness.changed", project, before=before, after=merged.values)
    return merged.kept


# Marking: a lead sets the purpose of an item to work, or to a check whose expected answer is the accepted text.


@dataclass(frozen=True)
class MarkingResult:
    """keys: of the items that were marked; left_out: key -> why that item was not marked."""

    keys: Sequence[str]
    left_out: dict[str, str]


def mark(project: Project, keys: Sequence[str], purpose: str, *, by: User, fields: Sequence[str] = ()) -> MarkingResult:
    """Give these items a purpose. fields: those to compare; empty means all that the kind compares."""
    item_by_key = {item.key: item for item in Item.objects.filter(project=project, key__in=keys).select_related("base")}
    reason_by_key = {key: _("there is no such item") for key in keys if key not in item_by_key}
    marked: list[str] = []
    for item in sorted(item_by_key.values(), key=lambda row: row.pk):
        item.project = project
        try:
            mark_item(item, purpose, by=by, fields=fields)
        except Refused as refused:
            reason_by_key[item.key] = str(refused)
        else:
            marked.append(item.key)
    return MarkingResult(marked, reason_by_key)


def mark_item(item: Item, purpose: str, *, by: User, fields: Sequence[str] = ()) -> None:
    """item: with its project. A person who holds it as a check loses it and keeps the draft. Raises Refused."""
    with transaction.atomic():
        flow.lock(item.pk)
        now = Item.objects.select_related("base").get(pk=item.pk)
        if purpose != Item.Purpose.WORK and (now.state != Item.State.ACCEPTED or now.base is None):
            raise Refused(_("accept its answer first: it becomes the expected answer"))
        hidden_checks.void_unfinished(hidden_checks.own_slots(item.project).filter(item_id=item.pk))
        changes: dict[str, object] = {"purpose": purpose, "changed_at": timezone.now()}  # figures are computed again
        if fields and purpose != Item.Purpose.WORK and now.base is not None:
            changes["base"] = _expected(item, now.base, fields)
        before = stored_values(item, "purpose", "base")
        Item.objects.filter(pk=item.pk).update(**changes)
        flow.record(item, "marked", by=by, note=purpose)
        record("item.marked", item, before=before, after=stored_values(item, "purpose", "base"))
    item.purpose = purpose


def _expected(item: Item, base: Annotation, fields: Sequence[str]) -> Annotation:
    """A copy of the accepted text with the names of the fields that count; the accepted text is not changed.

    Raises Refused where all of these fields are empty: there would be nothing to compare.
    """
    draft = item.project.kind.upgrade(base.draft, base.schema)
    if all(draft.get(name) in OPEN for name in fields):
        raise Refused(_("its accepted answer is empty in the fields that count"))
    return Annotation.objects.create(
        item=item,
        rater=EXPECTED,
        draft=base.draft,
        schema=base.schema,
        decided=sorted(fields),
        outcome=Annotation.Outcome.ACCEPTED,
        note=base.note,
        submitted_at=timezone.now(),
    )
