"""Rows of a file of answers, read and checked; nothing is looked up."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationError

from annotate.formats.base import Format
from annotate.formats.json_array import JsonArray
from annotate.formats.jsonl import JsonLines
from annotate.formats.rows import Problem, Row
from annotate.formats.source import Source
from annotate.kinds.shapes import Shape, faults
from judging.models import Author
from lib.texts.said import say as _

MOST_SAMPLES = 1000
IGNORED = "provenance"  # as in files of items: whatever somebody notes about a row


class AnswerFormat(Format):
    """One JSON object a line, or a JSON array of them: the first character says which."""

    slug = "answers"
    name = "answers"

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[Row | Problem]:
        shape = JsonArray() if source.first_character() == b"[" else JsonLines()
        yield from shape.rows(source, {})


FORMAT = AnswerFormat()


def _said(text: str) -> str:
    if not text.strip():
        raise ValueError(_("is empty. Leave the row out where nobody has answered."))
    return text


def _sort(word: str) -> str:
    if word not in Author.Sort.values:
        raise ValueError(_("must be one of: %(sorts)s.") % {"sorts": ", ".join(Author.Sort.values)})
    return word


def _length(most: int) -> AfterValidator:
    def checked(text: str) -> str:
        if len(text) > most:
            raise ValueError(_("is longer than %(most)s characters.") % {"most": most})
        return text

    return AfterValidator(checked)


def one_line(text: str) -> str:
    """The name of an author without space around it. Raises ValueError where it cannot be shown in one line."""
    text = text.strip()
    if not text:
        raise ValueError(_("must not be empty."))
    if not text.isprintable():
        raise ValueError(_("holds characters that cannot be printed. Write the name in one line of plain text."))
    return text


def _sample(number: int) -> int:
    if not 1 <= number <= MOST_SAMPLES:
        raise ValueError(_("must be a number from 1 to %(most)s.") % {"most": MOST_SAMPLES})
    return number


Word = Annotated[str, _length(80), AfterValidator(lambda text: one_line(text) if text.strip() else "")]


class AnswerRow(Shape):
    """One answer as a file says it. The last three are of the author, and used where it is new here."""

    key: str
    author: Annotated[str, AfterValidator(one_line), _length(120)]
    text: Annotated[str, AfterValidator(_said)]
    sample: Annotated[int, AfterValidator(_sample)] = 1
    sort: Annotated[str, AfterValidator(_sort)] = Author.Sort.MODEL.value
    family: Word = ""
    provider: Word = ""
    provenance: Any = Field(default=None, exclude=True)


@dataclass(frozen=True)
class Read:
    """A row with where it stood."""

    line: int
    row: AnswerRow


def read(row: Row, file: str) -> Read | list[Problem]:
    """The row, or everything that is wrong with it."""
    try:
        return Read(row.line, AnswerRow.model_validate(row.value))
    except ValidationError as error:
        return [Problem(file, row.line, fault.path, fault.message) for fault in faults(error)]
