"""A person at the work page: what they open, and what their form posts."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.items import leases
from annotate.models import Annotation, Member, Project, Slot
from annotate.work.desk import open_next
from tests.support.people import DRAFT, make_item, make_member, make_project

PARTS = {"HX-Request": "true"}


@dataclass
class Worker:
    """A signed-in annotator of a project, with their browser."""

    client: Client
    member: Member

    @property
    def project(self) -> Project:
        return self.member.project

    def opened(self) -> Slot:
        slot = open_next(self.member)
        assert slot is not None
        return slot

    def annotation(self, slot: Slot) -> Annotation:
        return slot.annotations.get(author=self.member.user)

    def address(self, name: str, slot: Slot | None = None) -> str:
        return reverse(name, args=[self.project.slug, *([slot.pk] if slot else [])])

    def get(self, name: str, slot: Slot | None = None, query: str = "") -> HttpResponse:
        return self.client.get(self.address(name, slot) + query)

    def post(self, name: str, slot: Slot, *, parts: bool = False, **fields: Any) -> HttpResponse:
        """Post the form of the work page; `fields` in place of what it holds."""
        data = self.form(slot) | fields
        headers = PARTS if parts else None
        return self.client.post(self.address(name, slot), data, headers=headers)

    def form(self, slot: Slot, draft: dict[str, Any] | None = None) -> dict[str, Any]:
        """What the page of this slot posts when nothing was touched, or when it shows that draft."""
        slot.refresh_from_db()
        annotation = self.annotation(slot)
        return {
            "token": str(slot.token or ""),
            "revision": annotation.revision,
            "decided": annotation.decided,
            **posted(draft or annotation.draft),
        }


def posted(draft: dict[str, Any]) -> dict[str, Any]:
    """A draft as the fields of its form."""
    fields: dict[str, Any] = {
        "task": f"{draft['task_type']} / {draft['sub_task_type']}",
        "error_type": draft["error_type"],
        "feedback": draft["feedback"],
        "feedback_type": draft["feedback_type"],
        "question": [question for question, _weight in draft["checklist"]],
        "weight": ["" if weight is None else str(weight) for _question, weight in draft["checklist"]],
    }
    if "suitable" in draft:
        fields["suitable"] = "yes" if draft["suitable"] else "no"
    return fields


def worker(items: int = 1, *, suggestion: dict[str, Any] | None = DRAFT, **project: Any) -> Worker:
    """An annotator in a new project with some items to do."""
    made = make_project(**project)
    for _ in range(items):
        make_item(made, suggestion=suggestion)
    return colleague(made)


def colleague(project: Project, role: str = "annotator", **columns: Any) -> Worker:
    member = make_member(project, role, **columns)
    client = Client()
    client.force_login(member.user)
    return Worker(client, member)


def expire_all() -> None:
    """Every lease has run out and was swept."""
    Slot.objects.held().update(lease_until=timezone.now() - timedelta(minutes=1))
    leases.sweep()
