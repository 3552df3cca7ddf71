"""The columns of the list of items: each person chooses theirs in each project. The key is always there."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotate.kinds.contract import Kind
from annotate.kinds.values import Field
from annotate.models import Annotation, Item, Member, Project

SHORT = ("choice", "choices", "flag")  # fields whose values fit into a cell
LOOKED_AT = 20  # items, for the names of metadata
MOST = 30  # columns of metadata
LONGEST = 80  # of a value of metadata


@dataclass(frozen=True)
class ItemColumn:
    """name: as stored. source: `label` for a field of the kind, `metadata` for a column that only leads see; then
    `part` is the name of the field or column.
    """

    name: str
    label: str | Promise
    source: str = ""

    @property
    def part(self) -> str:
        return self.name.removeprefix(f"{self.source}:")


FIXED = (
    ItemColumn("title", _("Title")),
    ItemColumn("state", _("State")),
    ItemColumn("group", _("Group")),
    ItemColumn("language", _("Language")),
    ItemColumn("with", _("With")),
    ItemColumn("round", _("Round")),
    ItemColumn("priority", _("Priority")),
    ItemColumn("changed", pgettext_lazy("when", "Changed")),
    ItemColumn("batch", _("Import")),
)
DEFAULT = frozenset({"title", "state", "group", "language", "with", "round", "priority", "changed"})


def columns_of(member: Member) -> list[ItemColumn]:
    """All columns that this member can choose: those of every item, the fields of choice of the kind's texts, and for
    leads the metadata of the project's first items.
    """
    kind = member.project.kind
    labels = [
        ItemColumn(f"label:{field.name}", field.label, "label") for field in fields_of(kind) if field.how in SHORT
    ]
    names = metadata_names(member.project) if member.leads else []
    return [*FIXED, *labels, *(ItemColumn(f"metadata:{name}", name, "metadata") for name in names)]


def fields_of(kind: Kind) -> Sequence[Field]:
    """The fields of the kind's texts; none where people give opinions, because no item has one text."""
    if kind.opinions:
        return ()
    if kind.defined:
        return kind.fields(kind.read_facts(kind.example_facts()))
    row = json.loads(kind.sample.partition("\n")[0])
    return kind.fields(kind.read_facts(kind.read_row(row).facts))


def metadata_names(project: Project) -> list[str]:
    """The columns that only leads see, of the first items alone: to look for one could read them all."""
    first_items = Item.objects.filter(project=project).order_by("id").values_list("metadata", flat=True)[:LOOKED_AT]
    names = {name: None for metadata in first_items if isinstance(metadata, Mapping) for name in metadata}
    return list(names)[:MOST]


def chosen(columns: Sequence[ItemColumn], member: Member) -> list[ItemColumn]:
    """Those of these columns that the member has chosen; the default ones if they have chosen none."""
    names = set(member.item_columns) or DEFAULT
    return [column for column in columns if column.name in names]


def choose_columns(member: Member, names: Iterable[str]) -> None:
    """Remember the columns for this person in this project; unknown names are left out, none means the default."""
    wanted = set(names)
    known = [column.name for column in columns_of(member) if column.name in wanted]
    Member.objects.filter(pk=member.pk).update(item_columns=[] if set(known) == DEFAULT else known)


def values_of(items: Sequence[Item], columns: Sequence[ItemColumn], member: Member) -> dict[int, list[str]]:
    """item id -> the values of the columns with a source, in the items' current texts and metadata; "" for none.

    One query for each source that is shown. Only leads see the labels of checks.
    """
    columns = [column for column in columns if column.source]
    sources = {column.source for column in columns}
    drafts = _drafts(items, member) if "label" in sources else {}
    metadata = _metadata(items) if "metadata" in sources else {}
    show = member.project.kind.shown

    def value(column: ItemColumn, item: Item) -> str:
        if column.source == "metadata":
            return _in_cell(metadata.get(item.pk, {}).get(column.part))
        text = drafts.get(item.pk, {}).get(column.part)
        return ", ".join(show(column.part, text).splitlines()) if text is not None else ""

    return {item.pk: [value(column, item) for column in columns] for item in items} if columns else {}


def _drafts(items: Sequence[Item], member: Member) -> dict[int, dict[str, Any]]:
    readable = [item for item in items if item.purpose == Item.Purpose.WORK or member.leads]
    bases = [item.base_id for item in readable if item.base_id]
    texts = Annotation.objects.shown_to(member.user).filter(pk__in=bases)
    return dict(texts.values_list("item_id", "draft"))


def _metadata(items: Sequence[Item]) -> dict[int, dict[str, Any]]:
    rows = Item.objects.filter(pk__in=[item.pk for item in items], metadata__isnull=False)
    return {pk: metadata or {} for pk, metadata in rows.values_list("pk", "metadata")}


def _in_cell(value: Any) -> str:
    text = "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
