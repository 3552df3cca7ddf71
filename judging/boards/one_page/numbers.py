"""The basis of printed figures: data, versions, prompts, the dataset's release, and commands that repeat them."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet, Subquery

from annotate.models import Item, Project, PromptVersion, Release
from annotate.releases.files import software_version
from judging.boards.trust.numbers import Trust
from judging.cache import cached
from judging.models import Answer, Author, Judge, Study, Verdict
from judging.ratings.leaderboards import JudgeReading
from judging.ratings.rating_subjects import FIELD, ComparisonOptions
from judging.ratings.release_rows import digest, score_digest
from judging.ratings.tables import UnitTable, figure_of
from judging.ratings.units import Today

SHORT = 12  # characters of a digest that are enough to compare it


@dataclass(frozen=True)
class Ground:
    """items: decided ones. prompts: of all runs of the judges, as `scope/step/language vN digest`. sources: files that
    verdicts came from. studies: name and seed of each draw; voting: people still vote in one of them, or here.
    release: the newest valid one; None if there is none.
    """

    software: str
    items: int
    answers: int
    authors: int
    judges: Sequence[Judge]
    prompts: Sequence[str]
    sources: Sequence[str]
    studies: Sequence[tuple[str, int]]
    voting: bool
    release: Release | None


def ground(project: Project, judges: Sequence[Judge]) -> Ground:
    """Four queries."""
    verdicts = Verdict.objects.filter(judge__in=judges)
    files = verdicts.filter(job=None).exclude(source="").order_by("source")
    used = PromptVersion.objects.filter(runs__project=project, runs__judge_run__judge__in=judges)
    counts, release = _count_data(project)
    columns = ("source", "name", "seed", "closed_at")
    studies = list(Study.objects.filter(Q(source=project) | Q(project=project)).order_by("pk").values_list(*columns))
    return Ground(
        software=software_version(),
        **counts,
        judges=judges,
        prompts=[f"{version} {version.sha256[:SHORT]}" for version in used.distinct()],
        sources=list(files.values_list("source", flat=True).distinct()),
        studies=[(name, seed) for source, name, seed, _closed in studies if source == project.pk],
        voting=any(closed is None for *_study, closed in studies),
        release=release,
    )


def _count_data(project: Project) -> tuple[dict[str, int], Release | None]:
    """Counts of the data, and the newest valid release. One query."""
    things: Mapping[str, QuerySet[Any]] = {
        "items": Item.objects.counted().filter(project=project, state=Item.State.ACCEPTED),
        "answers": Answer.objects.current().filter(author__project=project),
        "authors": Author.objects.filter(project=project),
    }
    standing = Release.objects.filter(project=project, state=Release.State.DONE, withdrawn_at=None)
    newest = standing.order_by("-version")[:1]
    expressions = [figure_of(rows, Count("pk")) for rows in things.values()]
    expressions += [Subquery(newest.values(name)) for name in ("version", "sha256")]
    *counts, version, sha256 = Project.objects.filter(pk=project.pk).values_list(*expressions).get()
    numbers = {name: count or 0 for name, count in zip(things, counts, strict=True)}
    return numbers, Release(project=project, version=version, sha256=sha256) if version else None


@dataclass(frozen=True)
class Recount:
    """How to recompute the numbers of a page from a release of ratings. sha256: of the file; lines: shell commands;
    the first writes the file, the last prints the numbers."""

    sha256: str
    lines: Sequence[str]


def recount_agreement(
    project: Project, material: UnitTable, wish: ComparisonOptions, today: Today, *, pseudonyms: bool, voting: bool
) -> Recount:
    """pseudonyms: people appear under their numbers. voting: people still vote, so the file is partial."""
    subject_slug = material.subject.slug
    file = f"{project.slug}-{subject_slug.replace(FIELD, '')}-ratings.jsonl"
    counted = ["--level", wish.level, "--beside", wish.coefficient]
    resample_args = ["--resamples", str(wish.draws), "--seed", str(wish.seed)]
    people = ["--raters", ",".join(material.chosen)] if material.chosen else []
    export_args = ["--what", subject_slug, *people, *_flags(pseudonyms=pseudonyms, voting=voting)]
    lines = _lines(project, file, export_args, ["agreement", file, *counted, *resample_args])
    return Recount(digest(project, material, today, pseudonyms=pseudonyms), lines)


def recount_trust(project: Project, trust: Trust, *, pseudonyms: bool, voting: bool) -> Recount:
    file = f"{project.slug}-{trust.what}-trust.jsonl"
    flags = _flags(pseudonyms=pseudonyms, voting=voting)
    export_args = ["--of", "trust", "--what", trust.what, "--judge", str(trust.judge), *flags]
    lines = _lines(project, file, export_args, ["recount", file, "--epsilon", str(trust.epsilon)])
    return Recount(trust.sha256[pseudonyms], lines)


def recount_leaderboard(reading: JudgeReading) -> Recount:
    file = f"{reading.project.slug}-leaderboard.jsonl"
    export_args = ["--of", "leaderboard", "--judge", str(reading.judge)]
    sha256 = cached("scores-file", reading.state, lambda: score_digest(reading.scores))
    return Recount(sha256, _lines(reading.project, file, export_args, ["recount", file]))


def _flags(*, pseudonyms: bool, voting: bool) -> list[str]:
    return [name for name, is_set in (("--pseudonyms", pseudonyms), ("--unfinished", voting)) if is_set]


def _lines(project: Project, file: str, export_args: Sequence[str], counted: Sequence[str]) -> list[str]:
    words = (["export_ratings", project.slug, *export_args, "--out", file], ["verify", file], [*counted, "--json"])
    return [shlex.join(["manage", *args]) for args in words]


def command(project: Project, report: str, options: Mapping[str, str]) -> str:
    """The shell command that prints the same numbers."""
    option_args = [word for name, value in options.items() if value for word in (f"--{name}", value)]
    return shlex.join(["manage", "report", project.slug, report, *option_args, "--json"])
