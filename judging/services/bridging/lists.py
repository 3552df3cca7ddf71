"""The judgements of the workshop, page by page, and whose turn it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from annotate.models import Item, Member, Project, Slot
from judging.services.bridging.stages import PROPOSED, STAGES, bridged

PAGE = 25


@dataclass(frozen=True)
class Listed:
    """One judgement of the list. slot: where somebody could take it up now; None where nobody can, or need."""

    item: Item
    stage: str
    slot: int | None

    @property
    def original(self) -> dict[str, Any]:
        return dict(self.item.facts.get("original") or {})

    @property
    def label(self) -> str:
        """People's; "" where there is none."""
        return str(self.item.facts.get("human_label") or "")


@dataclass(frozen=True)
class ListPage:
    """after: where the next page begins; None where there is none."""

    rows: Sequence[Listed]
    after: int | None


def listed(
    project: Project, *, stage: str = "", judge: str = "", style: str = "", after: int = 0, size: int = PAGE
) -> ListPage:
    """In the order of items, two queries. stage: of STAGES; "" is any.

    style: of one set, whose judge is that one, also where it has no name; without it judge is one of all, "" any.
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
    """The first proposal that this person may take up; nothing is claimed here. What they hold comes first."""
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
