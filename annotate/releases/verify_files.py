"""Verification of a released file or a folder of training data against its manifest."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotate.formats.format import Format
from annotate.formats.jsonl import FORMAT as JSON_LINES
from annotate.formats.rows import ImportRow, Problem
from annotate.intake.ratings import RATER
from annotate.kinds import UnknownKind
from annotate.kinds.contract import Kind
from annotate.kinds.values import BadShape
from annotate.releases import conversion
from annotate.releases.manifests import is_per_rater, kind_of
from annotate.releases.rater_rows import rater_row_faults, rater_row_key

LISTED = 100


@dataclass
class Verification:
    """differences: deviations from the manifest, at most a hundred; empty if there are none."""

    rows: int = 0
    sha256: str = ""
    differences: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        return not self.differences

    def differs(self, message: str) -> None:
        if len(self.differences) < LISTED:
            self.differences.append(message)

    def as_json(self) -> dict[str, Any]:
        return {"ok": self.holds, "rows": self.rows, "sha256": self.sha256, "differences": self.differences}


def place_text(line: int | None, path: str, message: str) -> str:
    where = _("Line %(line)s") % {"line": line} if line else _("File")
    return f"{where}, {path}: {message}" if path else f"{where}: {message}"


# The required shape of a row in a release of ratings.


RATINGS_FORMAT = "touchstone-ratings-1"
# person: a person's rating. judge: a judge's rating. score: an answer's score. answer: the result of an answer from its
# score and people's votes. order: what a judge chose in both orders.
KINDS = ("person", "judge", "score", "answer", "order")


def rating_faults(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(path, message) of each fault of a rating row; a value of null means undecided."""
    for name in ("unit", "rater"):
        if not isinstance(row.get(name), str) or not row[name]:
            yield name, _("is missing or not text.")
    if row.get("kind") not in KINDS:
        yield "kind", _("must be one of %(kinds)s.") % {"kinds": ", ".join(KINDS)}
    value = row.get("value", ...)
    if value is ... or isinstance(value, bool | list | dict):
        yield "value", _("must be a number, text or null.")


def rating_key(row: Mapping[str, Any]) -> str:
    """The key of a row, which is unique in a file."""
    return "\n".join(str(row.get(name)) for name in ("unit", "rater", "kind", "answer"))


# Training data: whether a folder matches its manifest and is fit to train with.


TRAINING_FORMAT = "touchstone-training-1"
MANIFEST = "manifest.json"
ROLES = ("user", "assistant")


def manifest_of(path: Path) -> dict[str, Any] | None:
    """The manifest of a folder of training data, or of the folder that a file is in; None where there is none."""
    folder = path if path.is_dir() else path.parent
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return manifest if isinstance(manifest, dict) and manifest.get("format") == TRAINING_FORMAT else None


def verify_training(path: Path, manifest: Mapping[str, Any]) -> Verification:
    """Check every file of a folder, or one file: bytes, rows, chats, and that no query is in two splits.

    In the Verification, rows are those of all files; sha256 is that of the only file, or "".
    """
    report = Verification()
    folder, splits = path if path.is_dir() else path.parent, dict[str, str]()
    listed = [entry for entry in manifest.get("files", []) if path.is_dir() or entry.get("name") == path.name]
    if not listed:
        report.differs(_("The manifest does not list this file."))
    for entry in listed:
        _verify_file(folder / str(entry.get("name")), entry, splits, report)
    if len(listed) > 1:
        report.sha256 = ""
    return report


def _verify_file(path: Path, entry: Mapping[str, Any], splits: dict[str, str], report: Verification) -> None:
    try:
        with path.open("rb") as file:
            report.sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        report.differs(f"{path.name}: " + _("The file cannot be read: %(cause)s") % {"cause": error.strerror})
        return
    rows = _verify_rows(path, splits, report) if path.stat().st_size else 0
    report.rows += rows
    if report.sha256 != entry.get("sha256"):
        values = {"found": report.sha256, "said": entry.get("sha256")}
        report.differs(f"{path.name}: " + _("The file's SHA-256 is %(found)s; the manifest says %(said)s.") % values)
    if rows != entry.get("rows"):
        values = {"found": rows, "said": entry.get("rows")}
        report.differs(f"{path.name}: " + _("The file holds %(found)s rows; the manifest says %(said)s.") % values)


