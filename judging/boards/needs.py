"""What boards are made of. A need says how to find out whether a project has it, and where it is made if it has not.

The page of all boards looks for all needs in one statement; no board is computed for it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, Q, QuerySet
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.models import Annotation, Item, Job, Project
from judging.access import answered, has_answers, judged
from judging.models import Answer, Author, Ballot, Part, Verdict
from judging.ratings.rating_subjects import overlapped


@dataclass(frozen=True)
class Remedy:
    """A page where a lead makes what is missing. page: the name of its address, which holds only the project.

    query: what follows the address. suits: the projects that have the page and that it helps.
    """

    text: str | Promise
    page: str
    query: str = ""
    suits: Callable[[Project], bool] = lambda project: True

    def address(self, project: Project) -> str:
        return reverse(self.page, args=[project.slug]) + self.query


@dataclass(frozen=True)
class Need:
    """word: unique among needs. rows: a project -> what there must be one of. missing: what to say if there is none.

    remedies: where a lead makes it, the usual way first.
    """

    word: str
    rows: Callable[[Project], QuerySet[Any]]
    missing: str | Promise
    remedies: Sequence[Remedy] = ()

    def remedies_in(self, project: Project) -> list[tuple[str | Promise, str]]:
        """(text, address) of each remedy that suits the project."""
        return [(remedy.text, remedy.address(project)) for remedy in self.remedies if remedy.suits(project)]


def _takes_reports(project: Project) -> bool:
    return project.kind.takes_reports


def _asks_people(project: Project) -> bool:
    """Whether people rate or vote in the project itself, not in another one that a study makes."""
    return project.kind.judges_items or bool(project.kind.voted)


def _chooses_overlap(project: Project) -> bool:
    """Whether its lead says how many people write on an item; in a project of votes, the study does."""
    return not project.kind.voted


IMPORT = Remedy(_("Import a file"), "import")
SURVEY = Remedy(_("Public survey"), "survey_lead", suits=_takes_reports)
ANSWER = Remedy(_("Generate answers"), "run_new", "?run-purpose=answer", answered)
IMPORT_ANSWERS = Remedy(_("Import answers"), "answers_import", suits=has_answers)
JUDGE = Remedy(_("Judge with a model"), "run_new", "?run-purpose=judge", judged)
BRANCH = Remedy(_("Judge with a model"), "run_new", "?run-purpose=judge&run-option-strategy=branching", judged)
PROBE = Remedy(_("Plan a run"), "arithmetic")
IMPORT_JUDGEMENTS = Remedy(_("Import judgements"), "import_judgements", suits=has_answers)
STUDIES = Remedy(_("Go to vote studies"), "studies", suits=answered)
WORK = Remedy(_("Start working"), "work")
RATE = Remedy(_("Start working"), "work", suits=_asks_people)
PEOPLE = Remedy(_("Add people"), "people")
OVERLAP = Remedy(_("People per item"), "project_settings", "#id_overlap", _chooses_overlap)


def _answers(project: Project) -> QuerySet[Any]:
    """The project itself where nobody answers its items: judges then read what came with them."""
    if not answered(project):
        return Project.objects.filter(pk=project.pk)
    return Answer.objects.filter(item__project=project)


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


ITEMS = Need("items", lambda project: Item.objects.filter(project=project), _("Needs items."), (IMPORT, SURVEY))
RATINGS = Need("ratings", _ratings, _("Needs submitted ratings."), (WORK, PEOPLE))
ANSWERS = Need("answers", _answers, _("Needs answers of models to the accepted items."), (ANSWER, IMPORT_ANSWERS))
VERDICTS = Need("verdicts", _verdicts, _("Needs a judge's verdicts."), (JUDGE, IMPORT_JUDGEMENTS))
JUDGED_OR_RATED = Need(
    "judged_or_rated",
    lambda project: _ratings(project) if project.kind.judges_items else _verdicts(project),
    _("Needs verdicts of a judge, or people's answers to own questions."),
    (RATE, PEOPLE, JUDGE, IMPORT_JUDGEMENTS),
)
VOTES = Need("votes", _votes, _("Needs votes or ratings of people."), (STUDIES, RATE))
TWO_RATINGS = Need(
    "two_ratings",
    _two_ratings,
    _("Needs two ratings of the same thing: by several people, by votes, or by a judge."),
    (RATE, OVERLAP, PEOPLE, STUDIES, JUDGE),
)
PREFERENCES = Need(
    "preferences",
    _preferences,
    _("Needs preferences between answers: votes of people, or a judge that compares."),
    (STUDIES, RATE, JUDGE),
)
PERTURBED = Need(
    "perturbed",
    lambda project: _verdicts(project).filter(first__author__sort=Author.Sort.PERTURBED),
    _("Needs verdicts on gold answers and their perturbed versions."),
    (JUDGE,),
)
CRITERIA = Need(
    "criteria",
    _criteria,
    _("Needs pairs that were judged by criteria, with the strategy Branching."),
    (BRANCH,),
)
PROBES = Need(
    "probes",
    lambda project: Job.objects.filter(run__project=project, run__purpose="arithmetic"),
    _("Needs a test run, which is planned on its page."),
    (PROBE,),
)


def met_in(project: Project, needs: Iterable[Need]) -> set[Need]:
    """Those of the needs that the project meets, in one statement."""
    flags = {f"has_{need.word}": need for need in needs}
    if not flags:
        return set()
    questions = {flag: Exists(need.rows(project)) for flag, need in flags.items()}
    answers = Project.objects.filter(pk=project.pk).annotate(**questions).values(*questions).get()
    return {need for flag, need in flags.items() if answers[flag]}
