"""The report of an import: counts that add up, grouped problems up to a limit, and the files of uploads and rejects."""

import hashlib
import json
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import ngettext

from annotate.durable import make_folder, sync, sync_folder
from annotate.formats.rows import Problem, printable, problem_texts
from annotate.intake.row_reader import PreparedRow
from lib.texts.sentences import paragraph

SINGLE = 3  # problems with one signature that are listed one by one; more become one entry
LINES = 10  # that an entry of many rows names
_PLACE = re.compile(r"\[\d+\]")

Entry = dict[str, Any]
Signature = tuple[str, str, str, str]


class ProblemList:
    """Stored problems grouped by signature: file, level, field and sentence, ignoring the values that the sentence
    quotes.

    An entry of many rows has, besides the fields of a problem, `count`, how often it occurred, and `lines`, the first
    of them. Its message is that of the first row. entries: the list to fill; existing entries count. most: the maximum
    number of entries.
    """

    def __init__(self, entries: list[Entry], *, most: int) -> None:
        self._entries, self._most = entries, most
        self._signatures: dict[Signature, list[Entry]] = {}
        for entry in entries:
            self._remember(entry)

    def add(self, entry: Entry) -> bool:
        """Add it; returns whether there was room."""
        alike = [] if entry["line"] is None else self._signatures.get(_signature(entry), [])
        if alike and sum(map(_count, alike)) + _count(entry) > SINGLE:
            self._merge(alike, entry)
            return True
        if len(self._entries) >= self._most:
            return False
        entry = dict(entry)
        self._entries.append(entry)
        self._remember(entry)
        return True

    def _remember(self, entry: Entry) -> None:
        if entry["line"] is not None:
            self._signatures.setdefault(_signature(entry), []).append(entry)

    def _merge(self, alike: list[Entry], entry: Entry) -> None:
        first_entry, other_entries = alike[0], [*alike[1:], entry]
        for other_entry in other_entries:
            lines = dict.fromkeys([*_lines(first_entry), *_lines(other_entry)])
            first_entry |= {"count": _count(first_entry) + _count(other_entry), "lines": list(lines)[:LINES]}
            if first_entry["path"] != other_entry["path"]:
                first_entry["path"] = _PLACE.sub("[…]", first_entry["path"])
        merged = {id(merged_entry) for merged_entry in alike[1:]}
        if merged:
            self._entries[:] = [stored_entry for stored_entry in self._entries if id(stored_entry) not in merged]
            del alike[1:]


def _count(entry: Entry) -> int:
    return int(entry.get("count", 1))


def _lines(entry: Entry) -> list[int]:
    return list(entry.get("lines", [entry["line"]]))


def _signature(entry: Entry) -> Signature:
    message_parts = entry.get("said")
    sentence = paragraph(_sentences(message_parts)) if message_parts else entry["message"]
    return entry["file"], entry["level"], _PLACE.sub("[…]", entry["path"].replace("[…]", "[0]")), sentence


def _sentences(message_parts: Mapping[str, Any]) -> Iterator[str]:
    """The sentence and the sentences inside it, without quoted values."""
    yield message_parts["id"]
    for value in message_parts["values"].values():
        if isinstance(value, Mapping):
            yield from _sentences(value)


# The report: counts that add up, and problems up to a limit.


LISTED = 1000


