"""The judges of a project: where their verdicts come from, how many could be read, what they cost."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from django.db.models import Count

from annotate.models import Job, Project, Run
from annotate.services.prompts import Key
from annotate.services.prompts.files import LANGUAGES, shipped
from judging.models import Judge, Part, Verdict
from judging.strategies import strategies
from judging.strategies.base import Strategy


@dataclass(frozen=True)
class JudgeRow:
    """One judge with everything it ever said.

    failed: calls without a reply, of files and of runs. flagged: verdicts of which a part was joined to its question
    other than word for word. runs: newest first. sources: imported file -> its verdicts. cost: USD of the runs.
    """

    judge: Judge
    verdicts: int
    unparsed: int
    failed: int
    flagged: int
    runs: Sequence[Run] = ()
    sources: Mapping[str, int] = field(default_factory=dict)

    @property
    def cost(self) -> Decimal | None:
        """None where nothing was asked through us, or only at endpoints without prices."""
        priced = [run.cost for run in self.runs if run.endpoint.is_priced]
        return sum(priced, Decimal(0)) if priced else None


@dataclass(frozen=True)
class Offered:
    """A strategy of the catalogue. prompts: step -> the prompts of it, one a language."""

    strategy: Strategy
    prompts: Mapping[str, Sequence[Key]]


def rows(project: Project) -> list[JudgeRow]:
    """In six queries however many. Judges that a run was planned for and that have said nothing yet are among them."""
    counts, flagged, sources = _readings(project), _flagged(project), _sources(project)
    runs, failed = _runs(project), _failed_jobs(project)
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
        )
        for judge in Judge.objects.filter(project=project)
    ]
    return sorted(judge_rows, key=lambda row: -row.verdicts)


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
    """By the judge that each names in its options; newest first."""
    runs_by_judge: dict[int, list[Run]] = defaultdict(list)
    for run in Run.objects.filter(project=project, purpose="judge").select_related("endpoint").order_by("-pk"):
        runs_by_judge[run.options.get("judge", 0)].append(run)
    return runs_by_judge


def _failed_jobs(project: Project) -> dict[int, int]:
    failed = Job.objects.filter(run__project=project, run__purpose="judge", state=Job.State.FAILED).order_by()
    return dict(failed.values_list("run").annotate(Count("pk")))


def catalogue() -> list[Offered]:
    return [Offered(strategy, _prompts(strategy)) for strategy in strategies().values()]


def _prompts(strategy: Strategy) -> dict[str, list[Key]]:
    files = shipped(strategy.family)
    return {
        step: [Key(strategy.family, step, language) for language in LANGUAGES if (step, language) in files]
        for step in strategy.steps
    }
