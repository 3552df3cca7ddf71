"""What changed between versions of a draft, field by field. Pure: it compares, and asks nobody."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.safestring import SafeString

from annotate.kinds.base import Kind
from annotate.kinds.values import Field
from annotate.services.comparing.rows import RowChange, changed_rows
from lib.texts.differences import Difference, difference, split
from lib.texts.render import difference_html, pieces_html

BLANK: tuple[Any, ...] = (None, "", [])


def same_value(old: Any, new: Any) -> bool:
    """Whether two values say the same; an absent one, an empty text and an empty list all say nothing."""
    return old == new or (old in BLANK and new in BLANK)


def changed_fields(fields: Iterable[Field], old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """The names of the fields in which two drafts differ, in the order of the form."""
    return [field.name for field in fields if not same_value(old.get(field.name), new.get(field.name))]


def ordered_as(fields: Iterable[Field], draft: Mapping[str, Any], old_draft: Mapping[str, Any]) -> dict[str, Any]:
    """The draft with its lists of choices in the order that they had before.

    A form posts them in the order in which it shows them; that alone must not look like a change.
    """
    choices = {field.name for field in fields if field.how == "choices"}
    return {name: _ordered(value, old_draft.get(name)) if name in choices else value for name, value in draft.items()}


def _ordered(values: Any, old_values: Any) -> Any:
    if not isinstance(values, list) or not isinstance(old_values, list):
        return values
    return [choice for choice in old_values if choice in values] + [
        choice for choice in values if choice not in old_values
    ]


def _list(value: Any) -> list[str]:
    return [str(choice) for choice in value] if isinstance(value, list) else [str(value)] if value else []


@dataclass(frozen=True)
class Version:
    """A draft with whoever stands behind it. who: machine | person."""

    draft: Mapping[str, Any]
    label: str
    who: str = "person"


@dataclass(frozen=True)
class Step:
    """One field in one version, beside the version before it (None where it is the first)."""

    field: Field
    version: Version
    before: Version | None
    kind: Kind

    @property
    def value(self) -> Any:
        return self.version.draft.get(self.field.name)

    @property
    def changed(self) -> bool:
        return self.before is not None and not same_value(self.before.draft.get(self.field.name), self.value)

    @property
    def text(self) -> str:
        return self.kind.shown(self.field.name, self.value)

    @property
    def text_before(self) -> str:
        return self.kind.shown(self.field.name, self.before.draft.get(self.field.name)) if self.before else ""

    @cached_property
    def difference(self) -> Difference:
        return difference(self.text_before, self.text)

    @property
    def html(self) -> SafeString:
        """The new text with what was added and taken away."""
        return difference_html(self.difference)

    @property
    def html_before(self) -> SafeString:
        """The old text alone, with what was taken away marked."""
        return pieces_html(split(self.difference)[0])

    @property
    def html_after(self) -> SafeString:
        return pieces_html(split(self.difference)[1])

    @property
    def choices(self) -> list[tuple[str, str]]:
        """For lists of choices: (same | removed | added, value), old ones first."""
        old = _list(self.before.draft.get(self.field.name) if self.before else None)
        new = _list(self.value)
        stayed = [("same" if choice in new else "removed", choice) for choice in old]
        return stayed + [("added", choice) for choice in new if choice not in old]

    @cached_property
    def rows(self) -> list[RowChange]:
        """For checklists: the rows of both versions, each beside the one that it came from."""
        old = self.before.draft.get(self.field.name) if self.before else None
        return changed_rows(old or [], self.value or [])

    @property
    def weighted(self) -> bool:
        return any(row.old_weight is not None or row.new_weight is not None for row in self.rows)


@dataclass(frozen=True)
class Compared:
    """One field through all versions, oldest first."""

    field: Field
    steps: Sequence[Step]

    @property
    def changed(self) -> bool:
        return any(step.changed for step in self.steps)

    @property
    def last(self) -> Step:
        return self.steps[-1]

    @property
    def text(self) -> str:
        return self.last.text

    @property
    def blank(self) -> bool:
        return all(step.value in BLANK for step in self.steps)

    @property
    def one_line(self) -> bool:
        """Whether the values are short by nature: shown in a row instead of under each other."""
        return self.field.how in ("choice", "choices", "flag")


def compare(kind: Kind, fields: Sequence[Field], versions: Sequence[Version]) -> list[Compared]:
    """Every field through all versions; differences are made when they are looked at."""
    pairs = list(zip([None, *versions], versions, strict=False))
    return [Compared(field, [Step(field, version, previous, kind) for previous, version in pairs]) for field in fields]
