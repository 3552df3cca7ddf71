"""The judges of a project (sources of their verdicts, readability, costs), and the catalogue of strategies."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db.models import Count
from django.utils.translation import gettext as _

from annotate.engine.prompt_files import LANGUAGES, shipped
from annotate.engine.prompts import Key
from annotate.models import Job, Project, Run
from judging.models import Judge, Part, Verdict
from judging.strategies.strategy import Strategy
from judging.verdicts.judge_options import strategies_for


@dataclass(frozen=True)
class JudgeRow:
    """One judge with counts of all its verdicts.

    failed: calls without a reply, of files and of runs. flagged: verdicts with a part that was matched to its question
    other than word for word. runs: newest first. sources: imported file -> its verdicts. cost: USD of the runs.
    changed: what differs from the version before it, by name, such as `prompts checklist.verdicts.en`.
    """

    judge: Judge
    verdicts: int
    unparsed: int
    failed: int
    flagged: int
    runs: Sequence[Run] = ()
    sources: Mapping[str, int] = field(default_factory=dict)
    changed: Sequence[str] = ()

    @property
    def cost(self) -> Decimal | None:
        """None without runs of our own, or if all of their endpoints have no prices."""
        priced = [run.cost for run in self.runs if run.endpoint.is_priced]
        return sum(priced, Decimal(0)) if priced else None


@dataclass(frozen=True)
class Offered:
    """A strategy of the catalogue. prompts: step -> its prompts, one per language."""

    strategy: Strategy
    prompts: Mapping[str, Sequence[Key]]


def rows(project: Project) -> list[JudgeRow]:
    """All judges, always in six queries, including those with a planned run and no verdicts yet."""
    counts, flagged, sources = _readings(project), _flagged(project), _sources(project)
    runs, failed = _runs(project), _failed_jobs(project)
    judges = list(Judge.objects.filter(project=project))
    versions = {(judge.name, judge.strategy, judge.variant, judge.version): judge for judge in judges}
    judge_rows = [
        JudgeRow(
            judge=judge,
            verdicts=sum(counts[judge.pk].values()),
            unparsed=counts[judge.pk].get(Verdict.Reading.UNPARSED, 0),
            failed=counts[judge.pk].get(Verdict.Reading.FAILED, 0)
            + sum(failed.get(run.pk, 0) for run in runs[judge.pk]),
            flagged=flagged.get(judge.pk, 0),
            runs=runs[judge.pk],
            sources=sources[judge.pk],
            changed=_changed(versions.get((judge.name, judge.strategy, judge.variant, judge.version - 1)), judge),
        )
        for judge in judges
    ]
    return sorted(judge_rows, key=lambda row: -row.verdicts)


def _changed(older: Judge | None, newer: Judge) -> list[str]:
    """The names of what differs; none for a first version, and for one that is known from files only."""
    if older is None or not older.identity or not newer.identity:
        return []
    before, after = _flat(older.identity), _flat(newer.identity)
    return sorted(name for name in {*before, *after} if before.get(name) != after.get(name))


def _flat(identity: Mapping[str, Any]) -> dict[str, Any]:
    """{"prompts": {"a": 1}, "model": 2} as {"prompts a": 1, "model": 2}"""
    plain = {name: value for name, value in identity.items() if not isinstance(value, dict)}
    inner = [(name, value) for name, value in identity.items() if isinstance(value, dict)]
    return plain | {f"{outer} {name}": value for outer, values in inner for name, value in values.items()}


def _readings(project: Project) -> dict[int, dict[str, int]]:
    counts_by_judge: dict[int, dict[str, int]] = defaultdict(dict)
    counted = Verdict.objects.filter(judge__project=project).order_by().values_list("judge", "reading")
    for judge, reading, n in counted.annotate(Count("pk")):
        counts_by_judge[judge][reading] = n
    return counts_by_judge


def _flagged(project: Project) -> dict[int, int]:
    odd = Part.objects.filter(verdict__judge__project=project).exclude(joined=Part.Joined.EXACT).order_by()
    return dict(odd.values_list("verdict__judge").annotate(Count("verdict", distinct=True)))


def _sources(project: Project) -> dict[int, dict[str, int]]:
    counts_by_judge: dict[int, dict[str, int]] = defaultdict(dict)
    imported = Verdict.objects.filter(judge__project=project, job=None).order_by("source")
    for judge, source, n in imported.values_list("judge", "source").annotate(Count("pk")):
        counts_by_judge[judge][source] = n
    return counts_by_judge


def _runs(project: Project) -> dict[int, list[Run]]:
    """judge -> its runs, newest first."""
    runs_by_judge: dict[int, list[Run]] = defaultdict(list)
    judge_runs = Run.objects.filter(project=project, judge_run__isnull=False).order_by("-pk")
    for run in judge_runs.select_related("endpoint", "judge_run"):
        runs_by_judge[run.judge_run.judge_id].append(run)
    return runs_by_judge


def _failed_jobs(project: Project) -> dict[int, int]:
    failed = Job.objects.filter(run__project=project, run__purpose="judge", state=Job.State.FAILED).order_by()
    return dict(failed.values_list("run").annotate(Count("pk")))


# Versions: judges of equal name, strategy and variant.

NEWEST = "newest"


def newest_versions(judges: Iterable[Judge]) -> list[Judge]:
    """Of each judge its newest version among these, in their order."""
    judges = list(judges)
    newest: dict[tuple[str, ...], int] = {}
    for judge in judges:
        newest[_versioned(judge)] = max(newest.get(_versioned(judge), 0), judge.version)
    return [judge for judge in judges if judge.version == newest[_versioned(judge)]]


def judges_called(judges: Iterable[Judge], name: str) -> list[Judge]:
    """The judges that a name may mean: a full name is one version, `<full name> · newest` and a model the newest."""
    judges = list(judges)
    if full := [judge for judge in judges if name == str(judge)]:
        return full
    of_family = [judge for judge in judges if name == f"{judge.unversioned} · {NEWEST}"]
    return newest_versions(of_family or [judge for judge in judges if name == judge.name])


def judge_numbered(judges: Iterable[Judge], word: str) -> Judge | None:
    """The judge of an address: a number, or `newest-` and the number of any of its versions."""
    judges = list(judges)
    number = word.removeprefix(f"{NEWEST}-")
    judge = next((judge for judge in judges if str(judge.pk) == number), None)
    if judge is None or number == word:
        return judge
    return next(newer for newer in newest_versions(judges) if _versioned(newer) == _versioned(judge))


def newest_choices(judges: Iterable[Judge]) -> list[tuple[str, str]]:
    """(word for an address, name) of the newest version of each judge that has several among these."""
    judges = list(judges)
    counts = Counter(map(_versioned, judges))
    return [
        (f"{NEWEST}-{judge.pk}", _("%(judge)s · newest version") % {"judge": judge.unversioned})
        for judge in newest_versions(judges)
        if counts[_versioned(judge)] > 1
    ]


def _versioned(judge: Judge) -> tuple[str, str, str]:
    return judge.name, judge.strategy, judge.variant


def catalogue(project: Project) -> list[Offered]:
    return [Offered(strategy, _prompts(strategy)) for strategy in strategies_for(project)]


def _prompts(strategy: Strategy) -> dict[str, list[Key]]:
    files = shipped(strategy.family)
    return {
        step: [Key(strategy.family, step, language) for language in LANGUAGES if (step, language) in files]
        for step in strategy.steps
    }
