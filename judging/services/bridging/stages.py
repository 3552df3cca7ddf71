"""How far each judgement without criteria is: set aside, waiting, proposed, in review, approved, edited."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Case, CharField, Count, Exists, F, OuterRef, Q, QuerySet, TextField, Value, When
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.models import Annotation, Item, Project
from annotate.purposes.bridge import proposals

WAITING, PROPOSED, IN_REVIEW, APPROVED, EDITED = "waiting", "proposed", "in_review", "approved", "edited"
ORDERS, REFERENCE, NOTHING, DROPPED = "orders", "reference", "nothing", "dropped"
STAGES: Mapping[str, str | Promise] = {
    WAITING: _("Waiting for a proposal"),
    PROPOSED: _("Proposed"),
    IN_REVIEW: _("In review"),
    APPROVED: _("Approved as proposed"),
    EDITED: _("Edited and approved"),
    ORDERS: _("Set aside: orders disagree"),
    REFERENCE: _("Set aside: needs a reference"),
    NOTHING: _("Set aside: says nothing"),
    DROPPED: _("Dropped"),
}
SET_ASIDE = (ORDERS, REFERENCE, NOTHING)


@dataclass(frozen=True)
class Set:
    """Judgements of one judge in one style. counts: stage -> items."""

    judge: str
    style: str
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True)
class Progress:
    """sets: the largest first. counts: over all of them."""

    sets: Sequence[Set]

    @property
    def counts(self) -> Mapping[str, int]:
        count_by_stage: Counter[str] = Counter()
        for judgement_set in self.sets:
            count_by_stage.update(judgement_set.counts)
        return {stage: count_by_stage[stage] for stage in STAGES}

    @property
    def total(self) -> int:
        return sum(judgement_set.total for judgement_set in self.sets)

    @property
    def set_aside(self) -> int:
        return sum(self.counts[stage] for stage in SET_ASIDE)

    @property
    def decided(self) -> int:
        return self.counts[APPROVED] + self.counts[EDITED]


def bridged(project: Project) -> QuerySet[Any]:
    """Items with a judgement from elsewhere; each with its judge (`of`), its style and its `stage`.

    What people have decided is told before why it would have been set aside.
    """
    has = Item.objects.filter(project=project, purpose=Item.Purpose.WORK, facts__has_key="original")
    items = has.annotate(
        of=_text("judge"),
        style=_text("style"),
        said=_text("verdict"),
        swapped=_text("swapped"),
        is_proposed=Exists(proposals().filter(item=OuterRef("pk"))),
        as_proposed=Exists(Annotation.objects.filter(pk=OuterRef("base"), unchanged=True)),
    )
    says_something = Q(facts__original__has_any_keys=["text", "verdict", "score_first"])
    return items.annotate(
        stage=Case(
            When(state=Item.State.DROPPED, then=Value(DROPPED)),
            When(state=Item.State.ACCEPTED, is_proposed=True, as_proposed=True, then=Value(APPROVED)),
            When(state=Item.State.ACCEPTED, then=Value(EDITED)),
            When(state__in=(Item.State.REVIEWING, Item.State.ADJUDICATING), then=Value(IN_REVIEW)),
            When(~says_something, then=Value(NOTHING)),
            When(facts__original__has_key="reference", then=Value(REFERENCE)),
            When(~Q(swapped="") & ~Q(swapped=F("said")), then=Value(ORDERS)),
            When(is_proposed=True, then=Value(PROPOSED)),
            default=Value(WAITING),
            output_field=CharField(),
        )
    )


def _text(name: str) -> Coalesce:
    """A text of the original judgement, "" where it has none."""
    return Coalesce(KT(f"facts__original__{name}"), Value(""), output_field=TextField())


def progress(project: Project) -> Progress:
    """In one query."""
    by_set: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    rows = bridged(project).order_by().values_list("of", "style", "stage").annotate(n=Count("pk"))
    for judge, style, stage, number in rows:
        by_set[judge, style][stage] = number
    sets = [Set(judge, style, counts) for (judge, style), counts in by_set.items()]
    return Progress(
        sorted(sets, key=lambda judgement_set: (-judgement_set.total, judgement_set.judge, judgement_set.style))
    )