def _verify_rows(path: Path, splits: dict[str, str], report: Verification) -> int:
    rows = 0
    for record in JSON_LINES.read(path, name=path.name):
        rows += isinstance(record, ImportRow) or record.line is not None
        faults = (
            _training_faults(record.value, splits) if isinstance(record, ImportRow) else [(record.path, record.message)]
        )
        for fault in faults:
            report.differs(f"{path.name}: {place_text(record.line, *fault)}")
    return rows


def _training_faults(row: Mapping[str, Any], splits: dict[str, str]) -> Iterator[tuple[str, str]]:
    if "messages" in row:
        yield from chat_faults(row["messages"])
    else:
        yield from _pair_faults(row)
    query, split = row.get("query"), row.get("split")
    if not isinstance(query, str) or not isinstance(split, str):
        yield "split", _("The row does not name its query and its split.")
    elif splits.setdefault(query, split) != split:
        yield "split", _("The same query is also in the split %(split)s.") % {"split": splits[query]}


def chat_faults(messages: Any) -> Iterator[tuple[str, str]]:
    """The faults of a training chat. It needs at most one system turn, at the start; then user and assistant turns
    alternate, the last is the assistant's, and none is empty.
    """
    if not isinstance(messages, list) or not all(isinstance(turn, dict) for turn in messages):
        yield "messages", _("must be a list of turns.")
        return
    for number, turn in enumerate(messages):
        if not isinstance(turn.get("content"), str) or not turn["content"].strip():
            yield f"messages[{number}].content", _("is empty.")
    roles = [turn.get("role") for turn in messages]
    turns = roles[1:] if roles[:1] == ["system"] else roles
    if not turns or len(turns) % 2 or any(role != ROLES[number % 2] for number, role in enumerate(turns)):
        yield "messages", _("user and assistant must take turns, the assistant last.")


