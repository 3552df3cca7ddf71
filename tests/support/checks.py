"""Projects that ask something of people before and while they work: calibration items, gold items, answers to them."""

from datetime import timedelta
from itertools import count
from typing import Any

from django.utils import timezone

from annotate.items import drafts
from annotate.models import Annotation, Item, Member, Project, Readiness, Slot
from annotate.work import submit
from annotate.work.desk import open_next
from tests.support.people import DRAFT, FACTS, make_project

_numbers = count(1)
WRONG: dict[str, Any] = {**DRAFT, "error_type": ["Logical Error"], "feedback_type": ["Clarifying Intent"]}


def asking(*, project: dict[str, Any] | None = None, **columns: Any) -> Project:
    """A project that asks; columns: of its Readiness."""
    made = make_project(**(project or {}))
    Readiness.objects.create(project=made, **columns)
    return made


def check(
    project: Project, purpose: str = "calibration", *, expected: Any = None, suggestion: Any = None, **columns: Any
) -> Item:
    """An accepted item with that purpose, and a model's draft as work has it."""
    key = f"check-{next(_numbers)}"
    columns = {"key": key, "title": key, "facts": FACTS, "content_hash": key, "group": "Maths"} | columns
    item = Item.objects.create(project=project, purpose=purpose, state="accepted", **columns)
    Annotation.objects.create(item=item, model="drafter-a", prompt_version="v4", draft=suggestion or DRAFT)
    base = Annotation.objects.create(
        item=item, rater="import", draft=expected or DRAFT, outcome="accepted", submitted_at=timezone.now()
    )
    Item.objects.filter(pk=item.pk).update(base=base)
    item.base = base
    return item


def fresh(member: Member) -> Member:
    """As a request finds it."""
    return Member.objects.select_related("project__readiness", "user").get(pk=member.pk)


def taken(member: Member) -> Slot:
    slot = open_next(fresh(member))
    assert slot is not None, "nothing was handed out"
    return slot


def answer(member: Member, slot: Slot, draft: dict[str, Any] | None = None) -> Annotation:
    """Hand in, in a slot that is held."""
    slot = Slot.objects.get(pk=slot.pk)
    mine = slot.annotations.get(author=member.user)
    drafts.save(mine, draft or DRAFT, revision=mine.revision, decided=[])
    submit.submit(annotation=mine, token=slot.token, by=member.user)
    return mine


def work_through(member: Member, count: int, draft: dict[str, Any] | None = None) -> list[Slot]:
    """Take and hand in so many items."""
    slots = []
    for _time in range(count):
        slots.append(taken(member))
        answer(member, slots[-1], draft)
    return slots


def earlier(annotation: Annotation, **ago: int) -> None:
    """It was handed in before."""
    Annotation.objects.filter(pk=annotation.pk).update(submitted_at=timezone.now() - timedelta(**ago))
