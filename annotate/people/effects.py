"""The effects of another role or other limits on a person's work, counted before they are stored."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate import hidden_checks
from annotate.items import queue
from annotate.models import Item, Member, Slot
from annotate.option_forms.effects import Effect

COUNTED_AT_MOST = 1000  # slots


def effects(member: Member, values: Mapping[str, Any]) -> list[Effect]:
    """member: with project and user, as stored; values: columns as they would be stored. Empty if nothing changes."""
    columns = {field.attname: getattr(member, field.attname) for field in Member._meta.concrete_fields}
    changed = {name for name, value in values.items() if value != columns[name]}
    if not changed:
        return []
    after = Member(**columns | dict(values))
    after.project, after.user = member.project, member.user
    counted = [*_of_the_role(member, after), *_of_the_limits(after, changed), *_of_the_queue(member, after, changed)]
    return counted or [Effect(_("Nothing changes for what this person has in hand or has submitted."))]


def _of_the_role(before: Member, after: Member) -> Iterator[Effect]:
    if before.role == after.role:
        return
    held = Slot.objects.filter(project=before.project_id).held_by(before.user).exclude(stage__in=after.stages)
    if n := held.count():
        text = ngettext(
            "%(n)d item goes back into the queue; the draft stays theirs.",
            "%(n)d items go back into the queue; the drafts stay theirs.",
            n,
        )
        yield Effect(text % {"n": n}, n, stops=True)
    if after.annotates and hidden_checks.must_calibrate(after) and not hidden_checks.must_calibrate(before):
        yield Effect(_("This person will be paused until they pass the calibration."), 1, stops=True)


def _of_the_limits(after: Member, changed: set[str]) -> Iterator[Effect]:
    if changed & {"daily_limit", "total_limit"} and queue.reached_limit(after):
        yield Effect(_("They have reached this limit already: they get no more items for now."), stops=True)


def _of_the_queue(before: Member, after: Member, changed: set[str]) -> Iterator[Effect]:
    if not changed & {"languages", "groups"}:
        return
    for column, message in (
        ("language", _("No item has one of these languages:")),
        ("group", _("No item has one of these groups:")),
    ):
        names = [name for name in getattr(after, f"{column}s") if not _is_used(after, column, name)]
        if names:
            yield Effect(message, len(names), stops=True, names=names)
    old, new = _within_reach(before), _within_reach(after)
    text = _("Items in the queue that can go to them: %(new)s (instead of: %(old)s).")
    yield Effect(text % {"old": _up_to(old), "new": _up_to(new)}, new, stops=not new)


def _is_used(member: Member, column: str, name: str) -> bool:
    return Item.objects.filter(project=member.project_id, **{column: name}).exists()


def _within_reach(member: Member) -> int:
    slots = queue.candidates(member, Slot.Stage.ANNOTATE, timezone.now()) if member.annotates else Slot.objects.none()
    return slots.order_by().values("pk")[: COUNTED_AT_MOST + 1].count()


def _up_to(n: int) -> str:
    return str(n) if n <= COUNTED_AT_MOST else _("more than %(n)d") % {"n": COUNTED_AT_MOST}
