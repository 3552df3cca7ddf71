"""Small worlds for tests: a project, its members, its items, each made in one line."""

from itertools import count
from typing import Any

from annotate.items import drafts, flow, slots
from annotate.models import Annotation, Item, Member, Project, Slot, User

_numbers = count(1)

FACTS = {
    "bench_type": "Error Correction",
    "user_query": "How many moons has Mars?",
    "origin_first_response": "Mars has three moons.",
}
DRAFT: dict[str, Any] = {
    "task_type": "Knowledge Q&A",
    "sub_task_type": "Objective Facts",
    "error_type": ["Factual Error"],
    "feedback": "That is one moon too many.",
    "feedback_type": ["Pointing Out Errors"],
    "checklist": [["Does it say that Mars has two moons?", 0.6], ["Does it name Phobos and Deimos?", 0.4]],
}


def make_project(**columns: Any) -> Project:
    slug = f"project-{next(_numbers)}"
    return Project.objects.create(**{"slug": slug, "name": slug.title(), "kind_slug": "feedback"} | columns)


def make_member(project: Project, role: str = "annotator", **columns: Any) -> Member:
    user = User.objects.create_user(f"{role}-{next(_numbers)}")
    return Member.objects.create(project=project, user=user, role=role, **columns)


def make_item(project: Project, *, suggestion: dict[str, Any] | None = None, **columns: Any) -> Item:
    """A ready item with its open slots."""
    key = f"item-{next(_numbers)}"
    columns = {"key": key, "title": key, "facts": FACTS, "content_hash": key} | columns
    item = Item.objects.create(project=project, **columns)
    if suggestion is not None:
        Annotation.objects.create(item=item, model="drafter-a", prompt_version="v4", draft=suggestion)
    flow.move(item, "ready", by=None)
    slots.open_annotating(item, project)
    return item


def written(slot: Slot, member: Member, draft: dict[str, Any] | None = None) -> Annotation:
    """The member's saved draft in a slot they hold."""
    item = Item.objects.get(pk=slot.item_id)
    annotation = drafts.open_draft(slot, author=member.user, item=item, project=member.project)
    return drafts.save(annotation, draft or DRAFT, revision=annotation.revision, decided=[])
