"""The archive of the fixture: the tables of a seeded installation, without what differs between two seedings."""

import hashlib
import json
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from django.db.models import DateTimeField

from annotate.durable import replacing
from annotate.upkeep import backups
from annotate.upkeep.demo_fixture import FORMAT, tables
from scripts.demo_fixture.timeline import Row, Tables, timeline

ROOT = Path(__file__).resolve().parents[2]
# What the demo is made of: samples, the code that seeds it, the model that answers, and the prompts it is asked with.
INPUTS = (
    *("fixtures/*.jsonl", "fixtures/*.md", "annotate/upkeep/demo.py", "annotate/upkeep/demo_projects.py"),
    *("fixtures/guide/perturbations.jsonl", "judging/demo/*.py", "lib/simulated/**/*.py", "lib/simulated/*.toml"),
    *("annotate/**/prompts/*.md", "judging/**/prompts/*.md"),
)
EARLIEST = (1980, 1, 1, 0, 0, 0)  # of files in an archive


def inputs() -> str:
    """One SHA-256 of everything that the demo is made of."""
    digest = hashlib.sha256()
    for path in sorted({path for pattern in INPUTS for path in ROOT.glob(pattern)}):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def pack(path: Path, *, begun_at: datetime) -> backups.Manifest:
    """Write the fixture from this installation, and return its manifest."""
    rows = {label: [json.loads(line) for line in backups.lines(model)] for label, model in tables().items()}
    ended_at = make_repeatable(rows, begun_at)
    contents = {label: b"".join(map(backups.encoded, rows[label])) for label in rows}
    files = {name: file.read_bytes() for name, file in backups.stored_files()}
    manifest: backups.Manifest = {
        "format": FORMAT,
        "begun_at": begun_at.isoformat(),
        "ended_at": ended_at.isoformat(),
        "inputs": inputs(),
        "migrations": backups.applied_migrations(),
        "tables": {label: {"rows": len(rows[label]), "sha256": _sha256(contents[label])} for label in rows},
        "files": {name: {"bytes": len(data), "sha256": _sha256(data)} for name, data in files.items()},
    }
    manifest["content"] = _sha256(json.dumps([manifest["tables"], manifest["files"]]).encode())
    path.parent.mkdir(exist_ok=True)
    with replacing(path) as target, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in _members(manifest, contents, files):
            archive.writestr(zipfile.ZipInfo(name, EARLIEST), data, zipfile.ZIP_DEFLATED, 9)
    return manifest


def _members(
    manifest: backups.Manifest, contents: dict[str, bytes], files: dict[str, bytes]
) -> Iterator[tuple[str, bytes]]:
    yield "manifest.json", json.dumps(manifest, ensure_ascii=False, indent=1).encode()
    yield from ((f"tables/{label}.jsonl", data) for label, data in contents.items())
    yield from ((f"files/{name}", data) for name, data in files.items())


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def make_repeatable(rows: Tables, begun_at: datetime) -> datetime:
    """Replace what depends on the machine; returns when the seeding ended on the rewritten timeline."""
    _number_calls(rows["annotate.call"])
    columns = {label: _times_of(model) for label, model in tables().items()}
    times = timeline(rows, columns, begun_at)
    for label, table in rows.items():
        times.rewrite(table, columns[label])
    for row in rows["annotate.user"]:
        row["password"] = ""
    for row in rows["annotate.participant"]:
        # Not a SHA-256 of anything that is known, so there is no link that it belongs to.
        row["token_sha256"] = hashlib.blake2b(f"participant {row['id']}".encode(), digest_size=32).hexdigest()
    return times.ended_at


def _times_of(model: backups.Table) -> list[str]:
    return [column.attname for column in backups.columns(model) if isinstance(column, DateTimeField)]


def _number_calls(calls: list[Row]) -> None:
    """Calls are stored as they end. Number them by job and step, and let their duration come from what was sent."""
    calls.sort(key=lambda call: (call["job_id"], call["step"], call["attempt"]))
    for number, call in enumerate(calls, 1):
        call |= {"id": number, "milliseconds": 40 + int(call["digest"][:2], 16)}
