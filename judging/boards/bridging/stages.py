"""Stages of judgements without criteria (set aside, waiting, proposed, in review, approved, edited), and their list."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Case, CharField, Count, Exists, F, OuterRef, Q, QuerySet, TextField, Value, When
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.models import Annotation, Item, Member, Project, Slot
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
    NOTHING: _("Set aside: no content"),
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
class BridgingProgress:
    """sets: the largest first. counts: over all sets."""

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

    A decision of people takes precedence over a reason to set the judgement aside.
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
    """A text of the original judgement, "" if it has none."""
    return Coalesce(KT(f"facts__original__{name}"), Value(""), output_field=TextField())


def progress(project: Project) -> BridgingProgress:
    """Counts by set and stage, in one query."""
    by_set: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    rows = bridged(project).order_by().values_list("of", "style", "stage").annotate(n=Count("pk"))
    for judge, style, stage, number in rows:
        by_set[judge, style][stage] = number
    sets = [Set(judge, style, counts) for (judge, style), counts in by_set.items()]
    return BridgingProgress(
        sorted(sets, key=lambda judgement_set: (-judgement_set.total, judgement_set.judge, judgement_set.style))
    )


# List: the judgements of the workshop, page by page, and who may take them up.


PAGE = 25


@dataclass(frozen=True)
class Listed:
    """One judgement of the list. slot: the one in which it can be taken up now; None if nobody can or needs to."""

    item: Item
    stage: str
    slot: int | None

    @property
    def original(self) -> dict[str, Any]:
        return dict(self.item.facts.get("original") or {})

    @property
    def label(self) -> str:
        """The label of people; "" if there is none."""
        return str(self.item.facts.get("human_label") or "")


@dataclass(frozen=True)
class ListPage:
    """after: where the next page begins; None where there is none."""

    rows: Sequence[Listed]
    after: int | None


def listed(
    project: Project, *, stage: str = "", judge: str = "", style: str = "", after: int = 0, size: int = PAGE
) -> ListPage:
    """One page by item, in two queries. stage: one of STAGES; "" for any.

    With a style, judge and style name one set, even if the judge has no name; without a style, judge "" means any.
    """
    judgements = _of_set(bridged(project), judge, style).filter(pk__gt=after).order_by("pk")
    if stage in STAGES:
        judgements = judgements.filter(stage=stage)
    items = list(judgements[: size + 1])
    page_items = items[:size]
    slots = _open_slots([item for item in page_items if item.stage == PROPOSED])
    rows = [Listed(item, item.stage, slots.get(item.pk)) for item in page_items]
    return ListPage(rows, page_items[-1].pk if len(items) > size else None)


def proposed(project: Project, *, judge: str = "", style: str = "") -> QuerySet[Any]:
    """Judgements whose proposal waits for approval; judge and style as in `listed`."""
    return _of_set(bridged(project), judge, style).filter(stage=PROPOSED)


def _of_set(judgements: QuerySet[Any], judge: str, style: str) -> QuerySet[Any]:
    if style:
        return judgements.filter(of=judge, style=style)
    return judgements.filter(of=judge) if judge else judgements


def next_proposed(project: Project, member: Member) -> Slot | None:
    """The first proposal that this person may take up; those that they hold come first. Claims nothing."""
    held = Slot.objects.held_by(member.user).filter(project=project, stage=Slot.Stage.ANNOTATE)
    proposed = bridged(project).filter(stage=PROPOSED).values("pk")
    open_slots = Slot.objects.open().filter(project=project, stage=Slot.Stage.ANNOTATE, item__in=proposed)
    free = open_slots.not_skipped_by(member.user).not_already_in(member.user).not_own_work(member.user)
    return held.filter(item__in=proposed).order_by("pk").first() or free.order_by("-priority", "pk").first()


def _open_slots(items: Sequence[Item]) -> dict[int, int]:
    """item -> its first open slot of annotating."""
    if not items:
        return {}
    open_slots = Slot.objects.open().filter(item__in=[item.pk for item in items], stage=Slot.Stage.ANNOTATE)
    return dict(open_slots.order_by("-pk").values_list("item_id", "pk"))
