"""Items that a model makes of others, each once for its parent and group. What people have begun is never touched."""

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotate.kinds.shapes import Finding
from annotate.kinds.values import Made
from annotate.models import Annotation, Item, Project, Run, Slot, User
from annotate.services import flow, leading, slots
from annotate.services.importing.rows import content_hash
from lib.texts.said import say

LONGEST_NUMBER = 64  # characters of a child's number, so that a version fits behind it
FIRST = 50  # priority of what is looked at before the rest
SHARE = 0.25  # of what a run makes, that is looked at first where nobody says another


@dataclass(frozen=True)
class Making:
    """What belongs to a child beside its texts. first: who looks at it before the others, where somebody does.

    again: it takes the place of an older one of its group; otherwise the first that is made stays the only one.
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


def drawn(run: Run, parent: int, group: str, share: float) -> bool:
    """Whether this child is among the share that is looked at first; the same whenever it is asked."""
    return random.Random(f"{run.pk}:{parent}:{group}").random() < share  # noqa: S311 - a draw, not a secret


def keep(made: Made, of: Making) -> Item:
    """The child with its suggestion, inside the caller's transaction. The same of the same run is kept once.

    What the run read anew is another suggestion at its own child. An older child on which nobody has begun is
    withdrawn; one that people have in hand or have decided stays beside the new one. Of two runs at once that were to
    make the first, the faster one has made it.
    """
    flow.lock(of.parent.pk)  # two jobs of one parent follow each other
    siblings = children([of.parent.pk], of.project).order_by("pk")
    older = [one for one in siblings if one.group == of.group]
    own = Annotation.objects.filter(run=of.run, item__in=older).order_by("-pk").select_related("item").first()
    if own is not None:
        if own.draft != made.draft:
            _suggest(own.item, made, of)
        return own.item
    if older and not of.again:
        return older[0]
    for one in older:
        _withdraw(one, of.run)
    item = _item(made, of, version=len(older) + 1)
    flow.record(item, "made", by=of.run.created_by, note=_("run %(run)d") % {"run": of.run.pk})
    _suggest(item, made, of)
    others = [None] * (slots.people_for(item.key, of.project) - 1)
    slots.open_annotating(item, of.project, reserved_for=[of.first, *others] if of.first else ())
    return item


def _item(made: Made, of: Making, *, version: int) -> Item:
    kind = of.project.kind
    number = _free_number(of, version)
    stored = {**made.facts, "cdx": number}
    facts = kind.read_facts(stored)
    return Item.objects.create(
        project=of.project,
        parent=of.parent,
        key=f"{of.group}/{number}",
        title=kind.title(facts),
        group=kind.group(facts, None)[:120],
        language=of.parent.language,
        content_hash=content_hash(facts.stored()),
        schema=kind.schema,
        state=Item.State.READY,
        priority=FIRST if of.first else 0,
        facts=facts.stored(),
    )


def _free_number(of: Making, version: int) -> str:
    """The parent's key, shortened where it is long; told apart where another parent's child has taken it."""
    key = of.parent.key
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    number = key if len(key) <= LONGEST_NUMBER - 9 else f"{key[: LONGEST_NUMBER - 18]}-{digest}"
    ending = f"~{version}" if version > 1 else ""
    taken = Item.objects.filter(project=of.project, key=f"{of.group}/{number}{ending}").exists()
    return f"{number}-{digest}{ending}" if taken else f"{number}{ending}"


def _suggest(item: Item, made: Made, of: Making) -> None:
    kind, endpoint = of.project.kind, of.run.endpoint
    facts, draft = kind.read_facts(item.facts), kind.read_draft(made.draft)
    doubts = [*kind.doubts(facts, draft, of.project.kind_options), *_alike(item, made)]
    Annotation.objects.create(
        item=item,
        run=of.run,
        model=endpoint.model,
        simulated=endpoint.simulated,
        prompt_version=of.prompt_version,
        draft=draft.stored(),
        schema=kind.schema,
        doubts=[doubt.as_json() for doubt in doubts],
        note=made.explanation,
    )


def _alike(item: Item, made: Made) -> Iterator[Finding]:
    """The same texts were made of this parent before, for another group or by an earlier prompt."""
    siblings = Annotation.objects.filter(item__parent=item.parent_id, item__project=item.project_id)
    for key, draft in siblings.exclude(item=item).exclude(model="").values_list("item__key", "draft"):
        if draft == made.draft:
            message = say("%(key)s says the same, character for character.")
            yield Finding(next(iter(made.draft)), message % {"key": key})
            return


def _withdraw(item: Item, run: Run) -> None:
    """Out of the queue, unless somebody has begun on it."""
    flow.lock(item.pk)
    work = Slot.objects.filter(item=item)
    list(work.select_for_update())
    now = Item.objects.get(pk=item.pk)
    if now.state in (Item.State.IMPORTED, Item.State.READY) and not slots.begun(work):
        note = _("made anew by run %(run)d") % {"run": run.pk}
        leading.drop(now, by=run.created_by, reason="withdrawn", note=note)


def possible_targets(project: Project) -> QuerySet[Project]:
    """Projects into which children of this one's items can go."""
    kind: Any = project.kind.child_kind
    return Project.objects.filter(kind_slug=kind).exclude(kind_slug="").order_by("name")
