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
    there = _there(project)
    voted = {what for what in WHAT if there[f"voted_{what}"]}
    judged = _judged(project, there)
    about = [what for what in WHAT if what in voted] + [what for what in WHAT if what in judged - voted]
    found = [Subject(what, NAMES[what], what) for what in about]
    return [*found, *(_fields(project) if there["overlapped"] else [])]


def _there(project: Project) -> dict[str, bool]:
    """What there is any of, in one query."""
    verdicts = Verdict.objects.filter(judge__project=project)
    single, ballots = verdicts.single(), Ballot.objects.filter(first__item__project=project)
    kinds = {what: [slug for slug, kind in all_kinds().items() if kind.voted == what] for what in WHAT}
    asked: dict[str, Any] = {
        "pairs": Exists(verdicts.pairwise()),
        "scores": Exists(single.filter(score_first__isnull=False)),
        "unscored": Exists(single.filter(score_first=None)),
        "parts": Exists(single.filter(parts__isnull=False)),
        "overlapped": Exists(overlapped(project)),
        **{f"voted_{what}": Exists(ballots.filter(item__project__kind_slug__in=kinds[what])) for what in WHAT},
    }
    return Project.objects.filter(pk=project.pk).annotate(**asked).values(*asked).get()


def _judged(project: Project, there: Mapping[str, bool]) -> set[str]:
    """What judges say; questions of single answers also where the kind's items have checklists."""
    questions = there["unscored"] or (project.kind.judges_answers and there["parts"])
    said = {PREFERENCE: there["pairs"], CHECKLIST: questions, SCORE: there["scores"]}
    return {what for what, is_there in said.items() if is_there}


def overlapped(project: Project) -> QuerySet[Slot]:
    """Places of people who have written independently on one work item, where all of them are in.

    While one of them is still to come nothing of the item is compared: nobody is told what the others wrote.
    """
    mine = Slot.objects.filter(item=OuterRef("item"), round=OuterRef("round"), stage=Slot.Stage.ANNOTATE)
    waiting = mine.unfinished()
    others = mine.filter(state=Slot.State.SUBMITTED).exclude(pk=OuterRef("pk"))
    found = Slot.objects.filter(project=project, stage=Slot.Stage.ANNOTATE, state=Slot.State.SUBMITTED)
    return found.filter(Exists(others), ~Exists(waiting), item__purpose=Item.Purpose.WORK)


def _fields(project: Project) -> list[Subject]:
    kind = project.kind
    if kind.voted:
        return [Subject(VOTES, NAMES[kind.voted], kind.voted)]
    named: dict[str, Field] = {}
    for item in (
        Item.objects.filter(project=project, slots__in=overlapped(project)).distinct().order_by("pk")[:LOOKED_AT]
    ):
        try:
            facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
        except BadShape:
            continue
        named |= {one.name: one for one in kind.fields(facts) if one.how in COMPARED and not one.free}
    return [Subject(FIELD + one.name, one.label) for one in named.values()]
