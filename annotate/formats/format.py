"""What a format is: its options, how it reads and writes rows, and the base class."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from django.utils.functional import Promise

from annotate.formats.rows import Columns, ImportRow, ObservedValues, Out, Problem, printable
from annotate.formats.source import Limits, Source, Unreadable
from annotate.kinds.questions.definition import Definition
from lib.texts.stored_sentences import say as _

Rows = Iterator[ImportRow | Problem]
MOST_NAME = 120  # characters of an option that is a name


class BadOption(ValueError):
    """An unknown option, or a value that the option does not take; the text lists the choices."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option that a person sets when reading a file. choices: empty if any one-line name is allowed."""

    name: str
    label: str | Promise
    choices: tuple[str, ...]
    default: str


def complete(slug: str, choices: Sequence[Option], values: Mapping[str, str]) -> dict[str, str]:
    """The given values for these choices, and the defaults of the others. Raises BadOption."""
    options_by_name = {option.name: option for option in choices}
    for name, value in values.items():
        _refuse_unknown(slug, options_by_name, name, value)
    return {option.name: values.get(option.name, option.default) for option in choices}


def _refuse_unknown(slug: str, options_by_name: Mapping[str, Option], name: str, value: str) -> None:
    if not options_by_name:
        raise BadOption(_("The format %(format)s takes no options.") % {"format": slug})
    if name not in options_by_name:
        message = _("The format %(format)s has no option %(name)s. Its options: %(known)s.")
        raise BadOption(message % {"format": slug, "name": _quoted(name), "known": ", ".join(options_by_name)})
    if not options_by_name[name].choices:
        _refuse_no_name(name, value)
    elif value not in options_by_name[name].choices:
        message = _("The option %(name)s cannot be %(value)s. Choose one of: %(choices)s.")
        choices = ", ".join(options_by_name[name].choices)
        raise BadOption(message % {"name": name, "value": _quoted(value), "choices": choices})


def _refuse_no_name(option: str, value: str) -> None:
    if not value.isprintable() or len(value) > MOST_NAME:
        message = _("The option %(name)s must be a name in one line, of at most %(most)d characters.")
        raise BadOption(message % {"name": option, "most": MOST_NAME})


class Format(ABC):
    """One way in which rows stand in a file. Each module of a format sets `FORMAT` to an instance."""

    slug: ClassVar[str]
    name: ClassVar[str | Promise]
    kinds: ClassVar[frozenset[str]] = frozenset()  # slugs; empty: rows of every kind
    endings: ClassVar[tuple[str, ...]] = ()  # of file names, without a final ".gz"
    other_endings: ClassVar[tuple[str, ...]] = ()  # those that it reads where no format of the kind has them
    options: ClassVar[tuple[Option, ...]] = ()
    # For formats that can be written too: the ending of their files, the ending of an accompanying file ("": none), and
    # the parts of a native row that they cannot hold.
    written_as: ClassVar[str] = ""
    content_type: ClassVar[str] = "application/octet-stream"
    beside_as: ClassVar[str] = ""
    is_table: ClassVar[bool] = False  # whether it holds rows of any columns, not only those of a kind
    whole_rows: ClassVar[bool] = False  # whether it holds whole rows of a release, provenance too: `written_from`
    cannot_hold: ClassVar[tuple[str | Promise, ...]] = ()

    def for_definition(self, definition: Definition | None) -> "Format":
        """This format for rows of a project with this definition, for formats that read and write answers by it."""
        return self

    def rating_rows(self, source: Source, options: Mapping[str, str]) -> Iterator[ImportRow | Problem]:
        """Rows of ratings: with `key` and `rater`, one for each rater of an item. Raises Unreadable."""
        return self.rows(source, options)

    def written(self, rows: Iterable[Out], columns: Columns) -> Iterator[bytes]:
        """The file, in pieces, as rows are requested. columns: facts and draft fields of the kind, in order."""
        raise NotImplementedError  # a format with written_as says it

    def written_from(self, path: Path) -> Iterator[bytes]:
        """The file, in pieces, with the whole rows of the JSON lines at `path`; withdrawn rows are left out."""
        raise NotImplementedError  # a format with whole_rows says it

    def beside(self, summary: ObservedValues) -> bytes:
        """The accompanying file that a tool needs first, such as a configuration."""
        raise NotImplementedError  # a format with beside_as says it

    @abstractmethod
    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[ImportRow | Problem]:
        """Native rows and problems in file order; `options` are complete. Raises Unreadable."""

    def suits(self, kind: str) -> bool:
        return not self.kinds or kind in self.kinds

    def read(
        self,
        path: Path,
        *,
        name: str | None = None,
        options: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        ratings: bool = False,
    ) -> Iterator[ImportRow | Problem]:
        """Rows and problems of the file at `path`, read lazily.

        name: what people call the file, if not by its path. ratings: whether its rows are ratings, not items. Raises
        BadOption at once; every error of the file, including a missing file, is yielded as a Problem.
        """
        source = Source(Path(path), name or str(path), limits or Limits())
        read = self.rating_rows if ratings else self.rows
        return self._stream(source, read, self.complete(options or {}))

    def complete(self, options: Mapping[str, str]) -> dict[str, str]:
        """The given options and the defaults of the others. Raises BadOption."""
        return complete(self.slug, self.options, options)

    def _stream(
        self, source: Source, read: Callable[[Source, Mapping[str, str]], Rows], options: Mapping[str, str]
    ) -> Rows:
        is_empty = True
        try:
            for row in read(source, options):
                is_empty = False
                yield row
        except Unreadable as fault:
            yield Problem(source.name, None, "", str(fault))
        else:
            if is_empty:
                yield Problem(source.name, None, "", _("The file contains no rows."))


def _quoted(text: str) -> str:
    return f"“{printable(text, most=60)}”"
