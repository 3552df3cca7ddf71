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
class Release:
    """What a file is to hold. told: what its manifest says beside what is counted."""

    project: Project
    rows: Iterable[dict[str, Any]]
    told: Mapping[str, Any]


def of_ratings(project: Project, found: Material, today: Today, *, pseudonyms: bool) -> Release:
    """From which the page of agreement is counted again."""
    given = rows(found, about(today), pseudonyms=pseudonyms)
    drawn = {"resamples": RESAMPLES, "seed": SEED}
    return Release(project, given, {"of": AGREEMENT, **_of(found), "pseudonyms": pseudonyms, **drawn})


def of_grounds(project: Project, grounds: Grounds, *, pseudonyms: bool) -> Release:
    """From which the page of trust is counted again."""
    judge = _judge(grounds.judge) | {"rater": rater_of(grounds)}
    told = {"of": TRUST, **_of(grounds.given), "pseudonyms": pseudonyms, "judge": judge}
    told |= {"family": grounds.family, "drawn": grounds.drawn, "seed": DRAWN_BY}
    return Release(project, ground_rows(grounds, pseudonyms=pseudonyms), told)


def of_scores(project: Project, found: Scores) -> Release:
    """From which the leaderboard of a judge is counted again."""
    left_out = {"verdicts": {"outdated": found.outdated, "unjudged": found.unjudged}}
    told = {"of": LEADERBOARD, "judge": _judge(found.judge), "left_out": left_out, "seed": DRAWN_BY}
    return Release(project, score_rows(found), told)


def _of(found: Material) -> dict[str, Any]:
    left_out = {side: {why: n for why, n in reasons.items() if n} for side, reasons in found.left_out.items()}
    told = {"what": found.subject.slug, "level": found.subject.level, "left_out": left_out}
    return told | {"resampled_by": found.resampled_by, "people_chosen": bool(found.chosen)}


def _judge(judge: Judge) -> dict[str, Any]:
    told = {name: getattr(judge, name) for name in ("name", "strategy", "variant", "simulated")}
    return told | ({"not_fenced": True} if judge.not_fenced else {})


def write(given: Release, out: Path, *, licence: str = "", note: str = "") -> dict[str, Any]:
    """The manifest of the file, which stands beside it as <file>.manifest.json. Raises OSError."""
    lines, told = content(given, licence=licence, note=note)
    write_whole(out, b"".join(lines))
    write_whole(manifest_beside(out), told_bytes(told))
    return told


def manifest_beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.manifest.json")


def content(given: Release, *, licence: str = "", note: str = "") -> tuple[list[bytes], dict[str, Any]]:
    """(lines of the file, its manifest)."""
    counts = Counts()
    lines = list(counts.lines(given.rows))
    return lines, _manifest(given, counts, licence or given.project.licence, note)


def told_bytes(manifest: dict[str, Any]) -> bytes:
    return (json.dumps(manifest, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()


def _manifest(given: Release, counts: Counts, licence: str, note: str) -> dict[str, Any]:
    project = given.project
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
        **given.told,
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
    here = Study.objects.filter(Q(source=project) | Q(project=project), closed_at=None).order_by("name", "pk")
    return [one.name if one.source_id == project.pk else f"study {one.pk}" for one in here]
