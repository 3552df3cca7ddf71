"""Subjects on which raters can be compared (votes on answers, fields filled in by several people), and the options."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.kinds import all_kinds
from annotate.kinds.contract import Kind
from annotate.kinds.questions.base import Question
from annotate.kinds.questions.definition_texts import for_reader
from annotate.kinds.values import BadShape, Field
from annotate.models import Item, Project, Slot
from judging.models import Ballot, Verdict
from judging.ratings.units import CHECKLIST, PREFERENCE, SCORE, WHAT
from lib.stats.agreement import LEVELS, RESAMPLES, SEED, Level
from lib.stats.agreement.table import NAMES as COEFFICIENT_NAMES
from lib.stats.agreement.table import OF_NUMBERS

FIELD = "field:"  # before the name of a field
QUESTION = "question:"  # before the name of an own question
VOTES = f"{FIELD}votes"  # votes in a project of votes, which does not know the authors of the answers
COMPARED = ("choice", "choices", "flag")  # ways of filling in a field that give a label
LOOKED_AT = 50  # items whose fields are listed; some kinds have fields that only some of their items have
NAMES = {CHECKLIST: _("Checklist questions"), SCORE: _("Scores"), PREFERENCE: _("Preference pairs")}


@dataclass(frozen=True)
class RatingSubject:
    """slug: one of WHAT, or FIELD and the name of a field, or QUESTION and that of an own question.

    what: one of WHAT, "" for labels of a field or a question. measured: the level of a question. graded: the level
    of answers that agree by degrees: `masi`, `ranking` or `spans`; "" for others.
    """

    slug: str
    name: str | Promise
    what: str = ""
    measured: Level | None = None
    graded: str = ""

    @property
    def scored(self) -> bool:
        """Whether its values are numbers whose order counts."""
        return self.what == SCORE

    @property
    def question(self) -> str:
        """The name of the own question, "" for other subjects."""
        return self.slug.removeprefix(QUESTION) if self.slug.startswith(QUESTION) else ""

    @property
    def field(self) -> str:
        """The name of the field, `votes` in a project of votes; "" for what people and judges say of answers."""
        return self.slug.removeprefix(FIELD) if self.slug.startswith(FIELD) else ""

    @property
    def word(self) -> str:
        """As the option `--what` of commands names it."""
        return self.question or self.slug

    @property
    def level(self) -> Level:
        return self.measured or ("ordinal" if self.scored else "nominal")


def subjects(project: Project) -> list[RatingSubject]:
    """All subjects, those with votes of people first; one query, two with fields. Own questions whose answers are
    compared, without a query."""
    if project.kind.defined:
        return [subject_of(project.kind, name) for name in compared_names(project.kind)]
    flags = _existing_ratings(project)
    voted = {vote_kind for vote_kind in WHAT if flags[f"voted_{vote_kind}"]}
    judged = _judged(project, flags)
    about = [vote_kind for vote_kind in WHAT if vote_kind in voted] + [
        vote_kind for vote_kind in WHAT if vote_kind in judged - voted
    ]
    vote_subjects = [RatingSubject(vote_kind, NAMES[vote_kind], vote_kind) for vote_kind in about]
    return [*vote_subjects, *(_fields(project) if flags["overlapped"] else [])]


def compared_names(kind: Kind) -> list[str]:
    """The own questions and scores that raters are compared by, in order."""
    return [*(question.name for question in kind.questions().values() if question.level), *kind.scores()]


def weighed_subjects(project: Project) -> list[RatingSubject]:
    """The subjects by which a judge is weighed against people: what both say of answers, or own questions."""
    kind = project.kind
    if not kind.defined:
        return [subject for subject in subjects(project) if subject.slug in WHAT]
    return [subject_of(kind, name) for name in compared_names(kind)]


def subject_of(kind: Kind, name: str) -> RatingSubject:
    """name: of a question or a score."""
    return subject_of_question(name, kind.questions().get(name))


def subject_of_question(name: str, question: Question | None) -> RatingSubject:
    """question: None for a score. Labels, sets, orders and the like are equal or not, where a board knows no better."""
    if question is None:
        return RatingSubject(QUESTION + name, name, SCORE, "interval")
    of_numbers = question.level in ("ordinal", "interval")
    level: Level = cast(Level, question.level) if of_numbers else "nominal"
    label = for_reader(question.ask) if question.ask else name
    graded = "" if question.level in LEVELS else question.level
    return RatingSubject(QUESTION + name, label, SCORE if of_numbers else "", level, graded)


def why_not_compared(kind: Kind, name: str) -> str:
    """Why no board has numbers about the own question of this name; "" where there is none that lacks them."""
    question = kind.questions().get(name.removeprefix(QUESTION))
    if question is None or question.level:
        return ""
    compared = ", ".join(compared_names(kind)) or "no question"
    return (
        f"Answers to the question {question.name} are of the type {question.type}, which is not compared between "
        f"raters, so nothing is counted from them. The definition has for comparison: {compared}."
    )


def _existing_ratings(project: Project) -> dict[str, bool]:
    """Kind of ratings -> whether there are any, in one query."""
    verdicts = Verdict.objects.filter(judge__project=project)
    single, ballots = verdicts.single(), Ballot.objects.filter(first__item__project=project)
    kinds = {vote_kind: [slug for slug, kind in all_kinds().items() if kind.voted == vote_kind] for vote_kind in WHAT}
    flag_queries: dict[str, Any] = {
        "pairs": Exists(verdicts.pairwise()),
        "scores": Exists(single.filter(score_first__isnull=False)),
        "unscored": Exists(single.filter(score_first=None)),
        "parts": Exists(single.filter(parts__isnull=False)),
        # Of two slots one has a number above 1: so not every slot of the project is compared with its neighbours.
        "overlapped": Exists(overlapped(project).filter(no__gt=1)),
        **{
            f"voted_{vote_kind}": Exists(ballots.filter(item__project__kind_slug__in=kinds[vote_kind]))
            for vote_kind in WHAT
        },
    }
    return Project.objects.filter(pk=project.pk).annotate(**flag_queries).values(*flag_queries).get()


def _judged(project: Project, flags: Mapping[str, bool]) -> set[str]:
    """Kinds of ratings by judges; questions of single answers also if the kind's items have checklists."""
    questions = flags["unscored"] or (project.kind.judges_answers and flags["parts"])
    flag_by_kind = {PREFERENCE: flags["pairs"], CHECKLIST: questions, SCORE: flags["scores"]}
    return {vote_kind for vote_kind, is_there in flag_by_kind.items() if is_there}


