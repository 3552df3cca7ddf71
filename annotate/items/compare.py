"""Comparison of drafts, field by field and, for checklists, row by row. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import Any

from django.utils.safestring import SafeString

from annotate.kinds.contract import Kind
from annotate.kinds.values import Field
from lib.texts.differences import TextDifference, difference, difference_html, pieces_html, split

ALIKE = 0.5  # minimum share of common characters for a rewritten question to count as the same one
LONG = 4000  # longer questions are not compared for similarity


@dataclass(frozen=True)
class RowChange:
    """One row before and after. how: same | changed | moved | added | removed; places count from 1."""

    how: str
    old: str
    new: str
    old_weight: Any = None
    new_weight: Any = None
    old_place: int | None = None
    new_place: int | None = None

    @property
    def html(self) -> SafeString:
        return difference_html(difference(self.old, self.new))

    @property
    def reweighted(self) -> bool:
        return self.old_weight != self.new_weight

    @property
    def differs(self) -> bool:
        return self.how != "same"


def changed_rows(old: Sequence[Any], new: Sequence[Any]) -> list[RowChange]:
    """The rows of the new checklist in its order, each with the old row that it came from; removed rows last.

    Rows are [question, weight] pairs or bare questions.
    """
    old_rows, new_rows = [_key_and_rest(row) for row in old], [_key_and_rest(row) for row in new]
    origin = _origins([question for question, _ in old_rows], [question for question, _ in new_rows])
    changes = [_row(old_rows, new_rows, index, origin[index]) for index in range(len(new_rows))]
    removed_indexes = sorted(set(range(len(old_rows))) - set(origin))
    return changes + [
        RowChange("removed", old_rows[index][0], "", old_weight=old_rows[index][1], old_place=index + 1)
        for index in removed_indexes
    ]


def _key_and_rest(row: Any) -> tuple[str, Any]:
    if isinstance(row, list) and len(row) == 2:
        return str(row[0]), row[1]
    return str(row), None


def _row(old_rows: list[tuple[str, Any]], new_rows: list[tuple[str, Any]], index: int, origin: int | None) -> RowChange:
    question, weight = new_rows[index]
    if origin is None:
        return RowChange("added", "", question, new_weight=weight, new_place=index + 1)
    old_question, old_weight = old_rows[origin]
    how = "same" if index == origin else "moved"
    if (old_question, old_weight) != (question, weight):
        how = "changed"
    return RowChange(how, old_question, question, old_weight, weight, origin + 1, index + 1)


def _origins(old: list[str], new: list[str]) -> list[int | None]:
    """For each new question the index of the old one it came from: the same text first, then the most similar."""
    free = list(range(len(old)))
    origin: list[int | None] = [None] * len(new)
    for index, question in enumerate(new):
        same = [old_index for old_index in free if old[old_index] == question]
        if same:
            nearest = min(same, key=lambda old_index: abs(old_index - index))
            origin[index] = nearest
            free.remove(nearest)
    for index, question in enumerate(new):
        if origin[index] is None:
            origin[index] = _most_alike(question, old, free)
            free = [old_index for old_index in free if old_index != origin[index]]
    return origin


def _most_alike(question: str, old: list[str], free: list[int]) -> int | None:
    scored = [(_likeness(old[old_index], question), -old_index) for old_index in free]
    best, negative_index = max(scored, default=(0.0, 0))
    return -negative_index if best >= ALIKE else None


def _likeness(left: str, right: str) -> float:
    if max(len(left), len(right)) > LONG:
        return 0.0
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= ALIKE else 0.0


# Versions of a draft: what changed between them, field by field.


BLANK: tuple[Any, ...] = (None, "", [])


def same_value(old: Any, new: Any) -> bool:
    """Whether two values are the same; a missing value, an empty text and an empty list are equal."""
    return old == new or (old in BLANK and new in BLANK)


def same_in(field: Field, old: Any, new: Any) -> bool:
    """The same for the values of a field: no spans at all is an answer, and differs from none given."""
    return old == new if field.how == "spans" else same_value(old, new)


def changed_fields(fields: Iterable[Field], old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """The names of the fields in which two drafts differ, in the order of the form."""
    return [field.name for field in fields if not same_in(field, old.get(field.name), new.get(field.name))]


def ordered_as(fields: Iterable[Field], draft: Mapping[str, Any], old_draft: Mapping[str, Any]) -> dict[str, Any]:
    """The draft with its lists of choices in their previous order.

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
    """A draft and its author. who: machine | person."""

    draft: Mapping[str, Any]
    label: str
    who: str = "person"


@dataclass(frozen=True)
class VersionStep:
    """One field in one version, compared with the version before it (None if it is the first)."""

    field: Field
    version: Version
    before: Version | None
    kind: Kind

    @property
    def value(self) -> Any:
        return self.version.draft.get(self.field.name)

    @property
    def changed(self) -> bool:
        return self.before is not None and not same_in(self.field, self.before.draft.get(self.field.name), self.value)

    @property
    def text(self) -> str:
        return self.kind.shown(self.field.name, self.value)

    @property
    def text_before(self) -> str:
        return self.kind.shown(self.field.name, self.before.draft.get(self.field.name)) if self.before else ""

    @cached_property
    def difference(self) -> TextDifference:
        return difference(self.text_before, self.text)

    @property
    def html(self) -> SafeString:
        """The new text with additions and deletions marked."""
        return difference_html(self.difference)

    @property
    def html_before(self) -> SafeString:
        """The old text alone, with deletions marked."""
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
        """For checklists: the rows of both versions, each next to the one that it came from."""
        old = self.before.draft.get(self.field.name) if self.before else None
        return changed_rows(old or [], self.value or [])

    @property
    def weighted(self) -> bool:
        return any(row.old_weight is not None or row.new_weight is not None for row in self.rows)


@dataclass(frozen=True)
class FieldVersions:
    """One field through all versions, oldest first."""

    field: Field
    steps: Sequence[VersionStep]

    @property
    def changed(self) -> bool:
        return any(step.changed for step in self.steps)

    @property
    def last(self) -> VersionStep:
        return self.steps[-1]

    @property
    def text(self) -> str:
        return self.last.text

    @property
    def blank(self) -> bool:
        return all(step.value in BLANK for step in self.steps)


def compare(kind: Kind, fields: Sequence[Field], versions: Sequence[Version]) -> list[FieldVersions]:
    """Every field through all versions; differences are computed when they are displayed."""
    pairs = list(zip([None, *versions], versions, strict=False))
    return [
        FieldVersions(field, [VersionStep(field, version, previous, kind) for previous, version in pairs])
        for field in fields
    ]
