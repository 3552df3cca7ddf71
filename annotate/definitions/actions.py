"""Saving a version of a project's definition, and moving columns between what people see and metadata."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.audit.trail import record
from annotate.errors import Refused, WrongState
from annotate.items.slots import unit_digest
from annotate.kinds.contract import Kind
from annotate.models import Definition, Item, Project, Slot, UnitTurn, User
from annotate.models.projects import definition_digest
from lib.texts.sentences import paragraph

TOGETHER = 500  # items that are read and written at once


def texts_of(project: Project) -> list[str]:
    """The versions of the project's definition, oldest first."""
    return list(project.definitions.order_by("version").values_list("text", flat=True))


def checked(project: Project, text: str) -> Kind:
    """The kind as it would be with this text as the next version. Raises Refused, which names every fault by line."""
    if not project.kind.defined:
        message = _(
            "Projects of the kind “%(kind)s” have fixed questions. Make a project of the kind “form” for your own."
        )
        raise Refused(message % {"kind": project.kind.name})
    try:
        return project.kind.by_definition([*texts_of(project), text])
    except ValueError as bad:
        raise Refused(str(bad)) from bad


def write_definition(project: Project, *, text: str, note: str = "", by: User | None, based_on: int) -> Definition:
    """Save a version and move the columns that it shows or hides; answers stay as they are stored.

    based_on: the version that was open in the editor, 0 for none. Raises Refused for a text with faults or where items
    lack a column, and WrongState if somebody else has saved a version meanwhile.
    """
    kind = checked(project, text)
    with transaction.atomic():
        locked = Project.objects.select_for_update().get(pk=project.pk)
        newest = locked.definitions.values_list("version", flat=True).first() or 0
        if newest != based_on:
            raise WrongState(_("Someone saved version %(version)d in the meantime.") % {"version": newest})
        shown_before, unit_before = list(locked.kind.fact_names), locked.kind.unit_column
        definition = _stored(locked, text=text, note=note, by=by, version=newest + 1)
        if newest and list(kind.fact_names) != shown_before:
            _move_columns(locked, kind)
        if kind.unit_column != unit_before:
            locked.kind = kind
            _regroup_slots(locked)
        record("definition.written", definition, after={"version": newest + 1, "characters": len(text)})
    project.definition_digest = locked.definition_digest
    project.__dict__.pop("kind", None)
    return definition


def _stored(project: Project, *, text: str, note: str, by: User | None, version: int) -> Definition:
    try:
        with transaction.atomic():
            definition = Definition.objects.create(project=project, version=version, text=text, note=note, author=by)
    except IntegrityError as conflict:  # a_definition_version_is_unique: two people saved at the same moment
        raise WrongState(_("Someone has just saved a version.")) from conflict
    project.definition_digest = definition_digest([text], project.definition_digest)
    project.save(update_fields=["definition_digest"])
    return definition


# A column that is not shown must not lie where people's pages, files and addresses read: it moves to the metadata.


def _move_columns(project: Project, kind: Kind) -> None:
    missing: dict[str, list[str]] = {}
    for items in _in_parts(project):
        for item in items:
            columns = {**(item.metadata or {}), **item.facts}
            item.facts = {name: columns.pop(name) for name in kind.fact_names if name in columns}
            item.metadata = columns or None
            _note_missing(kind, item, missing)
        Item.objects.bulk_update(items, ["facts", "metadata", "title"])
    if missing:
        raise Refused(paragraph(_lacking(name, keys) for name, keys in missing.items()))


def _in_parts(project: Project) -> Iterator[list[Item]]:
    items = Item.objects.filter(project=project).order_by("pk").select_for_update()
    last = 0
    while part := list(items.filter(pk__gt=last)[:TOGETHER]):
        yield part
        last = part[-1].pk


def _note_missing(kind: Kind, item: Item, missing: dict[str, list[str]]) -> None:
    try:
        item.title = kind.title(kind.read_facts(item.facts))[:160]
    except ValueError as bad:
        for finding in getattr(bad, "findings", ()):
            missing.setdefault(finding.path, []).append(item.key)


def _lacking(name: str, keys: Sequence[str]) -> str:
    message = ngettext(
        "%(n)d item lacks the column “%(name)s”: %(key)s. Add `optional: true` to the column, or import the item again "
        "with it.",
        "%(n)d items lack the column “%(name)s”, such as %(key)s. Add `optional: true` to the column, or import them "
        "again with it.",
        len(keys),
    )
    return message % {"n": len(keys), "name": name, "key": keys[0]}


def _regroup_slots(project: Project) -> None:
    """Store the units of the new column in the slots, and end all turns: the old units no longer exist."""
    UnitTurn.objects.filter(project=project).delete()
    slots = Slot.objects.filter(project=project, stage=Slot.Stage.ANNOTATE, own=False).order_by("pk")
    last = 0
    while part := list(slots.filter(pk__gt=last).select_related("item")[:TOGETHER]):
        for slot in part:
            slot.unit = unit_digest(project, slot.item.facts, slot.item.metadata)
        Slot.objects.bulk_update(part, ["unit"])
        last = part[-1].pk


def preview_facts(project: Project, kind: Kind, item: Item) -> dict[str, Any]:
    """The facts that the item would have under this kind; for looking at a definition that is not saved."""
    columns = {**(item.metadata or {}), **item.facts}
    return {name: columns[name] for name in kind.fact_names if name in columns}
