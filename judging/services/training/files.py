"""The files of training data: JSON lines for each step, preference pairs, a manifest, a dataset card."""

import hashlib
import json
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import override

from annotate.durable import move, sync
from annotate.models import Project
from annotate.services.releasing.files import line_of, write_whole
from annotate.services.releasing.manifest import software_version
from annotate.services.releasing.training import FORMAT, MANIFEST
from judging.services.training.base import FILES, Chosen
from judging.services.training.counting import Counts, table

CARD = "README.md"


@dataclass
class Written:
    """What is known of one file while it is written."""

    name: str
    digest: Any = field(default_factory=hashlib.sha256)
    rows: int = 0

    def line(self, row: Mapping[str, Any]) -> bytes:
        line = line_of(row)
        self.digest.update(line)
        self.rows += 1
        return line

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "rows": self.rows, "sha256": self.digest.hexdigest()}


def file_name(file: str) -> str:
    return f"{file}.jsonl"


def manifest(
    project: Project, selection: Chosen, counts: Counts, files: Iterable[Written], *, licence: str = ""
) -> dict[str, Any]:
    filters = selection.filters
    return {
        "format": FORMAT,
        "software": f"touchstone {software_version()}",
        "project": project.slug,
        "name": project.name,
        "kind": project.kind_slug,
        "created": timezone.now().isoformat(timespec="seconds"),
        "licence": licence or project.licence or None,
        "command": command(project, selection, licence=licence),
        "filters": {
            "state": filters.state,
            "groups": filters.groups,
            "languages": filters.languages,
            "judges": selection.judges,
        },
        "splits": {"shares": filters.splits, "seed": filters.seed} if filters.splits else None,
        "counts": counts.as_json(),
        "files": [file.as_json() for file in files],
    }


def command(project: Project, selection: Chosen, *, licence: str = "") -> str:
    """By which the same files are written again, as a shell takes it."""
    filters = selection.filters
    words = ["export_training", project.slug, "--out", "DIR", "--state", filters.state, "--judges", selection.judges]
    words += [word for group in filters.groups for word in ("--group", group)]
    words += [word for language in filters.languages for word in ("--language", language)]
    words += [word for name, share in filters.splits.items() for word in ("--split", f"{name}={share:g}")]
    words += ["--seed", str(filters.seed)]
    words += ["--licence", licence] if licence and licence != project.licence else []
    return shlex.join(["manage.py", *words])


def manifest_bytes(manifest_content: Mapping[str, Any]) -> bytes:
    return (json.dumps(manifest_content, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()


def card(manifest_content: Mapping[str, Any]) -> bytes:
    """In Markdown and in English: a file for everybody, not a page for one person."""
    header, *lines = table(manifest_content["counts"])
    with override("en"):
        text = render_to_string(
            "files/training_card.md", {"manifest": manifest_content, "header": header, "lines": lines}
        )
    return text.encode()


def write_folder(folder: Path, project: Project, selection: Chosen, rows: Any, *, licence: str = "") -> dict[str, Any]:
    """Every file of FILES, empty ones too, then card and manifest; the manifest last, so that it vouches for all.

    rows: a function from a counter of what is left out to (file, row). Returns the manifest. Raises OSError.
    """
    (folder / MANIFEST).unlink(missing_ok=True)
    counts = Counts(splits=list(selection.filters.splits) or ["train"])
    files = {file: Written(file_name(file)) for file in FILES}
    parts = {file: (folder / f".{file}.part").open("wb") for file in FILES}
    try:
        for file, row in rows(counts.left_out):
            parts[file].write(files[file].line(row))
            counts.add(file, row["split"])
        for file, part in parts.items():
            sync(part)
            part.close()
            move(Path(part.name), folder / file_name(file))
    finally:
        for part in parts.values():
            part.close()
            Path(part.name).unlink(missing_ok=True)
    manifest_content = manifest(project, selection, counts, files.values(), licence=licence)
    write_whole(folder / CARD, card(manifest_content))
    write_whole(folder / MANIFEST, manifest_bytes(manifest_content))
    return manifest_content
