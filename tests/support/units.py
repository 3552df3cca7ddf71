"""Projects of own questions in which items belong together."""

from typing import Any

from annotate.items import queue
from annotate.models import Item, Member, Project, Slot
from annotate.project.actions import create_project
from annotate.work import submit
from tests.support.people import make_item, written

IN_DOCUMENTS = """
show: [{field: sentence}]
questions: [{name: fluent, type: choice, options: ["yes", "no"]}]
unit: doc
"""
ALONE = IN_DOCUMENTS.replace("unit: doc\n", "")
ANSWER = {"fluent": "yes"}


def documents(slug: str = "documents", definition: str = IN_DOCUMENTS, **columns: Any) -> Project:
    return create_project(slug=slug, kind="form", definition=definition, **{"reviews": 0} | columns)


def sentences(project: Project, *docs: str, **columns: Any) -> list[Item]:
    """An item for each of these documents, in this order; "" stands alone."""
    return [
        make_item(project, facts={"sentence": f"{doc} {n}"}, metadata={"doc": doc, "model": f"m-{n}"}, **columns)
        for n, doc in enumerate(docs)
    ]


def taken(member: Member) -> Slot:
    slot = queue.claim_next(member, "annotate")
    assert slot is not None
    return slot


def answered(member: Member) -> Item:
    """The item of the next slot, after this person has submitted an answer in it."""
    slot = taken(member)
    submit.submit(annotation=written(slot, member, ANSWER), token=slot.token, by=member.user)
    return slot.item
