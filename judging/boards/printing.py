"""Printed boards: the figures of one page, and what they are based on: data, versions, prompts, release, commands."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet, Subquery
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.models import Item, Project, PromptVersion, Release
from annotate.releases.manifests import software_version
from judging.models import Answer, Author, Judge, Study, Verdict
from judging.ratings.tables import UnitTable, figure_of

SHORT = 12  # characters of a digest that are enough to compare it
EXCLUDED: dict[str, str | Promise] = {
    "outdated": _("on an older text: left out"),
    "unjudged": _("answers without a verdict: left out"),
    "failed": _("failed calls: count as 0, as in published averages"),
    "unparsed": _("of these, replies that are not readable"),
    "undecided": _("on items that are not accepted yet: left out"),
    "superseded": _("replaced by the same judge: left out"),
    "unreadable": _("texts that can no longer be read: left out"),
    "no_judge": _("units rated by people but without a verdict: left out of the test"),
    "fewer_than_two_people": _("units with fewer than two people: left out of the test"),
    "one side": _("answers scored by one side only: left out of the calibration"),
    "alone": _("units rated by one rater only"),
    "missing": _("units that someone could not decide, or that are not readable"),
}


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


@dataclass(frozen=True)
class Recount:
    """How to recompute the numbers of a page from a release of ratings. sha256: of the file; lines: shell commands;
    the first writes the file, the last prints the numbers. file, manifest: names of the addresses that give both, ""
    if none does. holds_votes: the file holds what people said, so that those who still vote must not read it.
    """

    sha256: str
    lines: Sequence[str]
    holds_votes: bool = True
    file: str = ""
    manifest: str = ""


@dataclass(frozen=True)
class PrintedPart:
    """What a print shows. n: units it is based on. excluded: reasons and counts. draws, seed: of its resampling; no
    draws where nothing is resampled. options: of the command `report`, words: its `--option`s; options is None if no
    command prints these numbers. recounted: how to recompute them from a release; None if impossible. title, template:
    "" for the board's name and body.
    """

    context: Mapping[str, Any]
    judges: Sequence[Judge]
    n: int
    excluded: Sequence[tuple[str | Promise, int]]
    formula: str | Promise
    draws: int
    seed: int
    options: Mapping[str, str] | None
    words: Sequence[tuple[str, str]] = ()
    recounted: Callable[[Ground], Recount] | None = None
    title: str | Promise = ""
    template: str = ""


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


def excluded_counts(counts: Mapping[str, int]) -> list[tuple[str | Promise, int]]:
    """The reasons that occur, in words, with their counts."""
    return [(EXCLUDED.get(why, why), n) for why, n in counts.items() if n]


def left_out_of(material: UnitTable) -> list[tuple[str | Promise, int]]:
    return [row for reasons in material.left_out.values() for row in excluded_counts(reasons)]


def recount_flags(*, pseudonyms: bool, voting: bool) -> list[str]:
    """Flags of export_ratings. pseudonyms: people appear under their numbers. voting: the file is partial."""
    return [name for name, is_set in (("--pseudonyms", pseudonyms), ("--unfinished", voting)) if is_set]


def recount_lines(project: Project, file: str, export_args: Sequence[str], count_args: Sequence[str]) -> list[str]:
    words = (["export_ratings", project.slug, *export_args, "--out", file], ["verify", file], [*count_args, "--json"])
    return [shlex.join(["manage", *args]) for args in words]


def command(project: Project, report: str, part: PrintedPart) -> str:
    """The shell command that prints the same numbers; "" if none does."""
    if part.options is None:
        return ""
    option_args = [word for name, value in part.options.items() if value for word in (f"--{name}", value)]
    option_args += [word for name, value in part.words for word in ("--option", f"{name}={value}")]
    return shlex.join(["manage", "report", project.slug, report, *option_args, "--json"])
