"""What raters of a project can be compared about: votes on answers, and fields that several people filled in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.kinds import all_kinds
from annotate.kinds.values import BadShape, Field
from annotate.models import Item, Project, Slot
from judging.models import Ballot, Verdict
from judging.services.ratings import CHECKLIST, PREFERENCE, SCORE, WHAT
from lib.stats.agreement import Level

FIELD = "field:"  # before the name of a field
VOTES = f"{FIELD}votes"  # what people say in a project of votes, of which nobody here knows whose the answers are
COMPARED = ("choice", "choices", "flag")  # ways of filling in a field that give a label
LOOKED_AT = 50  # items whose fields are listed; some kinds have fields that only some of their items have
NAMES = {CHECKLIST: _("Checklist questions"), SCORE: _("Scores"), PREFERENCE: _("Preferences")}


@dataclass(frozen=True)
class Subject:
    """slug: one of WHAT, or FIELD and the name of a field. what: one of WHAT, "" where it is a field of a form."""

    slug: str
    name: str | Promise
    what: str = ""

    @property
    def scored(self) -> bool:
        """Its values are numbers whose order counts."""
        return self.what == SCORE

    @property
    def field(self) -> str:
        """The name of the field, `votes` in a project of votes; "" for what people and judges say of answers."""
        return self.slug.removeprefix(FIELD) if self.slug.startswith(FIELD) else ""

    @property
    def level(self) -> Level:
        return "ordinal" if self.scored else "nominal"


def subjects(project: Project) -> list[Subject]:
    """In one query, two with fields; those that people have voted on first."""
    flags = _there(project)
    voted = {vote_kind for vote_kind in WHAT if flags[f"voted_{vote_kind}"]}
    judged = _judged(project, flags)
    about = [vote_kind for vote_kind in WHAT if vote_kind in voted] + [
        vote_kind for vote_kind in WHAT if vote_kind in judged - voted
    ]
    vote_subjects = [Subject(vote_kind, NAMES[vote_kind], vote_kind) for vote_kind in about]
    return [*vote_subjects, *(_fields(project) if flags["overlapped"] else [])]


def _there(project: Project) -> dict[str, bool]:
    """What there is any of, in one query."""
    verdicts = Verdict.objects.filter(judge__project=project)
    single, ballots = verdicts.single(), Ballot.objects.filter(first__item__project=project)
    kinds = {vote_kind: [slug for slug, kind in all_kinds().items() if kind.voted == vote_kind] for vote_kind in WHAT}
    flag_queries: dict[str, Any] = {
        "pairs": Exists(verdicts.pairwise()),
        "scores": Exists(single.filter(score_first__isnull=False)),
        "unscored": Exists(single.filter(score_first=None)),
        "parts": Exists(single.filter(parts__isnull=False)),
        "overlapped": Exists(overlapped(project)),
        **{
            f"voted_{vote_kind}": Exists(ballots.filter(item__project__kind_slug__in=kinds[vote_kind]))
            for vote_kind in WHAT
        },
    }
    return Project.objects.filter(pk=project.pk).annotate(**flag_queries).values(*flag_queries).get()


def _judged(project: Project, flags: Mapping[str, bool]) -> set[str]:
    """What judges say; questions of single answers also where the kind's items have checklists."""
    questions = flags["unscored"] or (project.kind.judges_answers and flags["parts"])
    flag_by_kind = {PREFERENCE: flags["pairs"], CHECKLIST: questions, SCORE: flags["scores"]}
    return {vote_kind for vote_kind, is_there in flag_by_kind.items() if is_there}


def overlapped(project: Project) -> QuerySet[Slot]:
    """Places of people who have written independently on one work item, where all of them are in.

    While one of them is still to come nothing of the item is compared: nobody is told what the others wrote.
    """
    round_slots = Slot.objects.filter(item=OuterRef("item"), round=OuterRef("round"), stage=Slot.Stage.ANNOTATE)
    unfinished_slots = round_slots.unfinished()
    other_slots = round_slots.filter(state=Slot.State.SUBMITTED).exclude(pk=OuterRef("pk"))
    submitted_slots = Slot.objects.filter(project=project, stage=Slot.Stage.ANNOTATE, state=Slot.State.SUBMITTED)
    return submitted_slots.filter(Exists(other_slots), ~Exists(unfinished_slots), item__purpose=Item.Purpose.WORK)


def _fields(project: Project) -> list[Subject]:
    kind = project.kind
    if kind.voted:
        return [Subject(VOTES, NAMES[kind.voted], kind.voted)]
    field_by_name: dict[str, Field] = {}
    for item in (
        Item.objects.filter(project=project, slots__in=overlapped(project)).distinct().order_by("pk")[:LOOKED_AT]
    ):
        try:
            facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
        except BadShape:
            continue
        field_by_name |= {field.name: field for field in kind.fields(facts) if field.how in COMPARED and not field.free}
    return [Subject(FIELD + field.name, field.label) for field in field_by_name.values()]