def _pair_faults(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name in ("prompt", "chosen", "rejected"):
        if not row.get(name):
            yield name, _("is empty.")
    if row.get("chosen") == row.get("rejected"):
        yield "rejected", _("is the same as the chosen answer.")


# Released files.


def verify(path: Path) -> Verification:
    """Compare the file with `<file>.manifest.json` in its folder: bytes, rows, each row's shape, and the files that the
    manifest lists as far as they are there.

    A folder of training data, or a file in one, is compared with the folder's `manifest.json`.
    """
    path = path.absolute()  # "." has no name
    training = manifest_of(path)
    if training is not None and not path.with_name(f"{path.name}.manifest.json").exists():
        return verify_training(path, training)
    report, manifest = Verification(), _manifest(path)
    if isinstance(manifest, str):
        report.differs(manifest)
        return report
    report.sha256 = _digest(path)
    _read_rows(path, manifest, report)
    _compare(report, manifest)
    _compare_companions(path, manifest, report)
    return report


def _compare_companions(path: Path, manifest: dict[str, Any], report: Verification) -> None:
    for entry in manifest.get("files", []):
        companion = path.with_name(Path(str(entry.get("name"))).name or path.name)
        if companion.exists() and _digest(companion) != entry.get("sha256"):
            values = {"found": _digest(companion) or "–", "said": entry.get("sha256")}
            message = _("The file's SHA-256 is %(found)s; the manifest says %(said)s.")
            report.differs(f"{companion.name}: {message % values}")


def unchanged(path: Path, manifest: dict[str, Any]) -> Verification:
    """Compare a file with this manifest by bytes and number of lines only, which is fast enough for a web request."""
    report = Verification(sha256=_digest(path))
    try:
        with path.open("rb") as file:
            report.rows = sum(piece.count(b"\n") for piece in iter(lambda: file.read(1024 * 1024), b""))
    except OSError as error:
        report.differs(_("The file cannot be read: %(cause)s") % {"cause": error.strerror})
    _compare(report, manifest)
    return report


def _compare(report: Verification, manifest: dict[str, Any]) -> None:
    if report.rows != manifest.get("rows"):
        values = {"found": report.rows, "said": manifest.get("rows")}
        report.differs(_("The file holds %(found)s rows; the manifest says %(said)s.") % values)
    if report.sha256 != manifest.get("sha256"):
        values = {"found": report.sha256 or "–", "said": manifest.get("sha256")}
        report.differs(_("The file's SHA-256 is %(found)s; the manifest says %(said)s.") % values)


def _manifest(path: Path) -> dict[str, Any] | str:
    manifest_path = path.with_name(f"{path.name}.manifest.json")
    try:
        manifest = json.loads(manifest_path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return _("There is no %(name)s next to the file. Copy it there.") % {"name": manifest_path.name}
    except (OSError, ValueError) as error:
        return _("%(name)s cannot be read: %(cause)s") % {"name": manifest_path.name, "cause": error}
    if not isinstance(manifest, dict):
        return _("%(name)s is not a manifest.") % {"name": manifest_path.name}
    return manifest


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""  # reading the rows says why


@dataclass(frozen=True)
class ReleaseShape:
    """The required shape of rows of one sort of release. once: the field that is unique; key: its value."""

    faults: Callable[[dict[str, Any]], Iterator[tuple[str, str]]]
    key: Callable[[dict[str, Any]], str]
    once: str


def _read_rows(path: Path, manifest: dict[str, Any], report: Verification) -> None:
    shape = _shape(manifest)
    if isinstance(shape, str):
        report.differs(shape)
        return
    keys: set[str] = set()
    for record in _format_of(manifest).read(path, name=path.name):
        report.rows += isinstance(record, ImportRow) or record.line is not None
        if isinstance(record, Problem):
            if record.line is not None or manifest.get("rows"):
                report.differs(place_text(record.line, record.path, record.message))
            continue
        for fault in shape.faults(record.value):
            report.differs(place_text(record.line, *fault))
        if shape.key(record.value) in keys:
            report.differs(place_text(record.line, shape.once, _("is also in an earlier row.")))
        keys.add(shape.key(record.value))


def _shape(manifest: dict[str, Any]) -> ReleaseShape | str:
    """The row shape of a release with this manifest, or the reason why it is unknown."""
    if manifest.get("format") == RATINGS_FORMAT:
        return ReleaseShape(rating_faults, rating_key, "unit")
    try:
        kind = kind_of(manifest)
    except (UnknownKind, ValueError) as unknown:
        return str(unknown)
    if is_per_rater(manifest):
        return ReleaseShape(lambda row: rater_row_faults(kind, row), rater_row_key, RATER)
    return ReleaseShape(lambda row: _row_faults(kind, row), lambda row: str(row.get("key")), "key")


def _format_of(manifest: dict[str, Any]) -> Format:
    """The format of the file: JSON lines where the manifest names no other."""
    row_format = conversion.writers().get(str(manifest.get("written_as")))
    return row_format.for_definition(kind_of(manifest).own_definition()) if row_format else JSON_LINES


def _row_faults(kind: Kind, row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The faults of a row as a native row of its kind; its draft may be incomplete."""
    if not isinstance(row.get("key"), str):
        yield "key", _("is missing or not text.")
    native = kind.read_row(row)
    try:
        facts = kind.read_facts(native.facts)
        if native.draft:
            kind.read_draft({**kind.empty_draft(facts), **native.draft})
    except BadShape as bad:
        yield from ((finding.path, finding.message) for finding in bad.findings)
