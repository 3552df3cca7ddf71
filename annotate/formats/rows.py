"""What every format hands over: rows to import, and problems for people to act on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol

from lib.texts.said import again, kept

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Row:
    """One row in the native shape; `line` as in the import report (1-based; in a JSON array the element's number).

    warnings: (path, message) of what the format noticed about a row that is kept all the same.
    key_by_place: the row has no key of its own; the format made it from the place in the file, so that rows of two
    files have the same.
    """

    line: int
    value: dict[str, Any]
    warnings: Sequence[tuple[str, str]] = ()
    key_by_place: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, where, and what to do about it.

    line: None when the whole file, or all the rest of it, is meant. path: names of the file that was read.
    Whatever the file held, the texts here can be printed and stored: control characters and the like are escaped.
    said: the message as it is said again in another language (see lib.texts.said).
    """

    file: str
    line: int | None
    path: str
    message: str
    level: Level = "error"
    said: dict[str, Any] | None = field(default=None, init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "file", printable(self.file, most=200))
        object.__setattr__(self, "path", printable(self.path, most=200))
        object.__setattr__(self, "said", kept(self.message, clean=lambda text: printable(text, most=300)))
        object.__setattr__(self, "message", printable(self.message, most=1000))

    def as_json(self) -> dict[str, Any]:
        """As it stands in reports, in the language of this moment."""
        return {name: value for name, value in asdict(self).items() if name != "said"}

    def stored(self) -> dict[str, Any]:
        """As it stands in the database; `told` reads it."""
        return self.as_json() | ({"said": self.said} if self.said else {})


def told(stored: Mapping[str, Any]) -> dict[str, Any]:
    """A stored problem as in reports, in the reader's language where the sentence is ours."""
    problem = {name: value for name, value in stored.items() if name != "said"}
    if sentence := stored.get("said"):
        problem["message"] = printable(again(sentence, problem["message"]), most=1000)
    return problem


class RowStream(Protocol):
    """Rows and problems in file order, read as they are asked for; memory does not grow with the file."""

    def __iter__(self) -> Iterator[Row | Problem]: ...


def printable(text: str, *, most: int) -> str:
    """`text` with what cannot be shown or stored escaped, and cut to `most` characters."""
    cut = text if len(text) <= most else text[: most - 1] + "…"
    if cut.isprintable():
        return cut
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in cut)
