"""Which row of one checklist became which row of another, and how."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from django.utils.safestring import SafeString

from lib.texts.differences import difference
from lib.texts.render import difference_html

ALIKE = 0.5  # share of common characters from which a rewritten question still counts as the same one
LONG = 4000  # longer questions are not searched for likeness


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
    """The rows of the new checklist in its order, each with the old row that it came from; removed ones last.

    Rows are [question, weight] pairs or bare questions.
    """
    old_rows, new_rows = [_taken_apart(row) for row in old], [_taken_apart(row) for row in new]
    origin = _origins([question for question, _ in old_rows], [question for question, _ in new_rows])
    changes = [_row(old_rows, new_rows, index, origin[index]) for index in range(len(new_rows))]
    removed_indexes = sorted(set(range(len(old_rows))) - set(origin))
    return changes + [
        RowChange("removed", old_rows[index][0], "", old_weight=old_rows[index][1], old_place=index + 1)
        for index in removed_indexes
    ]


def _taken_apart(row: Any) -> tuple[str, Any]:
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
    """For each new question the place of the old one it came from: the same text first, then the most alike."""
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
