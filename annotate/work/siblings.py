"""Siblings: another item with the same facts, for a candidate that deserves work of its own."""

from collections.abc import Iterable

from django.db import transaction
from django.utils.translation import gettext as _

from annotate.errors import Refused, WrongState
from annotate.items import flow, slots
from annotate.items.drafts import candidate
from annotate.models import Annotation, Item, Project, User

LONGEST_KEY = 200


def make_sibling(*, item: Item, suggestion: Annotation, number: int, by: User) -> Item:
    """An item with the same facts whose suggestion holds that candidate; it goes through the queue like any other.

    The same candidate makes one item, however often this is called. Raises Refused if there is no such candidate,
    WrongState if the item was decided meanwhile.
    """
    candidate_draft = candidate(suggestion, number)
    if candidate_draft is None or suggestion.item_id != item.pk:
        raise Refused(_("There is no such candidate. Reload the page."))
    draft = {**suggestion.draft, **candidate_draft}
    with transaction.atomic():
        flow.lock(item.pk)
        now = Item.objects.select_related("project").get(pk=item.pk)
        if now.purpose == Item.Purpose.WORK and now.state in (Item.State.ACCEPTED, Item.State.DROPPED):
            raise WrongState(_("%(item)s was decided in the meantime. Reload the page.") % {"item": now.key})
        existing_items = siblings_of(now, [draft])
        return existing_items[0] or _make(now, suggestion, draft, by)


def siblings_of(item: Item, drafts: Iterable[dict[str, object]]) -> list[Item | None]:
    """For each of these drafts, the sibling of this item that was made with it, if any."""
    suggested = Annotation.objects.filter(item__parent_id=item.pk, item__project_id=item.project_id)
    annotations = list(suggested.exclude(model="").select_related("item").order_by("pk"))
    return [
        next((annotation.item for annotation in annotations if annotation.draft == draft), None) for draft in drafts
    ]


def _make(item: Item, suggestion: Annotation, draft: dict[str, object], by: User) -> Item:
    alike = ("title", "priority", "group", "language", "batch_id", "content_hash", "schema", "facts")
    sibling = Item.objects.create(
        project=item.project,
        key=_free_key(item.project, item.key),
        parent=item,
        **{name: getattr(item, name) for name in alike},
    )
    Annotation.objects.create(
        item=sibling,
        draft=draft,
        **{name: getattr(suggestion, name) for name in ("model", "run_id", "simulated", "prompt_version", "schema")},
        doubts=suggestion.doubts,
        note=suggestion.note,
    )
    flow.move(sibling, "ready", by=by, note=_("derived from %(key)s") % {"key": item.key})
    slots.open_annotating(sibling, item.project)
    return sibling


def _free_key(project: Project, key: str) -> str:
    """`<key>/2`, or the next number that no item of the project has."""
    used_keys = set(
        Item.objects.filter(project=project, key__startswith=key[: LONGEST_KEY - 6]).values_list("key", flat=True)
    )
    number = 2
    while (free := f"{key[: LONGEST_KEY - 6]}/{number}") in used_keys:
        number += 1
    return free
