"""A project whose items several authors have answered, and studies drawn from it."""

from collections.abc import Sequence
from typing import Any

from annotate.items import queue
from annotate.kinds import find_kind
from annotate.models import Annotation, Item, Member, Project
from annotate.work import submit
from judging.models import Study
from judging.studies.designs import Design, DrawPlan
from judging.studies.draw import draw
from judging.studies.plans import plan
from tests.support.judged import CORRECTION, answer_of, decided_item
from tests.support.people import make_project, written

OF_DESIGN = ("overlap", "budget", "repeats", "apart", "floor", "wave", "per_item")
AUTHORS = ("Opal-9B", "Jasper-70B", "Beryl")


def answered_project(items: int = 6, authors: Sequence[str] = AUTHORS, **columns: Any) -> Project:
    """Decided items of two groups, each with an answer of every author; no text says whose it is."""
    project = make_project(**columns)
    for number in range(items):
        item = decided_item(project, CORRECTION)
        Item.objects.filter(pk=item.pk).update(group="Coding" if number % 3 else "Reasoning")
        for place, author in enumerate(authors):
            answer_of(item, author, text=f"Mars has {place + 2} moons, number {number}.")
    return project


def wish(source: Project, kind: str = "preference", **changes: Any) -> DrawPlan:
    """changes: of the wish, or of its design."""
    into = changes.get("target")
    design = Design(
        **{name: changes.pop(name) for name in OF_DESIGN if name in changes}, name=changes.pop("design", "all")
    )
    said: dict[str, Any] = {"authors": AUTHORS, "items": 100, "seed": 7, "target": into, "design": design}
    return DrawPlan(source=source, kind=find_kind(kind), **said | changes)


def drawn(source: Project, kind: str = "preference", *, into: str = "votes", overlap: int = 2, **changes: Any) -> Study:
    target = Project.objects.filter(slug=into).first()
    return draw(plan(wish(source, kind, target=target, overlap=overlap, **changes)), into=into, by=None)


def vote(member: Member, draft: dict[str, Any]) -> Annotation:
    """Their next vote, handed in."""
    slot = queue.claim_next(member, "annotate")
    assert slot is not None
    said = written(slot, member, draft)
    submit.submit(annotation=said, token=slot.token, by=member.user)
    return Annotation.objects.get(pk=said.pk)


def prefers(choice: str, **more: Any) -> dict[str, Any]:
    return {"choice": choice, "reason": "", "recognised": False} | more
