"""What boards are made of. A need says how to find out whether a project has it, and what to do where it has not.

The page of all boards looks for all needs in one statement; no board is computed for it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.models import Annotation, Item, Job, Project
from judging.models import Author, Ballot, Part, Verdict
from judging.ratings.rating_subjects import overlapped


@dataclass(frozen=True)
class Need:
    """word: unique among needs. rows: a project -> what there must be one of. missing: what to do about it."""

    word: str
    rows: Callable[[Project], QuerySet[Any]]
    missing: str | Promise


def _verdicts(project: Project) -> QuerySet[Verdict]:
    return Verdict.objects.filter(judge__project=project)


def _ratings(project: Project) -> QuerySet[Any]:
    return Annotation.objects.filter(item__project=project, submitted_at__isnull=False)


def _votes(project: Project) -> QuerySet[Any]:
    """People's ratings of what judges read: votes on answers, or answers to own questions about the items."""
    return _ratings(project) if project.kind.judges_items else Ballot.objects.filter(first__item__project=project)


def _two_ratings(project: Project) -> QuerySet[Project]:
    """The project itself, if anything in it may have been rated twice."""
    if project.kind.judges_items:
        return Project.objects.filter(Exists(_ratings(project)), pk=project.pk)
    voted, verdicts = Ballot.objects.filter(first__item__project=project), _verdicts(project)
    return Project.objects.filter(Exists(overlapped(project)) | Exists(voted) | Exists(verdicts), pk=project.pk)


def _preferences(project: Project) -> QuerySet[Any]:
    if project.kind.judges_items:
        return _ratings(project)
    pairs = Ballot.objects.filter(Q(item__project=project) | Q(first__item__project=project), second__isnull=False)
    return Project.objects.filter(
        Exists(pairs) | Exists(_verdicts(project).filter(second__isnull=False)), pk=project.pk
    )


def _criteria(project: Project) -> QuerySet[Part]:
    return Part.objects.filter(verdict__judge__project=project, verdict__second__isnull=False)


ITEMS = Need("items", lambda project: Item.objects.filter(project=project), _("Needs items: import a file."))
RATINGS = Need(
    "ratings",
    _ratings,
    _("Needs ratings: submit work, or import the ratings of others."),
)
VERDICTS = Need("verdicts", _verdicts, _("Needs a judge's verdicts: plan a run that judges, or import judgements."))
VOTES = Need(
    "votes",
    lambda project: _votes(project),
    _("Needs people's votes on answers: draw a vote study."),
)
TWO_RATINGS = Need(
    "two_ratings", _two_ratings, _("Needs two ratings of the same thing: several people per item, votes, or a judge.")
)
PREFERENCES = Need(
    "preferences", _preferences, _("Needs preferences between answers: draw a vote study, or let a judge compare.")
)
PERTURBED = Need(
    "perturbed",
    lambda project: _verdicts(project).filter(first__author__sort=Author.Sort.PERTURBED),
    _("Needs verdicts on perturbed answers: judge gold and perturbed answers."),
)
CRITERIA = Need("criteria", _criteria, _("Needs pairs that were judged by criteria: use the strategy Branching."))
PROBES = Need(
    "probes",
    lambda project: Job.objects.filter(run__project=project, run__purpose="arithmetic"),
    _("Needs a test run: open the page and plan one."),
)


def met_in(project: Project, needs: Iterable[Need]) -> set[Need]:
    """Those of the needs that the project meets, in one statement."""
    flags = {f"has_{need.word}": need for need in needs}
    if not flags:
        return set()
    questions = {flag: Exists(need.rows(project)) for flag, need in flags.items()}
    answers = Project.objects.filter(pk=project.pk).annotate(**questions).values(*questions).get()
    return {need for flag, need in flags.items() if answers[flag]}