def overlapped(project: Project) -> QuerySet[Slot]:
    """Slots of people who have worked independently on one item, for items that all of them have submitted.

    Until the last one has submitted, nothing of the item is compared, so that nobody learns what the others wrote.
    """
    round_slots = Slot.objects.filter(item=OuterRef("item"), round=OuterRef("round"), stage=Slot.Stage.ANNOTATE)
    unfinished_slots = round_slots.unfinished()
    other_slots = round_slots.filter(state=Slot.State.SUBMITTED).exclude(pk=OuterRef("pk"))
    submitted_slots = Slot.objects.filter(project=project, stage=Slot.Stage.ANNOTATE, state=Slot.State.SUBMITTED)
    return submitted_slots.filter(Exists(other_slots), ~Exists(unfinished_slots), item__purpose=Item.Purpose.WORK)


def _fields(project: Project) -> list[RatingSubject]:
    kind = project.kind
    if kind.voted:
        return [RatingSubject(VOTES, NAMES[kind.voted], kind.voted)]
    field_by_name: dict[str, Field] = {}
    for item in (
        Item.objects.filter(project=project, slots__in=overlapped(project)).distinct().order_by("pk")[:LOOKED_AT]
    ):
        try:
            facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
        except BadShape:
            continue
        field_by_name |= {field.name: field for field in kind.fields(facts) if field.how in COMPARED and not field.free}
    return [RatingSubject(FIELD + field.name, field.label) for field in field_by_name.values()]


# Options: the coefficient, the level of measurement, the division, and the number of resamples.


COSTLY = 40_000  # pairs of raters × units; from here on the first view has no intervals of means over pairs
HOPELESS = 2_000_000  # from here on there are none at all, and no slices
USUAL: Mapping[bool, str] = {False: "cohen_kappa", True: "weighted_kappa"}

GROUP, LANGUAGE, AUTHOR, AXIS, PERSON, STRATEGY = "group", "language", "author", "axis", "person", "strategy"
DIVISIONS: Mapping[str, str | Promise] = {
    GROUP: _("Group"),
    LANGUAGE: _("Language"),
    AUTHOR: _("Model"),
    AXIS: _("Question or criterion"),
    PERSON: _("Person"),
    STRATEGY: _("Strategy"),
}


@dataclass(frozen=True)
class ComparisonOptions:
    """by: one of DIVISIONS. draws: resamples; 0 for no intervals, -1 for what a page can wait for; seed: theirs."""

    coefficient: str
    level: Level
    by: str
    draws: int = RESAMPLES
    seed: int = SEED


def coefficients_of(subject: RatingSubject) -> Sequence[str]:
    """The coefficients defined for such ratings: labels have no distance."""
    numbers = subject.scored or subject.what == CHECKLIST
    return [name for name in COEFFICIENT_NAMES if numbers or name not in OF_NUMBERS]


def levels_of(subject: RatingSubject) -> Sequence[Level]:
    return LEVELS if subject.scored else (subject.level,)


def divisions_of(subject: RatingSubject) -> Sequence[str]:
    """Fields have no authors; only questions and criteria differ within a unit's answer."""
    if subject.question:
        return (GROUP, LANGUAGE, PERSON)
    if subject.field:
        return (GROUP, LANGUAGE, PERSON, AXIS) if subject.what in (CHECKLIST, SCORE) else (GROUP, LANGUAGE, PERSON)
    return tuple(by for by in DIVISIONS if by != AXIS or subject.what in (CHECKLIST, SCORE))


def comparison_options(
    subject: RatingSubject, *, coefficient: str = "", level: str = "", by: str = "", all_draws: bool = False
) -> ComparisonOptions:
    """Unknown words fall back to the defaults. all_draws: all resamples, however long they take."""
    levels = levels_of(subject)
    return ComparisonOptions(
        coefficient if coefficient in coefficients_of(subject) else USUAL[subject.scored],
        next((known_level for known_level in levels if known_level == level), subject.level),
        by if by in divisions_of(subject) else GROUP,
        RESAMPLES if all_draws else -1,
    )
