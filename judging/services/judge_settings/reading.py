"""What each setting of a sample says of the same cases, for the report and its page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Count, Q
from django.utils.translation import gettext as _

from annotate.models import Item, Job, Project, Run
from annotate.services.errors import Refused
from judging.models import Answer, Verdict
from judging.services import scoring
from judging.services.intents.reading import LABEL, UNKNOWN, Said
from judging.services.judgements.samples import OPTION, Sample, sample_of
from judging.strategies.intent.reading import TEN
from lib.stats.settings import Values

COLUMNS = ("job__run_id", "item_id", "first_id", "first__author__name", "repeat", "case_sha", "score_first")
OPEN = (Job.State.PENDING, Job.State.LEASED)


@dataclass(frozen=True)
class Told:
    """One setting. said: a score for each author and case. open, failed: its jobs. unread, outdated: verdicts."""

    run: Run
    reference: str
    said: Sequence[Said]
    open: int = 0
    failed: int = 0
    unread: int = 0
    outdated: int = 0

    @property
    def name(self) -> str:
        return f"{self.run.endpoint.model} / {self.reference}"


@dataclass(frozen=True)
class Crossed:
    """settings: in the order of their runs, all about the cases of the sample."""

    sample: Sample
    settings: Sequence[Told]

    def authors(self) -> list[str]:
        """Those whom at least two settings have scored; fewer cannot be compared."""
        counts: dict[str, int] = {}
        for setting in self.settings:
            for author in {case_mean.author for case_mean in setting.said}:
                counts[author] = counts.get(author, 0) + 1
        return sorted(author for author, n in counts.items() if n > 1)

    def values(self) -> Values:
        """(settings, authors, cases), NaN where a setting has no score."""
        authors = {author: index for index, author in enumerate(self.authors())}
        index_by_case = {pk: index for index, pk in enumerate(self.sample.items)}
        table = np.full((len(self.settings), len(authors), len(index_by_case)), np.nan)
        for number, setting in enumerate(self.settings):
            for case_mean in setting.said:
                if case_mean.author in authors:
                    table[number, authors[case_mean.author], index_by_case[case_mean.item_id]] = case_mean.score
        return table


def sampled_runs(project: Project) -> list[list[Run]]:
    """Runs that were planned together, the newest sample first, each in the order of its runs. One query."""
    judge_runs = Run.objects.filter(project=project, purpose="judge", options__has_key=OPTION).exclude(
        state=Run.State.CANCELLED
    )
    runs_by_sample: dict[str, list[Run]] = {}
    for run in judge_runs.select_related("endpoint", "project").order_by("pk"):
        sample = sample_of(run)
        assert sample is not None
        runs_by_sample.setdefault(sample.name, []).append(run)
    return sorted(runs_by_sample.values(), key=lambda group: -group[0].pk)


def named_runs(project: Project, numbers: Sequence[int]) -> list[Run]:
    """The runs of these numbers. Raises Refused where one of them is none that judges in this project."""
    matching_runs = Run.objects.filter(project=project, purpose="judge", pk__in=numbers).select_related(
        "endpoint", "project"
    )
    missing = sorted(set(numbers) - {run.pk for run in matching_runs})
    if missing:
        raise Refused(_("Run %(run)d judges nothing in this project.") % {"run": missing[0]})
    return sorted(matching_runs, key=lambda run: run.pk)


def crossed(project: Project, runs: Sequence[Run]) -> Crossed:
    """Six queries however many runs and cases. Raises Refused where they are not about the same cases."""
    sample = same_sample(runs)
    subjects = scoring.subjects(project)
    current = set(Answer.objects.current().filter(author__project=project).values_list("pk", flat=True))
    languages = dict(Item.objects.filter(project=project).values_list("pk", "language"))
    open_, failed = Count("pk", filter=Q(state__in=OPEN)), Count("pk", filter=Q(state=Job.State.FAILED))
    jobs = Job.objects.filter(run__in=runs).order_by().values_list("run").annotate(open=open_, failed=failed)
    counts = {run: (open_count, lost) for run, open_count, lost in jobs}
    gathered = {run.pk: _Gathered() for run in runs}
    verdicts = Verdict.objects.single().filter(job__run__in=runs).order_by("pk")
    for run, item, answer, author, repeat, sha, score in verdicts.values_list(*COLUMNS).iterator(2000):
        tally = gathered[run]
        if item not in subjects or answer not in current or sha != subjects[item].sha256:
            tally.outdated += 1
        elif score is None:
            tally.unread += 1
        else:
            tally.scores.setdefault((author, item), {})[answer, repeat] = score
    return Crossed(sample, [_told(run, gathered[run.pk], subjects, languages, *counts.get(run.pk, (0, 0)))
                            for run in runs])  # fmt: skip


def same_sample(runs: Sequence[Run]) -> Sample:
    """Raises Refused where a run is about all cases, or two are about different ones."""
    if len(runs) < 2:
        raise Refused(_("A comparison takes two settings at least."))
    first_pair, *other_pairs = [(run, sample_of(run)) for run in runs]
    for run, sample in (first_pair, *other_pairs):
        if sample is None:
            message = _("Run %(run)d is about all cases: only runs about one sample can be compared.")
            raise Refused(message % {"run": run.pk})
    assert first_pair[1] is not None
    for run, sample in other_pairs:
        assert sample is not None
        differing = len(set(first_pair[1].items) ^ set(sample.items))
        if differing:
            message = _(
                "Run %(one)d and run %(other)d are about different cases: %(n)d are only in one of them. Settings are "
                "compared over the same cases."
            )
            raise Refused(message % {"one": first_pair[0].pk, "other": run.pk, "n": differing})
    return first_pair[1]


class _Gathered:
    """scores: (author, item) -> (answer, repeat) -> the newest score."""

    def __init__(self) -> None:
        self.scores: dict[tuple[str, int], dict[tuple[int, int], float]] = {}
        self.unread = self.outdated = 0


def _told(
    run: Run,
    tally: _Gathered,
    subjects: dict[int, scoring.Subject],
    languages: dict[int, str],
    open_count: int,
    lost: int,
) -> Told:
    case_means = [
        Said(
            author,
            item,
            _first(subjects[item].labels.get(LABEL, ())),
            _language(subjects[item], languages[item]),
            mean,
            (TEN.low, TEN.top),
        )
        for (author, item), scores in tally.scores.items()
        for mean in [sum(scores.values()) / len(scores)]
    ]
    reference = str(run.options.get("reference", ""))
    return Told(run, reference, case_means, open=open_count, failed=lost, unread=tally.unread, outdated=tally.outdated)


def _first(values: Iterable[str]) -> str:
    return next(iter(values), "")


def _language(subject: scoring.Subject, of_item: str) -> str:
    return _first(subject.labels.get("language", ())) or of_item or UNKNOWN
