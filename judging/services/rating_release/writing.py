"""A release of ratings written down: the file, and beside it the manifest that says what it holds."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db.models import Q
from django.utils import timezone

from annotate.models import Project
from annotate.services.releasing.files import line_of, write_whole
from annotate.services.releasing.manifest import software_version
from annotate.services.releasing.ratings import FORMAT
from judging.models import Judge, Study
from judging.services.comparing_raters.material import Material
from judging.services.rating_release.grounds import ground_rows, rater_of
from judging.services.rating_release.rows import about, rows
from judging.services.rating_release.scores import score_rows
from judging.services.ratings import Today
from judging.services.scores import Scores
from judging.services.trust.grounds import Grounds
from lib.stats.agreement import RESAMPLES, SEED
from lib.stats.bootstrap import SEED as DRAWN_BY

AGREEMENT, TRUST, LEADERBOARD = "agreement", "trust", "leaderboard"
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

    def lines(self, rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
        for row in rows:
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
        return {column: dict(sorted(values.items())) for column, values in self.by.items()}


@dataclass(frozen=True)
class Release:
    """What a file is to hold. told: what its manifest says beside what is counted."""

    project: Project
    rows: Iterable[dict[str, Any]]
    told: Mapping[str, Any]


def of_ratings(project: Project, material: Material, today: Today, *, pseudonyms: bool) -> Release:
    """From which the page of agreement is counted again."""
    rating_rows = rows(material, about(today), pseudonyms=pseudonyms)
    resampling = {"resamples": RESAMPLES, "seed": SEED}
    return Release(project, rating_rows, {"of": AGREEMENT, **_of(material), "pseudonyms": pseudonyms, **resampling})


def of_grounds(project: Project, grounds: Grounds, *, pseudonyms: bool) -> Release:
    """From which the page of trust is counted again."""
    judge = _judge(grounds.judge) | {"rater": rater_of(grounds)}
    manifest = {"of": TRUST, **_of(grounds.given), "pseudonyms": pseudonyms, "judge": judge}
    manifest |= {"family": grounds.family, "drawn": grounds.drawn, "seed": DRAWN_BY}
    return Release(project, ground_rows(grounds, pseudonyms=pseudonyms), manifest)


def of_scores(project: Project, scores: Scores) -> Release:
    """From which the leaderboard of a judge is counted again."""
    skip_counts = {"verdicts": {"outdated": scores.outdated, "unjudged": scores.unjudged}}
    manifest = {"of": LEADERBOARD, "judge": _judge(scores.judge), "left_out": skip_counts, "seed": DRAWN_BY}
    return Release(project, score_rows(scores), manifest)


def _of(material: Material) -> dict[str, Any]:
    skip_counts = {side: {why: n for why, n in reasons.items() if n} for side, reasons in material.left_out.items()}
    manifest = {"what": material.subject.slug, "level": material.subject.level, "left_out": skip_counts}
    return manifest | {"resampled_by": material.resampled_by, "people_chosen": bool(material.chosen)}


def _judge(judge: Judge) -> dict[str, Any]:
    entry = {name: getattr(judge, name) for name in ("name", "strategy", "variant", "simulated")}
    return entry | ({"not_fenced": True} if judge.not_fenced else {})


def write(release: Release, out: Path, *, licence: str = "", note: str = "") -> dict[str, Any]:
    """The manifest of the file, which stands beside it as <file>.manifest.json. Raises OSError."""
    lines, manifest = content(release, licence=licence, note=note)
    write_whole(out, b"".join(lines))
    write_whole(manifest_beside(out), told_bytes(manifest))
    return manifest


def manifest_beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.manifest.json")


def content(release: Release, *, licence: str = "", note: str = "") -> tuple[list[bytes], dict[str, Any]]:
    """(lines of the file, its manifest)."""
    counts = Counts()
    lines = list(counts.lines(release.rows))
    return lines, _manifest(release, counts, licence or release.project.licence, note)


def told_bytes(manifest: dict[str, Any]) -> bytes:
    return (json.dumps(manifest, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()


def _manifest(release: Release, counts: Counts, licence: str, note: str) -> dict[str, Any]:
    project = release.project
    newest = project.releases.filter(state="done", withdrawn_at=None).order_by("-version").first()
    return {
        "format": FORMAT,
        "software": f"touchstone {software_version()}",
        "project": project.slug,
        "name": project.name,
        "kind": project.kind_slug,
        "created": timezone.now().isoformat(timespec="seconds"),
        "licence": licence or None,
        "note": note,
        **release.told,
        "open_studies": open_studies(project),
        "items": {"version": newest.version, "sha256": newest.sha256} if newest else None,
        "fields": list(counts.fields),
        "rows": counts.rows,
        "sha256": counts.digest.hexdigest(),
        "units": len(counts.units),
        "missing": counts.missing,
        "counts": counts.as_json(),
    }


def open_studies(project: Project) -> list[str]:
    """The studies in which people may still vote about answers of this project, by name; of those in which people vote
    here, a number: whoever leads the votes alone learns nothing of the study."""
    studies = Study.objects.filter(Q(source=project) | Q(project=project), closed_at=None).order_by("name", "pk")
    return [study.name if study.source_id == project.pk else f"study {study.pk}" for study in studies]
