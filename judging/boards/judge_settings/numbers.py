"""Comparison of judge settings: a sample of cases drawn once, a run for each setting over it, and their scores."""

import random
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from django.db import transaction
from django.db.models import Count, Q
from django.utils.translation import gettext as _

from annotate.errors import Refused
from annotate.models import Endpoint, Item, Job, Project, Run, User
from annotate.runs.plan import plan_run
from judging.access import INTENT
from judging.answers import store
from judging.answers.cases import cases, judgeable
from judging.models import Answer, Author, Verdict
from judging.ratings.intent_scores import UNKNOWN, CaseScore
from judging.strategies.intent.intent_replies import TEN
from judging.strategies.strategy import strategies
from judging.verdicts import verdict_scores
from judging.verdicts.subjects import OPTION, Sample, sample_of
from lib.stats.settings import Values

STRATEGY = "intent"
LEAST, MOST = 2, 5
LARGEST = 2000  # cases of a sample: their ids stand in every run


@dataclass(frozen=True)
class Setting:
    """A judge and the author of the references. endpoint: any that may be chosen."""

    endpoint: Endpoint
    reference: str


@dataclass(frozen=True)
class SettingsPlan:
    """authors: whose answers are judged; if none are named, all who have answered and are not a reference."""

    project: Project
    settings: Sequence[Setting]
    size: int
    seed: int
    authors: Sequence[str] = ()


def plan_settings(wish: SettingsPlan, *, by: User | None, budget: Decimal | None = None) -> list[Run]:
    """Plan a run for each setting, in their order; nothing is sent. Raises Refused and then stores nothing."""
    store.ensure(wish.project)
    sample = draw(wish)
    authors = _authors(wish)
    with transaction.atomic():
        return [
            plan_run(
                project=wish.project,
                purpose="judge",
                endpoint=setting.endpoint,
                by=by,
                options={"strategy": STRATEGY, "authors": authors, "reference": setting.reference} | sample.stored(),
                budget=budget,
                whole=True,
            )
            for setting in wish.settings
        ]


def draw(wish: SettingsPlan) -> Sample:
    """A sample of cases that all references and all judged authors have answered. The same seed draws the same.

    Raises Refused if the settings make no comparison, or there are fewer such cases than asked for.
    """
    _refuse_settings(wish)
    able = _able(wish)
    if not 0 < wish.size <= min(len(able), LARGEST):
        message = _("%(n)d cases have answers from all authors. Choose from 1 to %(most)d.")
        raise Refused(message % {"n": len(able), "most": min(len(able), LARGEST)})
    case_pks = random.Random(wish.seed).sample(able, wish.size)  # noqa: S311 - a sample that can be drawn again
    return Sample(secrets.token_hex(4), wish.seed, wish.size, sorted(case_pks))


def _refuse_settings(wish: SettingsPlan) -> None:
    pairs = [(setting.endpoint.pk, setting.reference) for setting in wish.settings]
    if not LEAST <= len(pairs) <= MOST:
        raise Refused(_("Choose from two to five settings."))
    if len(set(pairs)) < len(pairs):
        raise Refused(_("Two settings are the same. Each needs a different judge or reference."))
    author_names = {setting.reference for setting in wish.settings} | set(wish.authors)
    missing = author_names - set(
        Author.objects.filter(project=wish.project, name__in=author_names).values_list("name", flat=True)
    )
    if missing:
        raise Refused(_("There is no author “%(name)s”.") % {"name": min(missing)})
    if not _authors(wish):
        raise Refused(_("Nothing left to judge: all authors are references."))


def _authors(wish: SettingsPlan) -> list[str]:
    """The judged authors. A setting leaves out an author who is its reference."""
    references = {setting.reference for setting in wish.settings}
    available_authors = (
        Author.objects.filter(project=wish.project, answers__known=True).exclude(name__in=references).distinct()
    )
    return sorted(wish.authors) or list(available_authors.order_by("name").values_list("name", flat=True))


def _able(wish: SettingsPlan) -> list[int]:
    """Ids of the cases that suit the strategy and have answers of all, in order; four queries."""
    strategy = strategies()[STRATEGY]
    suited = [case.item.pk for case in cases(judgeable(wish.project).order_by("pk")) if strategy.suits(case.judged)]
    needed = {*_authors(wish), *(setting.reference for setting in wish.settings)}
    answers = Answer.objects.current().filter(author__project=wish.project, author__name__in=needed, known=True)
    by_item: dict[int, set[str]] = {}
    for item, author in answers.values_list("item_id", "author__name"):
        by_item.setdefault(item, set()).add(author)
    return [pk for pk in suited if needed <= by_item.get(pk, set())]


# Scores: what each setting says of the same cases, for the report and its page.


COLUMNS = ("job__run_id", "item_id", "first_id", "first__author__name", "repeat", "case_sha", "score_first")
OPEN = (Job.State.PENDING, Job.State.LEASED)


