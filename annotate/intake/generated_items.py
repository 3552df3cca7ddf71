"""Items that a model generates from others, once for each parent and group. Work that people have begun is kept."""

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotate.intake.row_reader import content_hash
from annotate.items import actions, flow, slots
from annotate.kinds.shapes import Finding
from annotate.kinds.values import GeneratedItem
from annotate.models import Annotation, Item, Project, Run, Slot, User
from lib.texts.stored_sentences import say

LONGEST_NUMBER = 64  # characters of a child's number, which leaves room for a version
FIRST = 50  # priority of items that are looked at before the rest
SHARE = 0.25  # default share of a run's items that is looked at first


@dataclass(frozen=True)
class Making:
    """What belongs to a child besides its texts. first: who looks at it before the others, if anybody does.

    again: it replaces an older child of its group; otherwise the first child stays the only one.
    """

    run: Run
    parent: Item
    project: Project
    group: str
    prompt_version: str
    first: User | None = None
    again: bool = False


def children(parents: Sequence[int], project: Project) -> QuerySet[Item]:
    return Item.objects.filter(project=project, parent__in=parents)


def is_drawn_first(run: Run, parent: int, group: str, share: float) -> bool:
    """Whether this child is in the share that is looked at first; deterministic."""
    return random.Random(f"{run.pk}:{parent}:{group}").random() < share  # noqa: S311 - a draw, not a secret


def keep(child: GeneratedItem, making: Making) -> Item:
    """Store the child with its suggestion, inside the caller's transaction. The same child of the same run is kept
    once.

    If the run's replies were read again, the new result becomes another suggestion of the child. An older child on
    which nobody has begun is withdrawn; one that people have in hand or have decided stays next to the new one. If two
    runs create the first child at the same time, the faster one wins.
    """
    flow.lock(making.parent.pk)  # two jobs of one parent follow each other
    siblings = children([making.parent.pk], making.project).order_by("pk")
    older = [sibling for sibling in siblings if sibling.group == making.group]
    annotation = (
        Annotation.objects.filter(run=making.run, item__in=older).order_by("-pk").select_related("item").first()
    )
    if annotation is not None:
        if annotation.draft != child.draft:
            _suggest(annotation.item, child, making)
        return annotation.item
    if older and not making.again:
        return older[0]
    for older_item in older:
        _withdraw(older_item, making.run)
    item = _item(child, making, version=len(older) + 1)
    flow.record(item, "made", by=making.run.created_by, note=_("run %(run)d") % {"run": making.run.pk})
    _suggest(item, child, making)
    unreserved_slots = [None] * (slots.people_for(item.key, making.project) - 1)
    slots.open_annotating(item, making.project, reserved_for=[making.first, *unreserved_slots] if making.first else ())
    return item


def _item(child: GeneratedItem, making: Making, *, version: int) -> Item:
    kind = making.project.kind
    number = _free_number(making, version)
    stored = {**child.facts, "cdx": number}
    facts = kind.read_facts(stored)
    return Item.objects.create(
        project=making.project,
        parent=making.parent,
        key=f"{making.group}/{number}",
        title=kind.title(facts),
        group=kind.group(facts, None)[:120],
        language=making.parent.language,
        content_hash=content_hash(facts.stored()),
        schema=kind.schema,
        state=Item.State.READY,
        priority=FIRST if making.first else 0,
        facts=facts.stored(),
    )


def _free_number(making: Making, version: int) -> str:
    """The parent's key, shortened if it is long; made unique if another parent's child already has it."""
    key = making.parent.key
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    number = key if len(key) <= LONGEST_NUMBER - 9 else f"{key[: LONGEST_NUMBER - 18]}-{digest}"
    ending = f"~{version}" if version > 1 else ""
    key_exists = Item.objects.filter(project=making.project, key=f"{making.group}/{number}{ending}").exists()
    return f"{number}-{digest}{ending}" if key_exists else f"{number}{ending}"


def _suggest(item: Item, child: GeneratedItem, making: Making) -> None:
    kind, endpoint = making.project.kind, making.run.endpoint
    facts, draft = kind.read_facts(item.facts), kind.read_draft(child.draft)
    doubts = [*kind.doubts(facts, draft, making.project.kind_options), *_alike(item, child)]
    Annotation.objects.create(
        item=item,
        run=making.run,
        model=endpoint.model,
        simulated=endpoint.simulated,
        prompt_version=making.prompt_version,
        draft=draft.stored(),
        schema=kind.schema,
        doubts=[doubt.as_json() for doubt in doubts],
        note=child.explanation,
    )


def _alike(item: Item, child: GeneratedItem) -> Iterator[Finding]:
    """An earlier child of this parent with the same texts, for another group or by an earlier prompt."""
    siblings = Annotation.objects.filter(item__parent=item.parent_id, item__project=item.project_id)
    for key, draft in siblings.exclude(item=item).exclude(model="").values_list("item__key", "draft"):
        if draft == child.draft:
            message = say("%(key)s says the same, character for character.")
            yield Finding(next(iter(child.draft)), message % {"key": key})
            return


def _withdraw(item: Item, run: Run) -> None:
    """Take it out of the queue, unless somebody has begun on it."""
    flow.lock(item.pk)
    work = Slot.objects.filter(item=item)
    list(work.select_for_update())
    now = Item.objects.get(pk=item.pk)
    if now.state in (Item.State.IMPORTED, Item.State.READY) and not slots.begun(work):
        note = _("generated again by run %(run)d") % {"run": run.pk}
        actions.drop(now, by=run.created_by, reason="withdrawn", note=note)


def possible_targets(project: Project) -> QuerySet[Project]:
    """Projects that can receive children of this project's items."""
    kind: Any = project.kind.child_kind
    return Project.objects.filter(kind_slug=kind).exclude(kind_slug="").order_by("name")
