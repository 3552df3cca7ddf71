"""A lead says what an item is for: work, or a check whose expected answer is the text that was accepted."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.models import Annotation, Item, Project, User
from annotate.services import flow
from annotate.services.errors import Refused
from annotate.services.readiness import places
from annotate.services.readiness.outcomes import EXPECTED, OPEN


@dataclass(frozen=True)
class Marked:
    """keys: of the items that were marked; left_out: key -> why that one was not."""

    keys: Sequence[str]
    left_out: dict[str, str]


def mark(project: Project, keys: Sequence[str], purpose: str, *, by: User, fields: Sequence[str] = ()) -> Marked:
    """Give these items a purpose. fields: those that count in comparing; none means all that the kind compares."""
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
    return Marked(marked, reason_by_key)


def mark_item(item: Item, purpose: str, *, by: User, fields: Sequence[str] = ()) -> None:
    """item: with its project. Whoever has it before them as a check loses it and keeps the draft. Raises Refused."""
    with transaction.atomic():
        flow.lock(item.pk)
        now = Item.objects.select_related("base").get(pk=item.pk)
        if purpose != Item.Purpose.WORK and (now.state != Item.State.ACCEPTED or now.base is None):
            raise Refused(_("accept its answer first: that is what is expected of others"))
        places.void_unfinished(places.places(item.project).filter(item_id=item.pk))
        changes: dict[str, object] = {"purpose": purpose, "changed_at": timezone.now()}  # figures are made anew
        if fields and purpose != Item.Purpose.WORK and now.base is not None:
            changes["base"] = _expected(item, now.base, fields)
        Item.objects.filter(pk=item.pk).update(**changes)
        flow.record(item, "marked", by=by, note=purpose)
    item.purpose = purpose


def _expected(item: Item, base: Annotation, fields: Sequence[str]) -> Annotation:
    """The accepted text again, with the names of the fields that count; what was accepted stays as it is.

    Raises Refused where it says nothing in any of them: there would be nothing to compare.
    """
    draft = item.project.kind.upgrade(base.draft, base.schema)
    if all(draft.get(name) in OPEN for name in fields):
        raise Refused(_("its accepted answer says nothing in the fields that count"))
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
