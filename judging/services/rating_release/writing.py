"""A release of ratings written down: the file, and beside it the manifest that says what it holds."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db.models import Q
from django.utils import timezone

from annotate.models import Project, Release
from annotate.services.releasing.files import line_of, write_whole
from annotate.services.releasing.manifest import software_version
from annotate.services.releasing.ratings import FORMAT
from judging.metrics.agreement import RESAMPLES, SEED
from judging.models import Study
from judging.services.comparing_raters.material import Material
from judging.services.rating_release.rows import about, rows
from judging.services.ratings import Today

COUNTED = ("kind", "rater", "group", "language", "axis", "author")


@dataclass
class Counts:
    """What the rows hold, counted while they pass by."""

    rows: int = 0
    missing: int = 0
    units: set[str] = field(default_factory=set)
    by: dict[str, Counter[str]] = field(default_factory=dict)
    fields: dict[str, None] = field(default_factory=dict)
    digest: Any = field(default_factory=hashlib.sha256)

    def lines(self, given: Iterable[dict[str, Any]]) -> Iterator[bytes]:
        for row in given:
            line = line_of(row)
            self.add(row)
            self.digest.update(line)
            yield line

    def add(self, row: dict[str, Any]) -> None:
        self.rows += 1
        self.missing += row["value"] is None
        self.units.add(row["unit"])
        self.fields |= dict.fromkeys(row)
        for name in COUNTED:
            if row.get(name):
                self.by.setdefault(name, Counter())[row[name]] += 1
        for author in row.get("authors", ()):
            self.by.setdefault("author", Counter())[author] += 1

    def as_json(self) -> dict[str, dict[str, int]]:
        return {what: dict(sorted(values.items())) for what, values in self.by.items()}


@dataclass(frozen=True)
class Ratings:
    """What a file of ratings is to hold. today: that the ratings were read with."""

    project: Project
    found: Material
    today: Today
    pseudonyms: bool = False


def write(given: Ratings, out: Path, *, licence: str = "", note: str = "") -> dict[str, Any]:
    """The manifest of the file, which stands beside it as <file>.manifest.json. Raises OSError."""
    lines, told = content(given, licence=licence, note=note)
    write_whole(out, b"".join(lines))
    write_whole(out.with_name(f"{out.name}.manifest.json"), told_bytes(told))
    return told


def content(given: Ratings, *, licence: str = "", note: str = "") -> tuple[list[bytes], dict[str, Any]]:
    """(lines of the file, its manifest)."""
    counts = Counts()
    lines = list(counts.lines(rows(given.found, about(given.today), pseudonyms=given.pseudonyms)))
    return lines, _manifest(given, counts, licence or given.project.licence, note)


def told_bytes(manifest: dict[str, Any]) -> bytes:
    return (json.dumps(manifest, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()


def _manifest(given: Ratings, counts: Counts, licence: str, note: str) -> dict[str, Any]:
    project, subject = given.project, given.found.subject
    left_out = {side: {why: n for why, n in reasons.items() if n} for side, reasons in given.found.left_out.items()}
    standing = Release.objects.filter(project=project, state=Release.State.DONE, withdrawn_at=None)
    newest = standing.order_by("-version").first()
    return {
        "format": FORMAT,
        "software": f"touchstone {software_version()}",
        "project": project.slug,
        "name": project.name,
        "kind": project.kind_slug,
        "what": subject.slug,
        "level": subject.level,
        "created": timezone.now().isoformat(timespec="seconds"),
        "licence": licence or None,
        "note": note,
        "pseudonyms": given.pseudonyms,
        "open_studies": open_studies(project),
        "items": {"version": newest.version, "sha256": newest.sha256} if newest else None,
        "resamples": RESAMPLES,
        "seed": SEED,
        "fields": list(counts.fields),
        "rows": counts.rows,
        "sha256": counts.digest.hexdigest(),
        "units": len(counts.units),
        "missing": counts.missing,
        "left_out": left_out,
        "counts": counts.as_json(),
    }


def open_studies(project: Project) -> list[str]:
    """Names of the studies in which people may still vote about answers of this project, or in it."""
    here = Study.objects.filter(Q(source=project) | Q(project=project), closed_at=None)
    return list(here.order_by("name").values_list("name", flat=True).distinct())
