"""What models made of chained additions: trials read from the ledger, run by run."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from annotate.llm.reading import said
from annotate.models import Call, Job, Project, Run
from judging.purposes.arithmetic import PURPOSE, ArithmeticOptions, numbers_of
from lib.stats.arithmetic import Probed, Trial, final_number, probed

OPEN = (Job.State.PENDING, Job.State.LEASED)
NEWEST = 20  # runs that are shown; others can be named


@dataclass(frozen=True)
class Solved:
    """One chain with what was said about it."""

    job_id: int
    numbers: Sequence[int]
    reply: str
    trial: Trial


@dataclass(frozen=True)
class ProbeRun:
    """open, failed: jobs without a reply; they are no trials."""

    run: Run
    options: ArithmeticOptions
    solved: Sequence[Solved]
    found: Probed
    open: int = 0
    failed: int = 0


def probe_runs(project: Project, numbers: Sequence[int] = ()) -> list[ProbeRun]:
    """The newest runs of the probe, or those of these numbers, newest first. Three queries however many."""
    all_runs = Run.objects.filter(project=project, purpose=PURPOSE.slug).exclude(state=Run.State.CANCELLED)
    runs = list(
        (all_runs.filter(pk__in=numbers) if numbers else all_runs).select_related("endpoint").order_by("-pk")[:NEWEST]
    )
    open_count, lost = Count("pk", filter=Q(state__in=OPEN)), Count("pk", filter=Q(state=Job.State.FAILED))
    counted = Job.objects.filter(run__in=runs).order_by().values_list("run").annotate(open=open_count, failed=lost)
    counts = {run: (open_, failed) for run, open_, failed in counted}
    solved = _solved(runs)
    return [_probe(run, solved[run.pk], *counts.get(run.pk, (0, 0))) for run in runs]


def _solved(runs: Sequence[Run]) -> dict[int, list[Solved]]:
    """run -> its chains with a reply, by length and number; of a job that was asked again the newest reply."""
    by_run, replies = {run.pk: run for run in runs}, {}
    calls = Call.objects.filter(job__run__in=runs, job__state=Job.State.DONE, cause="").order_by("pk")
    for run, job, subject, reply in calls.values_list("job__run_id", "job_id", "job__subject", "reply").iterator(2000):
        replies[job] = (run, subject, said(reply))
    solved_by_run: dict[int, list[Solved]] = {run.pk: [] for run in runs}
    for job, (run, subject, reply) in replies.items():
        numbers = numbers_of(by_run[run], subject)
        solved_by_run[run].append(Solved(job, numbers, reply, Trial(len(numbers), sum(numbers), final_number(reply))))
    return {
        run: sorted(rows, key=lambda chain: (chain.trial.length, chain.job_id)) for run, rows in solved_by_run.items()
    }


def _probe(run: Run, solved: Sequence[Solved], open_count: int, lost: int) -> ProbeRun:
    options = ArithmeticOptions.model_validate(run.options)
    return ProbeRun(run, options, solved, probed([chain.trial for chain in solved]), open_count, lost)
