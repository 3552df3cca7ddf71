"""Releases of ratings, from which a page of numbers can be recomputed: the file, and its manifest."""

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
from annotate.releases.files import line_of, write_whole
from annotate.releases.manifests import software_version
from annotate.releases.verify_files import RATINGS_FORMAT
from judging.models import Judge, Study
from judging.ratings.grounds import Grounds
from judging.ratings.rating_subjects import RatingSubject
from judging.ratings.release_rows import about, rows, score_rows
from judging.ratings.tables import UnitTable
from judging.ratings.trust_rows import ground_rows, rater_of
from judging.ratings.units import Today
from judging.verdicts.verdict_scores import JudgeScores
from lib.stats.agreement import RESAMPLES, SEED
from lib.stats.bootstrap import SEED as DRAWN_BY

AGREEMENT, TRUST, LEADERBOARD = "agreement", "trust", "leaderboard"
COUNTED = ("kind", "rater", "group", "language", "axis", "author")


@dataclass
class ReleaseCounts:
    """Counts of the rows, taken while they are written."""

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
    """The content of a file. told: what its manifest says in addition to the counts."""

    project: Project
    rows: Iterable[dict[str, Any]]
    told: Mapping[str, Any]


def of_ratings(project: Project, material: UnitTable, today: Today, *, pseudonyms: bool) -> Release:
    """A release from which the page of agreement can be recomputed."""
    rating_rows = rows(material, about(today), pseudonyms=pseudonyms)
    resampling = {"resamples": RESAMPLES, "seed": SEED}
    manifest = _manifest_subject(project, material) | {"pseudonyms": pseudonyms, **resampling}
    return Release(project, rating_rows, {"of": AGREEMENT, **manifest})


def of_grounds(project: Project, grounds: Grounds, *, pseudonyms: bool) -> Release:
    """A release from which the page of trust can be recomputed."""
    judge = _judge_entry(grounds.judge) | {"rater": rater_of(grounds)}
    manifest = {"of": TRUST, **_manifest_subject(project, grounds.given), "pseudonyms": pseudonyms, "judge": judge}
    manifest |= {"family": grounds.family, "drawn": grounds.drawn, "seed": DRAWN_BY}
    return Release(project, ground_rows(grounds, pseudonyms=pseudonyms), manifest)


def of_scores(project: Project, scores: JudgeScores) -> Release:
    """A release from which the leaderboard of a judge can be recomputed."""
    skip_counts = {"verdicts": {"outdated": scores.outdated, "unjudged": scores.unjudged}}
    manifest = {"of": LEADERBOARD, "judge": _judge_entry(scores.judge), "left_out": skip_counts, "seed": DRAWN_BY}
    return Release(project, score_rows(scores), manifest)


def _manifest_subject(project: Project, material: UnitTable) -> dict[str, Any]:
    skip_counts = {side: {why: n for why, n in reasons.items() if n} for side, reasons in material.left_out.items()}
    manifest: dict[str, Any] = {"what": material.subject.slug, "level": material.subject.level, "left_out": skip_counts}
    manifest |= {"resampled_by": material.resampled_by, "people_chosen": bool(material.chosen)}
    return manifest | _question_entry(project, material.subject)


def _question_entry(project: Project, subject: RatingSubject) -> dict[str, Any]:
    """How the definition asks an own question, or makes a score; nothing for other subjects."""
    if not subject.question:
        return {}
    question = project.kind.questions().get(subject.question)
    if question is not None:
        return {"question": question.as_document()}
    return {"score": project.kind.scores()[subject.question].stored()}


def _judge_entry(judge: Judge) -> dict[str, Any]:
    entry = {name: getattr(judge, name) for name in ("name", "strategy", "variant", "simulated")}
    entry |= {"version": judge.version} if judge.version > 1 else {}
    return entry | ({"not_fenced": True} if judge.not_fenced else {})


def write(release: Release, out: Path, *, licence: str = "", note: str = "") -> dict[str, Any]:
    """Write the file, and next to it <file>.manifest.json; gives the manifest. Raises OSError."""
    lines, manifest = content(release, licence=licence, note=note)
    write_whole(out, b"".join(lines))
    write_whole(manifest_beside(out), manifest_as_bytes(manifest))
    return manifest


def manifest_beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.manifest.json")


def content(release: Release, *, licence: str = "", note: str = "") -> tuple[list[bytes], dict[str, Any]]:
    """(lines of the file, its manifest)."""
    counts = ReleaseCounts()
    lines = list(counts.lines(release.rows))
    return lines, _manifest(release, counts, licence or release.project.licence, note)


def manifest_as_bytes(manifest: dict[str, Any]) -> bytes:
    return (json.dumps(manifest, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()


def _manifest(release: Release, counts: ReleaseCounts, licence: str, note: str) -> dict[str, Any]:
    project = release.project
    newest = project.releases.filter(state="done", withdrawn_at=None).order_by("-version").first()
    return {
        "format": RATINGS_FORMAT,
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
    """The studies in which people may still vote about answers of this project, by name; for studies whose votes are in
    this project only a number, because a lead of the votes alone must learn nothing of the study."""
    studies = Study.objects.filter(Q(source=project) | Q(project=project), closed_at=None).order_by("name", "pk")
    return [study.name if study.source_id == project.pk else f"study {study.pk}" for study in studies]
