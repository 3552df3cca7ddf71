"""Rows about items that are stored already: a new draft for untouched work, or another round."""

from django.db import transaction

from annotate.models import Annotation, Batch, Item, Project, Slot
from annotate.services import flow, slots
from annotate.services.errors import WrongState
from annotate.services.importing.duplicates import of_the_store
from annotate.services.importing.new import store_drafts
from annotate.services.importing.rows import Policy, Prepared
from lib.texts.said import say as _

S = Item.State
OPENS = {S.ACCEPTED.value: "reopened", S.DROPPED.value: "restored"}  # by which verb another round begins


def objection(row: Prepared, item: Item, policy: Policy) -> tuple[str, str] | None:
    """(path, message) where the item has to stay as it is. Inside a transaction nobody can begin to work on it."""
    untouched = _lock_if_untouched(item)
    decided = item.state == S.DROPPED or (item.state == S.ACCEPTED and row.final is None)
    path, message = of_the_store(row, item)
    if says_nothing_new(item, row):
        return path, message
    if item.purpose != Item.Purpose.WORK:
        return path, _("%(why)s It is no work but a check; make it work first.") % {"why": message}
    if policy == "update" and (decided or not untouched):
        return path, _("%(why)s It is decided or worked on: only a new round can change it.") % {"why": message}
    if item.content_hash != row.content_hash and not untouched:
        refusal = _("People have worked on “%(key)s” with other facts. Give the row another key.")
        return path, refusal % {"key": item.key}
    return None


def change(project: Project, batch: Batch, row: Prepared, item: Item, policy: Policy) -> tuple[str, str] | None:
    """Give the item what the row brings, inside a transaction; (path, message) where it stays as it is."""
    against = objection(row, item, policy)
    if against:
        return against
    try:
        with transaction.atomic():
            _change(project, batch, row, item, another_round=policy == "round")
    except WrongState:
        return "key", _("Somebody is moving “%(key)s” right now. Import the row again.") % {"key": item.key}
    return None


def _lock_if_untouched(item: Item) -> bool:
    """Whether nobody has worked on it; if so nobody can begin before the transaction ends."""
    Item.objects.select_for_update().get(pk=item.pk)
    work_flags = [slot.state in ("held", "submitted") for slot in Slot.objects.select_for_update().filter(item=item)]
    return not any(work_flags) and not Annotation.objects.filter(item=item, author__isnull=False).exists()


def says_nothing_new(item: Item, row: Prepared) -> bool:
    if item.content_hash != row.content_hash:
        return False
    if row.newest is None:
        return True
    brought = Annotation.objects.filter(item=item, author=None)
    latest_text = item.base or brought.order_by("-id").first()
    accepted = row.final is None or item.state == S.ACCEPTED
    return accepted and latest_text is not None and latest_text.draft == row.newest


def _change(project: Project, batch: Batch, row: Prepared, item: Item, *, another_round: bool) -> None:
    if item.content_hash != row.content_hash:
        _replace_facts(item, row, batch)
    store_drafts([(item.pk, row)], schema=project.kind.schema)
    newest = Annotation.objects.filter(item=item, author=None).latest("id") if row.newest is not None else None
    if item.state == S.IMPORTED and newest:
        flow.move(item, "ready", by=batch.created_by, note=batch.file_name)
        slots.open_annotating(item, project)
    elif another_round or item.state == S.ACCEPTED:
        _open_round(project, batch, item, newest)
    if row.final is not None:
        slots.close(item)
        flow.move(item, "accepted", by=batch.created_by, base=newest, annotation=newest, note=batch.file_name)


def _open_round(project: Project, batch: Batch, item: Item, base: Annotation | None) -> None:
    slots.close(item)
    flow.move(item, OPENS.get(item.state, "requeued"), by=batch.created_by, base=base, note=batch.file_name)
    slots.open_annotating(item, project)


def _replace_facts(item: Item, row: Prepared, batch: Batch) -> None:
    """Only while nobody has worked with the old ones. A language or group is kept where the row has none."""
    item.facts, item.content_hash, item.title = row.facts, row.content_hash, row.title
    item.group, item.language, item.batch = row.group or item.group, row.language or item.language, batch
    item.save(update_fields=["facts", "content_hash", "title", "group", "language", "batch"])
