"""The options of agreement, and the ratings that they name. Unknown words fall back to the defaults."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from annotate.models import Member, Project
from judging.boards.options import BoardOptions
from judging.ratings.rating_subjects import ComparisonOptions, RatingSubject, comparison_options, subjects
from judging.ratings.tables import Somebody, UnitTable, unit_table
from judging.ratings.units import Today

ALL = "all"


@dataclass(frozen=True)
class AgreementQuery:
    """judge: whose matrix is open; None if nobody has judged. all_draws: all resamples, however long they take.

    names: key of a rater -> the name that this member may see.
    """

    subjects: Sequence[RatingSubject]
    today: Today
    found: UnitTable
    wish: ComparisonOptions
    judge: Somebody | None
    all_draws: bool
    everybody: Sequence[Somebody]  # all people, whether they were chosen or not
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def subject(self) -> RatingSubject:
        return self.found.subject

    def said(self, **changed: str) -> list[tuple[str, str]]:
        """Name and value of every parameter of the address."""
        parameters = {
            "about": self.subject.slug,
            "coefficient": self.wish.coefficient,
            "level": self.wish.level,
            "by": self.wish.by,
            "draws": ALL if self.all_draws else "",
        } | changed
        return [(name, value) for name, value in parameters.items() if value] + [
            ("raters", key) for key in self.found.chosen
        ]

    @property
    def matrix_of(self) -> Sequence[Somebody]:
        return [self.judge] if self.judge else []

    @property
    def address(self) -> str:
        return urlencode(self.said())

    @property
    def address_with_all_draws(self) -> str:
        return urlencode(self.said(draws=ALL))


@dataclass(frozen=True)
class QuestionsQuery:
    """All own questions of a project, whose answers are compared or not."""

    today: Today


class AgreementOptions(BoardOptions):
    """about: what was rated. judge: the key of the rater whose matrix is open. raters: keys of people; all if empty."""

    about: str = ""
    coefficient: str = ""
    level: str = ""
    by: str = ""
    draws: str = ""
    judge: str = ""
    raters: tuple[str, ...] = ()


def agreement_query(project: Project, options: AgreementOptions) -> AgreementQuery | QuestionsQuery | None:
    """The ratings that the options name, without names of people; None if the project has nothing to compare.

    In a project with own questions: one of them, or all if none is named.
    """
    project_subjects = subjects(project)
    if project.kind.defined and options.about not in [subject.slug for subject in project_subjects]:
        return QuestionsQuery(Today(project))
    if not project_subjects:
        return None
    subject = next(
        (candidate for candidate in project_subjects if candidate.slug == options.about), project_subjects[0]
    )
    today = Today(project)
    whole = unit_table(project, subject, today)
    selection = whole.of_people({person.key for person in whole.people} & set(options.raters))
    all_draws = options.draws == ALL
    judge = next(
        (candidate for candidate in selection.judges if candidate.key == options.judge),
        next(iter(selection.judges), None),
    )
    words = options.model_dump(include={"coefficient", "level", "by"})
    wish = comparison_options(subject, **words, all_draws=all_draws)
    return AgreementQuery(project_subjects, today, selection, wish, judge, all_draws, whole.people)


def named_query(query: AgreementQuery, member: Member) -> AgreementQuery:
    """With the names that this member may see."""
    people = [*query.everybody, *query.found.judges]
    return replace(query, names=_names(people, member))


def parse_agreement_query(request: HttpRequest, member: Member) -> AgreementQuery:
    """The query of a page behind the board; 404 if there is nothing to compare."""
    query = agreement_query(member.project, AgreementOptions.parse(request.GET, member.project))
    if not isinstance(query, AgreementQuery):
        raise Http404
    return named_query(query, member)


def _names(raters: Sequence[Somebody], member: Member) -> dict[str, str]:
    """Only leads read people's names."""
    return {
        rater.key: rater.name if rater.is_judge or member.leads else _("Person %(number)d") % {"number": rater.number}
        for rater in raters
    }
