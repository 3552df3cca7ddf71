"""Whether a released file still is what its manifest says."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotate.formats.base import Format
from annotate.formats.jsonl import FORMAT as JSON_LINES
from annotate.formats.rows import Problem, Row
from annotate.kinds import UnknownKind, find_kind
from annotate.kinds.base import Kind
from annotate.kinds.values import BadShape
from annotate.services.releasing import converting
from annotate.services.releasing.ratings import FORMAT as RATINGS
from annotate.services.releasing.ratings import rating_faults, rating_key
from annotate.services.releasing.training import manifest_of, verify_training
from annotate.services.releasing.verified import Verified, place


def verify(path: Path) -> Verified:
    """Compare the file with `<file>.manifest.json` beside it: bytes, rows, and each row's shape.

    A folder of training data, or a file in one, is compared with the folder's `manifest.json`.
    """
    path = path.absolute()  # "." has no name
    training = manifest_of(path)
    if training is not None and not path.with_name(f"{path.name}.manifest.json").exists():
        return verify_training(path, training)
    report, manifest = Verified(), _manifest(path)
    if isinstance(manifest, str):
        report.differs(manifest)
        return report
    report.sha256 = _digest(path)
    _read_rows(path, manifest, report)
    _compare(report, manifest)
    return report


def unchanged(path: Path, manifest: dict[str, Any]) -> Verified:
    """Compare a file with this manifest by bytes and number of lines alone: what a web server can do while waiting."""
    report = Verified(sha256=_digest(path))
    try:
        with path.open("rb") as file:
            report.rows = sum(piece.count(b"\n") for piece in iter(lambda: file.read(1024 * 1024), b""))
    except OSError as error:
        report.differs(_("The file cannot be read: %(cause)s") % {"cause": error.strerror})
    _compare(report, manifest)
    return report


def _compare(report: Verified, manifest: dict[str, Any]) -> None:
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
        return _("There is no %(name)s beside the file. Copy it there.") % {"name": manifest_path.name}
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
class Shape:
    """What rows of one sort of release have to be. once: the field by which a row stands there once; key: its value."""

    faults: Callable[[dict[str, Any]], Iterator[tuple[str, str]]]
    key: Callable[[dict[str, Any]], str]
    once: str


def _read_rows(path: Path, manifest: dict[str, Any], report: Verified) -> None:
    shape = _shape(manifest)
    if isinstance(shape, str):
        report.differs(shape)
        return
    keys: set[str] = set()
    for record in _format_of(manifest).read(path, name=path.name):
        report.rows += isinstance(record, Row) or record.line is not None
        if isinstance(record, Problem):
            if record.line is not None or manifest.get("rows"):
                report.differs(place(record.line, record.path, record.message))
            continue
        for fault in shape.faults(record.value):
            report.differs(place(record.line, *fault))
        if shape.key(record.value) in keys:
            report.differs(place(record.line, shape.once, _("stands in an earlier row, too.")))
        keys.add(shape.key(record.value))


def _shape(manifest: dict[str, Any]) -> Shape | str:
    """Of the rows that such a manifest stands beside, or why nobody knows."""
    if manifest.get("format") == RATINGS:
        return Shape(rating_faults, rating_key, "unit")
    try:
        kind = find_kind(str(manifest.get("kind")))
    except UnknownKind as unknown:
        return str(unknown)
    return Shape(lambda row: _faults(kind, row), lambda row: str(row.get("key")), "key")


def _format_of(manifest: dict[str, Any]) -> Format:
    """In which the file is written: JSON lines where the manifest names no other."""
    return converting.writers().get(str(manifest.get("written_as")), JSON_LINES)


def _faults(kind: Kind, row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What keeps the row from being a native row of its kind; its draft may be incomplete."""
    if not isinstance(row.get("key"), str):
        yield "key", _("is missing or not text.")
    native = kind.read_row(row)
    try:
        facts = kind.read_facts(native.facts)
        if native.draft:
            kind.read_draft({**kind.empty_draft(facts), **native.draft})
    except BadShape as bad:
        yield from ((finding.path, finding.message) for finding in bad.findings)