@dataclass(frozen=True)
class SettingScores:
    """One setting. said: scores by author and case. open, failed: counts of jobs; unread, outdated: of verdicts."""

    run: Run
    reference: str
    said: Sequence[CaseScore]
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
    settings: Sequence[SettingScores]

    def authors(self) -> list[str]:
        """Authors scored in at least two settings; others cannot be compared."""
        counts: dict[str, int] = {}
        for setting in self.settings:
            for author in {case_mean.author for case_mean in setting.said}:
                counts[author] = counts.get(author, 0) + 1
        return sorted(author for author, n in counts.items() if n > 1)

    def values(self) -> Values:
        """Array (settings, authors, cases), NaN if a setting has no score."""
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
    """The runs with these numbers. Raises Refused if one of them is not a judging run of this project."""
    matching_runs = Run.objects.filter(project=project, purpose="judge", pk__in=numbers).select_related(
        "endpoint", "project"
    )
    missing = sorted(set(numbers) - {run.pk for run in matching_runs})
    if missing:
        raise Refused(_("Run %(run)d is not a judging run of this project.") % {"run": missing[0]})
    return sorted(matching_runs, key=lambda run: run.pk)


def crossed(project: Project, runs: Sequence[Run]) -> Crossed:
    """The scores of these runs, always in six queries. Raises Refused if they are not about the same cases."""
    sample = same_sample(runs)
    subjects = verdict_scores.read_scored_items(project)
    current = set(Answer.objects.current().filter(author__project=project).values_list("pk", flat=True))
    languages = dict(Item.objects.filter(project=project).values_list("pk", "language"))
    open_, failed = Count("pk", filter=Q(state__in=OPEN)), Count("pk", filter=Q(state=Job.State.FAILED))
    jobs = Job.objects.filter(run__in=runs).order_by().values_list("run").annotate(open=open_, failed=failed)
    counts = {run: (open_count, lost) for run, open_count, lost in jobs}
    gathered = {run.pk: _SettingVerdicts() for run in runs}
    verdicts = Verdict.objects.single().filter(job__run__in=runs).order_by("pk")
    for run, item, answer, author, repeat, sha, score in verdicts.values_list(*COLUMNS).iterator(2000):
        tally = gathered[run]
        if item not in subjects or answer not in current or sha != subjects[item].sha256:
            tally.outdated += 1
        elif score is None:
            tally.unread += 1
        else:
            tally.scores.setdefault((author, item), {})[answer, repeat] = score
    return Crossed(sample, [_setting_scores(run, gathered[run.pk], subjects, languages, *counts.get(run.pk, (0, 0)))
                            for run in runs])  # fmt: skip


def same_sample(runs: Sequence[Run]) -> Sample:
    """The sample of these runs. Raises Refused if a run is about all cases, or two runs about different ones."""
    if len(runs) < 2:
        raise Refused(_("Choose at least two settings to compare."))
    first_pair, *other_pairs = [(run, sample_of(run)) for run in runs]
    for run, sample in (first_pair, *other_pairs):
        if sample is None:
            message = _("Run %(run)d covers all cases. Only runs on one sample can be compared.")
            raise Refused(message % {"run": run.pk})
    assert first_pair[1] is not None
    for run, sample in other_pairs:
        assert sample is not None
        differing = len(set(first_pair[1].items) ^ set(sample.items))
        if differing:
            message = _(
                "Runs %(one)d and %(other)d use different cases: %(n)d are only in one of them. Settings "
                "are compared on the same cases."
            )
            raise Refused(message % {"one": first_pair[0].pk, "other": run.pk, "n": differing})
    return first_pair[1]


class _SettingVerdicts:
    """scores: (author, item) -> (answer, repeat) -> the newest score."""

    def __init__(self) -> None:
        self.scores: dict[tuple[str, int], dict[tuple[int, int], float]] = {}
        self.unread = self.outdated = 0


def _setting_scores(
    run: Run,
    tally: _SettingVerdicts,
    subjects: dict[int, verdict_scores.ScoredItem],
    languages: dict[int, str],
    open_count: int,
    lost: int,
) -> SettingScores:
    case_means = [
        CaseScore(
            author,
            item,
            _first(subjects[item].labels.get(INTENT, ())),
            _language(subjects[item], languages[item]),
            mean,
            (TEN.low, TEN.top),
        )
        for (author, item), scores in tally.scores.items()
        for mean in [sum(scores.values()) / len(scores)]
    ]
    reference = str(run.options.get("reference", ""))
    return SettingScores(
        run, reference, case_means, open=open_count, failed=lost, unread=tally.unread, outdated=tally.outdated
    )


def _first(values: Iterable[str]) -> str:
    return next(iter(values), "")


def _language(subject: verdict_scores.ScoredItem, of_item: str) -> str:
    return _first(subject.labels.get("language", ())) or of_item or UNKNOWN
