"""Releases of ratings: the rows of the page of trust, and the file of a release with its manifest.

The rows are ratings, each answer's scores, and both orders of a pair.
"""

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from django.db.models import Q
from django.utils import timezone

from annotate.models import Project
from annotate.releases.files import line_of, write_whole
from annotate.releases.manifests import software_version
from annotate.releases.verify_files import RATINGS_FORMAT
from judging.models import Judge, Study
from judging.ratings.grounds import AnswerInfo, Grounds, OrderedChoices, ScoredSide, key_of
from judging.ratings.rating_subjects import RatingSubject
from judging.ratings.release_rows import JUDGE, PERSON, BadRatingFile, RowContext, about, from_rows, rows, score_rows
from judging.ratings.tables import UnitTable
from judging.ratings.units import Today, parse_unit
from judging.verdicts.judge_identity import judge_in_manifest
from judging.verdicts.verdict_scores import JudgeScores
from lib.stats.agreement import RESAMPLES, SEED
from lib.stats.averages import AverageCell
from lib.stats.bootstrap import SEED as DRAWN_BY

RATING, ANSWER, ORDER = "rating", "answer", "order"
NOBODY = RowContext({}, {})


def ground_rows(grounds: Grounds, *, pseudonyms: bool) -> Iterator[dict[str, Any]]:
    """Ratings first; then the judge's and people's scores of each answer, and the orders in which it saw pairs."""
    yield from rows(grounds.given, NOBODY, pseudonyms=pseudonyms)
    judge = str(grounds.judge)
    yield from (_answer(row, judge) for row in grounds.scored)
    if grounds.seen is not None:
        for unit, choice, swapped in zip(*grounds.seen, strict=True):
            yield {
                "unit": str(unit),
                "rater": judge,
                "value": _number_or_none(choice),
                "kind": ORDER,
                "swapped": _number_or_none(swapped),
            }


def _answer(row: ScoredSide, judge: str) -> dict[str, Any]:
    return {
        "unit": str(row.unit),
        "rater": judge,
        "value": _number_or_none(row.judged),
        "kind": ANSWER,
        "said": _number_or_none(row.said),
        "place": row.place,
        "first": row.first,
        "cell": [row.cell.scenario, row.cell.task],
        "answer": row.answer.pk,
        "author": row.answer.author,
        "family": row.answer.family,
        "group": row.answer.group,
        "length": row.answer.length,
    }


def _number_or_none(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def ground_digest(grounds: Grounds, *, pseudonyms: bool) -> str:
    """SHA-256 of the file."""
    whole = hashlib.sha256()
    for row in ground_rows(grounds, pseudonyms=pseudonyms):
        whole.update(line_of(row))
    return whole.hexdigest()


def read_grounds(file_rows: Iterable[Mapping[str, Any]], manifest: Mapping[str, Any]) -> Grounds:
    """Raises BadRatingFile, KeyError, TypeError or ValueError if rows or manifest do not belong to such a release."""
    rows_of: dict[str, list[Mapping[str, Any]]] = {}
    for row in file_rows:
        kind = RATING if row["kind"] in (PERSON, JUDGE) else str(row["kind"])
        rows_of.setdefault(kind, []).append(row)
    rating_kind = str(manifest["what"])
    material = from_rows(
        rows_of.get(RATING, []), RatingSubject(rating_kind, rating_kind, rating_kind), manifest["left_out"]
    )
    judge = _judge_row(manifest["judge"], material)
    orders = _orders_seen(rows_of[ORDER]) if ORDER in rows_of else None
    family, is_drawn = str(manifest["family"]), bool(manifest["drawn"])
    return Grounds(material, judge, [_row(row) for row in rows_of.get(ANSWER, ())], family, orders, is_drawn)


def _judge_row(judge_entry: Mapping[str, Any], material: UnitTable) -> Judge:
    """The judge under the number that it has among the raters of the file."""
    number = next((rater.number for rater in material.judges if rater.name == judge_entry["rater"]), None)
    if number is None:
        raise BadRatingFile(
            f"The file has no rating of {judge_entry['rater']}, of which its manifest says that it is about it."
        )
    return judge_in_manifest(judge_entry, pk=number)


def _row(row: Mapping[str, Any]) -> ScoredSide:
    answer = AnswerInfo(int(row["answer"]), row["author"], row["family"], row["group"], int(row["length"]))
    cell, people_score, judged = AverageCell(*row["cell"]), _number(row["said"]), _number(row["value"])
    return ScoredSide(answer, parse_unit(row["unit"]), row["place"], cell, people_score, judged, bool(row["first"]))


def _orders_seen(order_rows: Sequence[Mapping[str, Any]]) -> OrderedChoices:
    choices, swapped = (np.array([_number(row[name]) for row in order_rows]) for name in ("value", "swapped"))
    return [parse_unit(row["unit"]) for row in order_rows], choices, swapped


def rater_of(grounds: Grounds) -> str:
    """The judge's name among the raters."""
    return next(rater.name for rater in grounds.given.judges if rater.key == key_of(grounds.judge))


# Writing: the file, and next to it the manifest that describes its content.


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
    return Release(
        project, rating_rows, {"of": AGREEMENT, **_manifest_subject(material), "pseudonyms": pseudonyms, **resampling}
    )


def of_grounds(project: Project, grounds: Grounds, *, pseudonyms: bool) -> Release:
    """A release from which the page of trust can be recomputed."""
    judge = _judge_entry(grounds.judge) | {"rater": rater_of(grounds)}
    manifest = {"of": TRUST, **_manifest_subject(grounds.given), "pseudonyms": pseudonyms, "judge": judge}
    manifest |= {"family": grounds.family, "drawn": grounds.drawn, "seed": DRAWN_BY}
    return Release(project, ground_rows(grounds, pseudonyms=pseudonyms), manifest)


def of_scores(project: Project, scores: JudgeScores) -> Release:
    """A release from which the leaderboard of a judge can be recomputed."""
    skip_counts = {"verdicts": {"outdated": scores.outdated, "unjudged": scores.unjudged}}
    manifest = {"of": LEADERBOARD, "judge": _judge_entry(scores.judge), "left_out": skip_counts, "seed": DRAWN_BY}
    return Release(project, score_rows(scores), manifest)


def _manifest_subject(material: UnitTable) -> dict[str, Any]:
    skip_counts = {side: {why: n for why, n in reasons.items() if n} for side, reasons in material.left_out.items()}
    manifest = {"what": material.subject.slug, "level": material.subject.level, "left_out": skip_counts}
    return manifest | {"resampled_by": material.resampled_by, "people_chosen": bool(material.chosen)}


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
