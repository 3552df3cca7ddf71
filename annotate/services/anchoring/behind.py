"""The items behind a number of the anchoring meter."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotate.kinds.values import Field
from annotate.models import Item, Project
from annotate.services.anchoring import given_labels
from annotate.services.anchoring.texts import Text, read_texts

PAGE = 50


@dataclass(frozen=True)
class Behind:
    """One item with what was suggested in the field, and what was written."""

    item: Item
    suggested: str
    written: str


@dataclass(frozen=True)
class Page:
    """count: of all that fit; rows: from `start` on."""

    count: int
    rows: Sequence[Behind]
    start: int


def behind(
    project: Project, *, field: str, arm: str, kept: bool | None = None, label: str = "", start: int = 0
) -> Page:
    """The texts of one arm and field; kept: only those with the suggested value (True), or another one (False)."""
    fitting = [
        (text, text_field)
        for text in read_texts(project).texts
        for text_field in text.fields
        if text_field.name == field and text.arm == arm and _fits(text, text_field, kept, label)
    ]
    page_texts = fitting[start : start + PAGE]
    items = Item.objects.defer("facts").in_bulk({text.item for text, _one in page_texts})
    kind = project.kind
    rows = [
        Behind(items[text.item], kind.shown(field, text.suggested.get(field)), kind.shown(field, text.draft.get(field)))
        for text, _one in page_texts
    ]
    return Page(len(fitting), rows, start)


def _fits(text: Text, field: Field, was_kept: bool | None, label: str) -> bool:
    if label:
        return label in given_labels(field, text)
    return field.name in text.suggested and (was_kept is None or text.kept(field) == was_kept)