@dataclass
class Report:
    """read = kept + duplicates + rejected. problems: the first thousand entries, as stored; unlisted: how many more.

    A problem that many rows have is one entry, with a count and its first lines (see ProblemList).
    """

    read: int = 0
    kept: int = 0
    duplicates: int = 0
    rejected: int = 0
    problems: list[dict[str, Any]] = field(default_factory=list)
    unlisted: int = 0
    faults: int = 0  # errors of whole files, for which no row is counted

    @property
    def flawless(self) -> bool:
        return not self.rejected and not self.faults

    def __post_init__(self) -> None:
        self._list = ProblemList(self.problems, most=LISTED)

    def tell(self, problems: Iterable[Problem]) -> None:
        self._enter(problem.stored() for problem in problems)

    def _enter(self, entries: Iterable[dict[str, Any]]) -> None:
        for entry in entries:
            if not self._list.add(entry):
                self.unlisted += entry.get("count", 1)

    def add(self, other: "Report") -> None:
        """Add the counts of another file's report."""
        for name in ("read", "kept", "duplicates", "rejected", "faults"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.unlisted += other.unlisted
        self._enter(other.problems)

    def refuse_all(self) -> None:
        """Count all rows as refused: nothing is kept, though some rows could have been."""
        self.rejected += self.kept
        self.kept = 0

    def as_json(self) -> dict[str, Any]:
        counts = {name: getattr(self, name) for name in ("read", "kept", "duplicates", "rejected")}
        return counts | {"problems": [*map(problem_texts, self.problems), *self._and_more()]}

    def _and_more(self) -> list[dict[str, Any]]:
        if not self.unlisted:
            return []
        message = ngettext(
            "%(count)s more problem is not listed.", "%(count)s more problems are not listed.", self.unlisted
        )
        return [Problem("", None, "", message % {"count": self.unlisted}, "warning").as_json()]


# Files in the data folder: uploads, and the rows that were refused.


_PIECE = 1024 * 1024


def folder(name: str) -> Path:
    return make_folder(Path(settings.DATA_DIR) / "files" / name)


def uploaded(stored_as: str) -> Path:
    return folder("uploads") / stored_as


def bundle(stored_as: str) -> Path:
    """The zip in which the rows of this upload came, if they did: its files are stored when the import runs."""
    return folder("uploads") / f"{stored_as}.zip"


def remove_upload(stored_as: str) -> None:
    for path in (uploaded(stored_as), bundle(stored_as)):
        path.unlink(missing_ok=True)


def rejects(stored_as: str) -> Path:
    return folder("rejects") / stored_as


def random_name() -> str:
    return secrets.token_hex(16)


def shown_name(path: str) -> str:
    """The last part of a path in printable form; the file is stored under a different name."""
    return printable(path.replace("\\", "/").rsplit("/", 1)[-1], most=200).strip() or "upload"


def keep_upload(file: UploadedFile) -> tuple[str, str]:
    """Store an upload under a random name; returns that name and the SHA-256 of the bytes."""
    name, digest = random_name(), hashlib.sha256()
    with uploaded(name).open("wb") as stored:
        for piece in file.chunks(_PIECE):
            digest.update(piece)
            stored.write(piece)
        sync(stored)
    sync_folder(folder("uploads"))
    return name, digest.hexdigest()


def sha256_of(path: Path) -> str:
    """The SHA-256 of the file's bytes; empty if it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):
        return ""


def cut_rejects(stored_as: str, rows: int) -> None:
    """Remove the lines that an interrupted run wrote after its last commit."""
    path = rejects(stored_as)
    if not path.exists():
        return
    with path.open("r+b") as file:
        for _line in range(rows):
            file.readline()
        file.truncate()


def add_rejects(stored_as: str, rejected: Iterable[PreparedRow | Problem]) -> None:
    """Append refused rows unchanged, with their errors under `provenance`, which an import ignores.

    So the file can be fixed and imported again. A row that could not be parsed at all has only its line and problem.
    """
    with rejects(stored_as).open("a", encoding="utf-8") as file:
        for entry in rejected:
            row, problems = (entry.row, entry.problems) if isinstance(entry, PreparedRow) else ({}, [entry])
            line = json.dumps({**row, "provenance": _wrong(problems)}, ensure_ascii=False)
            file.write(line + "\n")
        sync(file)
    sync_folder(folder("rejects"))


def _wrong(problems: Sequence[Problem]) -> dict[str, Any]:
    errors = [{"path": problem.path, "message": problem.message} for problem in problems if problem.level == "error"]
    return {"line": problems[0].line, "problems": errors}
