"""Whether a folder of training data is what its manifest says, and fit to train with."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotate.formats.jsonl import FORMAT as JSON_LINES
from annotate.formats.rows import Row
from annotate.services.releasing.verified import Verified, place

FORMAT = "touchstone-training-1"
MANIFEST = "manifest.json"
ROLES = ("user", "assistant")


def manifest_of(path: Path) -> dict[str, Any] | None:
    """The manifest of a folder of training data, or of the one that a file lies in; None where there is none."""
    folder = path if path.is_dir() else path.parent
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return manifest if isinstance(manifest, dict) and manifest.get("format") == FORMAT else None


def verify_training(path: Path, manifest: Mapping[str, Any]) -> Verified:
    """Of a folder every file, of a file itself: bytes, rows, chats, and that no query stands in two splits.

    In Verified rows are those of all files; sha256 is that of the only file, or "".
    """
    report = Verified()
    folder, splits = path if path.is_dir() else path.parent, dict[str, str]()
    listed = [entry for entry in manifest.get("files", []) if path.is_dir() or entry.get("name") == path.name]
    if not listed:
        report.differs(_("The manifest names no such file."))
    for entry in listed:
        _verify_file(folder / str(entry.get("name")), entry, splits, report)
    if len(listed) > 1:
        report.sha256 = ""
    return report


def _verify_file(path: Path, entry: Mapping[str, Any], splits: dict[str, str], report: Verified) -> None:
    try:
        with path.open("rb") as file:
            report.sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        report.differs(f"{path.name}: " + _("The file cannot be read: %(cause)s") % {"cause": error.strerror})
        return
    rows = _read(path, splits, report) if path.stat().st_size else 0
    report.rows += rows
    if report.sha256 != entry.get("sha256"):
        values = {"found": report.sha256, "said": entry.get("sha256")}
        report.differs(f"{path.name}: " + _("The file's SHA-256 is %(found)s; the manifest says %(said)s.") % values)
    if rows != entry.get("rows"):
        values = {"found": rows, "said": entry.get("rows")}
        report.differs(f"{path.name}: " + _("The file holds %(found)s rows; the manifest says %(said)s.") % values)


def _read(path: Path, splits: dict[str, str], report: Verified) -> int:
    rows = 0
    for record in JSON_LINES.read(path, name=path.name):
        rows += isinstance(record, Row) or record.line is not None
        faults = _faults(record.value, splits) if isinstance(record, Row) else [(record.path, record.message)]
        for fault in faults:
            report.differs(f"{path.name}: {place(record.line, *fault)}")
    return rows


def _faults(row: Mapping[str, Any], splits: dict[str, str]) -> Iterator[tuple[str, str]]:
    if "messages" in row:
        yield from chat_faults(row["messages"])
    else:
        yield from _pair_faults(row)
    query, split = row.get("query"), row.get("split")
    if not isinstance(query, str) or not isinstance(split, str):
        yield "split", _("The row does not say its query and its split.")
    elif splits.setdefault(query, split) != split:
        yield "split", _("The same query stands in the split %(split)s, too.") % {"split": splits[query]}


def chat_faults(messages: Any) -> Iterator[tuple[str, str]]:
    """What keeps it from being a chat to train with: at most one system's turn, first; then user and assistant in
    turns, the assistant's last, none empty.
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
        yield "rejected", _("says what the chosen answer says.")
