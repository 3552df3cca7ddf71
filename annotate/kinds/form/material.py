"""The material of a form: which values its columns can have, in what order and under which letters it is shown."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import factorial
from string import ascii_uppercase
from typing import Any

from annotate.kinds.form.chat import ShownTurn, shown_turns
from annotate.kinds.questions.definition import NAMES_FILES, Definition, Shown
from annotate.kinds.questions.transcripts import transcript_faults, turns_of
from lib.media.file_names import BadName, clean_name, short_name
from lib.texts.stored_sentences import say as _

Columns = Mapping[str, Any]
TEXTUAL = {"markdown", "text", "code", "diff"}
MOST_ROWS = 500  # of a table, and texts of a list, that are shown


def is_text(definition: Definition, column: str) -> bool:
    """Whether a column is shown as one text."""
    return any(column in entry.columns and entry.shown_as in TEXTUAL for entry in definition.show)


def column_faults(definition: Definition, columns: Columns) -> Iterator[tuple[str, str]]:
    """(column, message) of every value that cannot be shown, of missing columns, and of those that nobody shows."""
    for column in definition.columns:
        if column not in columns and column not in definition.optional_columns:
            yield column, _("is missing; the definition shows this column.")
    for entry in definition.show:
        for column in entry.columns:
            if column in columns:
                yield from ((column + place, message) for place, message in _faults(entry, column, columns[column]))
    for question in definition.questions:
        yield from question.column_faults(columns)
    for column in columns:
        if column not in definition.columns:
            yield column, _("is not shown by the definition of this project.")


def _faults(entry: Shown, column: str, value: Any) -> Iterator[tuple[str, str]]:
    """(place in the value, message)"""
    if entry.shown_as == "chat":
        yield from transcript_faults(value)
    elif entry.shown_as in NAMES_FILES and column == entry.field:
        yield from (("", message) for message in _name_faults(value))
    elif message := _fault(entry, value):
        yield "", message


def _fault(entry: Shown, value: Any) -> str:
    if entry.shown_as in {*TEXTUAL, "image"} and not isinstance(value, str | int | float):
        return _("must be text or a number.")
    if entry.shown_as == "texts" and not _is_list_of(value, str | Mapping):
        return _("must be a list of texts, or of objects with `title` and `text`.")
    if entry.shown_as == "table" and not _is_list_of(value, list | Mapping):
        return _("must be a list of rows, each a list or an object.")
    return ""


def _name_faults(value: Any) -> Iterator[str]:
    if not isinstance(value, str):
        yield _("must be the name of a file, as text.")
        return
    try:
        clean_name(value)
    except BadName as bad:
        yield str(bad)


def _is_list_of(value: Any, kinds: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, kinds) for part in value)


def with_clean_names(definition: Definition, columns: Columns) -> dict[str, Any]:
    """The columns with names of files in the form in which files are stored."""
    file_columns = {name for name in definition.columns_shown_as(*NAMES_FILES) if name in columns}
    return {name: clean_name(value) if name in file_columns else value for name, value in columns.items()}


def file_names(definition: Definition, columns: Columns) -> list[str]:
    """The last parts of the names of files, without those that questions compare."""
    names = [name for name in definition.columns_shown_as(*NAMES_FILES) if name not in definition.dealt]
    return [short_name(columns[name]) for name in names if name in columns]


def example_columns(definition: Definition) -> dict[str, Any]:
    """A value for each column that says which column it is."""
    values: dict[str, Any] = {}
    for entry in definition.show:
        text = _("(the column %(name)s)") % {"name": entry.field}
        chat = [{"role": "user", "content": text}]
        values[entry.field] = {"texts": [text], "table": [{entry.field: text}], "chat": chat}.get(entry.shown_as, text)
        for other in entry.columns[1:]:
            values[other] = _("(the column %(name)s)") % {"name": other}
    for question in definition.questions:
        values |= question.example_columns()
    return values


@dataclass(frozen=True)
class Part:
    """One part of the material as a person sees it.

    column: whose value it shows; marked: whether a question is about spans of its text. shown_as: as in the
    definition. letter: of a column that questions compare, "" of others; label: what it is called for everybody, such
    as Text 1. text: of one text; older: of a difference; texts: (title, text) of a list;
    head, rows: of a table, whose cells are texts. left_out: how many rows or texts are not shown. turns: of a
    transcript. alt: what an image shows, in words; "" if no column says it. number: from 1, in the order of the page.
    """

    column: str
    shown_as: str
    heading: str
    marked: bool = False
    letter: str = ""
    label: str = ""
    text: str = ""
    older: str = ""
    language: str = ""
    texts: Sequence[tuple[str, str]] = ()
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    left_out: int = 0
    turns: Sequence[ShownTurn] = ()
    alt: str = ""
    number: int = 0

    @property
    def names_a_file(self) -> bool:
        return self.shown_as in NAMES_FILES

    @property
    def is_image(self) -> bool:
        return self.shown_as == "image"

    @property
    def file_names(self) -> list[str]:
        """The names of the stored files that it shows."""
        in_turns = [file.file for turn in self.turns for file in turn.attachments if file.file]
        return [self.text] if self.names_a_file else in_turns


def shown_parts(definition: Definition, columns: Columns, order: Sequence[str]) -> list[Part]:
    """The parts in order. order: of the compared columns, whose places in the definition they take in turn.

    A part without a value, which must be optional, is left out.
    """
    by_column = {entry.field: entry for entry in definition.show}
    dealt = iter(order)
    parts: list[Part] = []
    for entry in definition.show:
        column = next(dealt, entry.field) if entry.field in definition.dealt else entry.field
        if column in columns:
            letter = ascii_uppercase[order.index(column)] if column in order else ""
            label = definition.column_name(column) if letter else ""
            part = _part(by_column.get(column, entry), columns, letter, label)
            parts.append(replace(part, marked=column in definition.marked, number=len(parts) + 1))
    return parts


def _part(entry: Shown, columns: Columns, letter: str, label: str) -> Part:
    value = columns[entry.field]
    alike: dict[str, Any] = {"column": entry.field, "shown_as": entry.shown_as, "heading": entry.heading()}
    alike |= {"letter": letter, "label": label}
    match entry.shown_as:
        case "texts":
            texts = [_titled(part) for part in value]
            return Part(**alike, texts=texts[:MOST_ROWS], left_out=max(0, len(texts) - MOST_ROWS))
        case "table":
            head, rows = _table(value)
            return Part(**alike, head=head, rows=rows[:MOST_ROWS], left_out=max(0, len(rows) - MOST_ROWS))
        case "chat":
            return Part(**alike, turns=shown_turns(value, entry.field, letter))
        case "json":
            return Part(**alike, text=json.dumps(value, ensure_ascii=False, indent=2))
        case "image":
            return Part(**alike, text=str(value), alt=str(columns.get(entry.alt or "", "")))
        case "diff":
            return Part(**alike, text=str(value), older=str(columns.get(entry.against or "", "")))
    return Part(**alike, text=str(value), language=entry.language or "")


def first_said(definition: Definition, columns: Columns) -> str:
    """The first text of the first transcript, a user's if there is any; "" without one."""
    turns = turns_of(next((columns[name] for name in definition.chat_columns if name in columns), None))
    texts = [turn for turn in turns if turn.text]
    return next((turn.text for turn in texts if turn.role == "user"), texts[0].text if texts else "")


def _titled(part: Any) -> tuple[str, str]:
    if isinstance(part, Mapping):
        return str(part.get("title") or ""), str(part.get("text") or "")
    return "", str(part)


def _table(rows: Sequence[Any]) -> tuple[list[str], list[list[str]]]:
    """Objects name their columns; of lists, the first one does."""
    if rows and isinstance(rows[0], Mapping):
        head = list(dict.fromkeys(name for row in rows if isinstance(row, Mapping) for name in row))
        return head, [[_cell(row.get(name)) for name in head] for row in rows if isinstance(row, Mapping)]
    cells = [[_cell(cell) for cell in row] for row in rows if isinstance(row, list)]
    return (cells[0], cells[1:]) if cells else ([], [])


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def permutation(columns: Sequence[str], deal: int) -> list[str]:
    """One of the orders of these columns; each comes from equally many deals."""
    left, order = list(columns), []
    number = deal % factorial(len(left))
    while left:
        number, place = divmod(number, len(left))
        order.append(left.pop(place))
    return order
