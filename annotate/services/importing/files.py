"""Files of imports below the data folder: what was uploaded, and the rows that were refused."""

import hashlib
import json
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from annotate.durable import make_folder, sync, sync_folder
from annotate.formats.rows import Problem, printable
from annotate.services.importing.rows import Prepared

_PIECE = 1024 * 1024


def folder(name: str) -> Path:
    return make_folder(Path(settings.DATA_DIR) / "files" / name)


def uploaded(stored_as: str) -> Path:
    return folder("uploads") / stored_as


def rejects(stored_as: str) -> Path:
    return folder("rejects") / stored_as


def random_name() -> str:
    return secrets.token_hex(16)


def shown_name(path: str) -> str:
    """The last part of a path, as it can be printed; the name under which it is stored is another one."""
    return printable(path.replace("\\", "/").rsplit("/", 1)[-1], most=200).strip() or "upload"


def keep_upload(file: UploadedFile) -> tuple[str, str]:
    """Store what was uploaded under a random name; returns that name and the SHA-256 of the bytes."""
    name, digest = random_name(), hashlib.sha256()
    with uploaded(name).open("wb") as stored:
        for piece in file.chunks(_PIECE):
            digest.update(piece)
            stored.write(piece)
        sync(stored)
    sync_folder(folder("uploads"))
    return name, digest.hexdigest()


def sha256_of(path: Path) -> str:
    """Of the file's bytes as they are; empty where it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):
        return ""


def cut_rejects(stored_as: str, rows: int) -> None:
    """Take back the lines that an interrupted run wrote after its last commit."""
    path = rejects(stored_as)
    if not path.exists():
        return
    with path.open("r+b") as file:
        for _line in range(rows):
            file.readline()
        file.truncate()


def add_rejects(stored_as: str, rejected: Iterable[Prepared | Problem]) -> None:
    """Append refused rows as they were, with what is wrong under `provenance`, which an import does not read.

    So the file can be mended and imported again. What could not be read at all has only its line and problem.
    """
    with rejects(stored_as).open("a", encoding="utf-8") as file:
        for entry in rejected:
            row, problems = (entry.row, entry.problems) if isinstance(entry, Prepared) else ({}, [entry])
            line = json.dumps({**row, "provenance": _wrong(problems)}, ensure_ascii=False)
            file.write(line + "\n")
        sync(file)
    sync_folder(folder("rejects"))


def _wrong(problems: Sequence[Problem]) -> dict[str, Any]:
    errors = [{"path": problem.path, "message": problem.message} for problem in problems if problem.level == "error"]
    return {"line": problems[0].line, "problems": errors}
