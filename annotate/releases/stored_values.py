"""Items and their texts as plain values, read for a whole chunk at once: model instances took half of a release's time.

JSON is parsed when it is needed, and times stay text: of most annotations neither is looked at.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple, Self

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from annotate.bulk_rows import fetched
from annotate.models import Annotation, Slot, User
from annotate.models.items import ItemQuerySet


@lru_cache(maxsize=64)
def _parsed(text: str) -> Any:
    """The parsed JSON, one object for equal texts: a text that nobody changed is the suggestion itself. Read only."""
    return _decoded(text)[0]


_decoded = json.JSONDecoder().raw_decode  # what a database gives begins with its value


def _as_text(name: str) -> Cast:
    return Cast(name, TextField())


def _fetched(rows: QuerySet[Any, Any]) -> list[tuple[Any, ...]]:
    """The rows as the database gives them: none of these columns needs the conversions of its field."""
    return fetched(*rows.query.sql_with_params())


class ReleasedItem(NamedTuple):
    """An item as its row in a release needs it. file_name: of its import; None where it was not imported."""

    pk: int
    key: str
    state: str
    round: int
    group: str
    language: str
    base_id: int | None
    schema: int
    file_name: str | None
    facts_as_text: str
    metadata_as_text: str | None

    @classmethod
    def read(cls, items: ItemQuerySet) -> list[Self]:
        columns = "pk", "key", "state", "round", "group", "language", "base_id", "schema", "batch__file_name"
        return list(map(cls._make, _fetched(items.values_list(*columns, _as_text("facts"), _as_text("metadata")))))

    @property
    def facts(self) -> dict[str, Any]:
        return dict(_decoded(self.facts_as_text)[0])

    @property
    def metadata(self) -> dict[str, Any] | None:
        """None also where the JSON null is stored."""
        return _decoded(self.metadata_as_text)[0] or None if self.metadata_as_text else None


class StoredSlot(NamedTuple):
    stage: str
    round: int
    about_id: int | None


class StoredText(NamedTuple):
    """An annotation with its slot; the attributes are those of the model. author: the person's name, or empty.

    created_at, submitted_at: as text, in an order that is the order of time.
    """

    pk: int
    item_id: int
    author_id: int | None
    rater: str
    model: str
    simulated: bool
    prompt_version: str
    schema: int
    picked: int | None
    outcome: str
    authored: bool
    unchanged: bool
    guideline_version: int | None
    suggestion_id: int | None
    slot_id: int | None
    draft_as_text: str
    candidates_as_text: str
    created_at: str
    submitted_at: str | None
    author: str
    slot: StoredSlot | None

    @property
    def draft(self) -> dict[str, Any]:
        return _parsed(self.draft_as_text)

    @property
    def candidates(self) -> list[dict[str, Any]]:
        return _parsed(self.candidates_as_text)

    @property
    def by_machine(self) -> bool:
        return self.model != ""

    @property
    def by(self) -> str:
        return self.author or self.rater or self.model

    @property
    def handed_in(self) -> bool:
        """Whether it is no draft of a person."""
        return self.author_id is None or self.submitted_at is not None

    @property
    def at(self) -> str | None:
        """When it was submitted, in ISO 8601 to the second."""
        return _to_the_second(self.submitted_at) if self.submitted_at else None


@lru_cache(maxsize=64)
def _to_the_second(time_as_text: str) -> str:
    """All suggestions of a part of an import have the same time."""
    time = datetime.fromisoformat(time_as_text)
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).isoformat(timespec="seconds")


COLUMNS = (
    "pk", "item_id", "author_id", "rater", "model", "simulated", "prompt_version", "schema", "picked", "outcome",
    "authored", "unchanged", "guideline_version", "suggestion_id", "slot_id",
)  # fmt: skip
AUTHOR, SLOT = COLUMNS.index("author_id"), COLUMNS.index("slot_id")
AS_TEXT = "draft", "candidates", "created_at", "submitted_at"


def stored_texts(items: Collection[int]) -> dict[int, list[StoredText]]:
    """item id -> all its annotations in the order in which they were begun; items without any are missing."""
    texts = Annotation.objects.filter(item__in=items).values_list(*COLUMNS, *map(_as_text, AS_TEXT))
    rows = sorted(_fetched(texts))
    names, slots = _names({row[AUTHOR] for row in rows}), _slots({row[SLOT] for row in rows})
    texts_by_item: dict[int, list[StoredText]] = {}
    for row in rows:
        text = StoredText._make((*row, names.get(row[AUTHOR], ""), slots.get(row[SLOT])))
        texts_by_item.setdefault(text.item_id, []).append(text)
    return texts_by_item


def _names(people: Iterable[int | None]) -> Mapping[int | None, str]:
    return {pk: str(user) for pk, user in User.objects.in_bulk([pk for pk in people if pk]).items()}


def _slots(ids: Iterable[int | None]) -> Mapping[int | None, StoredSlot]:
    """In a query of their own: joined to their texts, PostgreSQL reads all slots of the installation."""
    stored = Slot.objects.filter(pk__in=[pk for pk in ids if pk]).values_list("pk", "stage", "round", "about_id")
    return {pk: StoredSlot._make(values) for pk, *values in stored}
