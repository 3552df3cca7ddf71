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
        told = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return told if isinstance(told, dict) and told.get("format") == FORMAT else None


def verify_training(path: Path, manifest: Mapping[str, Any]) -> Verified:
    """Of a folder every file, of a file itself: bytes, rows, chats, and that no query stands in two splits.

    In Verified rows are those of all files; sha256 is that of the only file, or "".
    """
    found = Verified()
    folder, splits = path if path.is_dir() else path.parent, dict[str, str]()
    listed = [one for one in manifest.get("files", []) if path.is_dir() or one.get("name") == path.name]
    if not listed:
        found.differs(_("The manifest names no such file."))
    for one in listed:
        _verify_file(folder / str(one.get("name")), one, splits, found)
    if len(listed) > 1:
        found.sha256 = ""
    return found


def _verify_file(path: Path, told: Mapping[str, Any], splits: dict[str, str], found: Verified) -> None:
    try:
        with path.open("rb") as file:
            found.sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        found.differs(f"{path.name}: " + _("The file cannot be read: %(cause)s") % {"cause": error.strerror})
        return
    rows = _read(path, splits, found) if path.stat().st_size else 0
    found.rows += rows
    if found.sha256 != told.get("sha256"):
        said = {"found": found.sha256, "said": told.get("sha256")}
        found.differs(f"{path.name}: " + _("The file's SHA-256 is %(found)s; the manifest says %(said)s.") % said)
    if rows != told.get("rows"):
        said = {"found": rows, "said": told.get("rows")}
        found.differs(f"{path.name}: " + _("The file holds %(found)s rows; the manifest says %(said)s.") % said)


def _read(path: Path, splits: dict[str, str], found: Verified) -> int:
    rows = 0
    for each in JSON_LINES.read(path, name=path.name):
        rows += isinstance(each, Row) or each.line is not None
        faults = _faults(each.value, splits) if isinstance(each, Row) else [(each.path, each.message)]
        for fault in faults:
            found.differs(f"{path.name}: {place(each.line, *fault)}")
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
    if not isinstance(messages, list) or not all(isinstance(one, dict) for one in messages):
        yield "messages", _("must be a list of turns.")
        return
    for number, one in enumerate(messages):
        if not isinstance(one.get("content"), str) or not one["content"].strip():
            yield f"messages[{number}].content", _("is empty.")
    roles = [one.get("role") for one in messages]
    turns = roles[1:] if roles[:1] == ["system"] else roles
    if not turns or len(turns) % 2 or any(role != ROLES[number % 2] for number, role in enumerate(turns)):
        yield "messages", _("user and assistant must take turns, the assistant last.")


def _pair_faults(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name in ("prompt", "chosen", "rejected"):
        if not row.get(name):
            yield name, _("is empty.")
    if row.get("chosen") == row.get("rejected"):
        yield "rejected", _("says what the chosen answer says.")
