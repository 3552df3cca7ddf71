"""Public MQM ratings of translations: tab-separated, a line for each error that a rater marked in a segment.

Source of the shape: google/wmt-mqm-human-evaluation, and Marot in google-research, which writes such files. The marked
words stand between `<v>` and `</v>` in the source or the target. A rater without errors has one line `No-error`. Some
files put cells with quotes into quotes, others do not.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.utils.translation import gettext_lazy

from annotate.formats.csv_table import CsvLines, cell_fault, records
from annotate.formats.format import Format
from annotate.formats.jsonl import JsonLines
from annotate.formats.rows import ImportRow, Problem
from annotate.formats.source import Source, Unreadable
from annotate.kinds.questions.definition import Definition
from annotate.kinds.questions.types.spans import Spans
from lib.texts.stored_sentences import say as _

SIDES = ("target", "source")
NEEDED = ("system", "doc", "rater", *SIDES, "category", "severity")
SEGMENTS = ("globalSegId", "global_seg_id", "seg_id", "docSegId", "doc_seg_id")  # the first with a value other than 0
NO_ERROR = "no-error"
ATTENTION = "HOTW-test"  # severity of lines that say whether a rater found an error that was put in to test them
MARK = re.compile("</?v>")
SEVERITY = "severity"
Warnings = list[tuple[str, str]]


@dataclass(frozen=True)
class MqmLine:
    """One line of the file: its number, and its cells by the names of their columns."""

    number: int
    cells: Mapping[str, str]

    @property
    def segment(self) -> str:
        """The number of the segment; files of one numbering have 0 in the other."""
        return next((cell for name in SEGMENTS if (cell := self.cells.get(name, "")) not in ("", "0")), "0")

    @property
    def key(self) -> str:
        return f"{self.cells['doc']}/{self.segment}/{self.cells['system']}"

    @property
    def rating(self) -> tuple[str, str]:
        return self.key, self.cells["rater"]

    def plain(self, side: str) -> str:
        return MARK.sub("", self.cells[side])


class Mqm(Format):
    slug = "mqm"
    name = gettext_lazy("MQM ratings, as published for WMT")
    kinds = frozenset({"form"})

    def __init__(self, question: str = "errors") -> None:
        self.question = question

    def for_definition(self, definition: Definition | None) -> "Mqm":
        """With the name of the question that has the errors: spans on the target, with a severity."""
        for question in definition.questions if definition else ():
            if isinstance(question, Spans) and "target" in question.on and SEVERITY in question.attributes:
                return Mqm(question.name)
        return self

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[ImportRow | Problem]:
        """One row for each segment of a system, as it stands where it occurs first; JSON lines are rows already."""
        if source.first_character() == b"{":
            yield from JsonLines().rows(source, {})
            return
        keys: set[str] = set()
        for line in _lines(source):
            if isinstance(line, Problem):
                yield line
            elif line.key not in keys:
                keys.add(line.key)
                texts = {"source": line.plain("source"), "target": line.plain("target")}
                about = {name: line.cells[name] for name in ("system", "doc")}
                yield ImportRow(line.number, {"key": line.key, **texts, **about, "segment": line.segment})

    def rating_rows(self, source: Source, options: Mapping[str, str]) -> Iterator[ImportRow | Problem]:
        """One row for each rater of a segment, with the texts that they saw and their errors; no error is []."""
        for rating, lines in groupby(
            _lines(source), key=lambda line: line.rating if isinstance(line, MqmLine) else None
        ):
            if rating is None:
                yield from (line for line in lines if isinstance(line, Problem))
            else:
                yield self._rating([line for line in lines if isinstance(line, MqmLine)])

    def _rating(self, lines: Sequence[MqmLine]) -> ImportRow:
        first = lines[0]
        warnings: Warnings = []
        errors = [error for line in lines if (error := _error(line, warnings)) is not None]
        texts = {side: first.plain(side) for side in SIDES}
        key, rater = first.rating
        return ImportRow(first.number, {"key": key, "rater": rater, **texts, self.question: errors}, warnings)


def _lines(source: Source) -> Iterator[MqmLine | Problem]:
    with source.opened() as content:
        table_rows = records(source, CsvLines(content, source.limits.line_bytes), "\t", quoted=False)
        names = _header(next(table_rows, None))
        for record in table_rows:
            yield record if isinstance(record, Problem) else _line(source, names, *record)


def _header(record: tuple[int, list[str]] | Problem | None) -> list[str]:
    """The names of the columns. Raises Unreadable if one is missing."""
    names = [] if record is None or isinstance(record, Problem) else [name.strip() for name in record[1]]
    missing = [name for name in NEEDED if name not in names]
    if not missing and not set(SEGMENTS) & set(names):
        missing = [SEGMENTS[0]]
    if missing:
        message = _("The first line must name the columns; missing: %(names)s. Is this a file of MQM ratings?")
        raise Unreadable(message % {"names": ", ".join(missing)})
    return names


def _line(source: Source, names: Sequence[str], number: int, cells: Sequence[str]) -> MqmLine | Problem:
    by_name = dict(zip(names, map(_unquoted, cells), strict=False))
    for name in NEEDED:
        if not by_name.get(name):
            message = _("is empty. Each line names system, document, rater, texts, category and severity.")
            return Problem(source.name, number, name, message)
        if fault := cell_fault(by_name[name]):
            return Problem(source.name, number, name, fault)
    return MqmLine(number, by_name)


def _unquoted(cell: str) -> str:
    """The cell without the quotes that a program put around it because there are quotes in it, which it doubled."""
    inner = cell[1:-1] if len(cell) > 3 and cell[0] == cell[-1] == '"' else ""
    return inner.replace('""', '"') if '""' in inner and '"' not in inner.replace('""', "") else cell


def _error(line: MqmLine, warnings: Warnings) -> dict[str, Any] | None:
    """The span of an error; None where the line says that there is none, or is about an attention test."""
    category, severity = line.cells["category"], line.cells[SEVERITY]
    if severity == ATTENTION:
        message = _("line %(line)d says of an attention test “%(category)s”, which is no error; it is left out.")
        warnings.append(("category", message % {"line": line.number, "category": category}))
        return None
    if category.lower() == NO_ERROR:
        return None
    return {**_place(line, warnings), "label": category, SEVERITY: severity}


def _place(line: MqmLine, warnings: Warnings) -> dict[str, Any]:
    """From the first to the last mark in the target, else in the source; the whole target where nothing is marked."""
    side = next((side for side in SIDES if MARK.search(line.cells[side])), "")
    text = line.plain(side or SIDES[0])
    start, end, marks = _marked(line.cells[side]) if side else (0, len(text), 1)
    if not side:
        message = _("the error in line %(line)d has no mark; the whole translation is marked.")
        warnings.append((SIDES[0], message % {"line": line.number}))
    elif marks > 1:
        message = _("the error in line %(line)d has %(n)d marks; one span from the first to the last is kept.")
        warnings.append((side, message % {"line": line.number, "n": marks}))
    if side == SIDES[0] and MARK.search(line.cells["source"]):
        message = _("the error in line %(line)d is marked in both texts; the mark in the source is left out.")
        warnings.append(("source", message % {"line": line.number}))
    return {"field": side or SIDES[0], "start": start, "end": end, "text": text[start:end]}


def _marked(cell: str) -> tuple[int, int, int]:
    """(start, end, number of marks) in code points of the text without marks."""
    before, places = 0, []
    for mark in MARK.finditer(cell):
        places.append(mark.start() - before)
        before += len(mark[0])
    return places[0], places[-1], max(1, len(places) // 2)


FORMAT = Mqm()
