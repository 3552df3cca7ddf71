"""An item on its way through review, made with the services that people use."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils import timezone

from annotate.items import drafts, flow, queue, slots
from annotate.models import Annotation, Guideline, Item, Member, Project, Slot, User
from annotate.work import submit

FACTS = {
    "bench_type": "Error Correction",
    "user_query": "Which is heavier, a kilogram of feathers or a kilogram of iron?",
    "origin_first_response": "Iron is heavier, because it is denser.",
}
SUGGESTED = {
    "task_type": "Reasoning",
    "sub_task_type": "IQ Questions",
    "error_type": ["Logical Error"],
    "feedback": "That is wrong. Both weigh the same.",
    "feedback_type": ["Pointing Out Errors"],
    "checklist": [
        ["Does the answer say that both weigh the same?", 0.6],
        ["Does it take back the earlier claim?", 0.4],
    ],
}
WRITTEN = {**SUGGESTED, "feedback": "That is not right. Both weigh the same: a kilogram is a kilogram."}


@dataclass
class Case:
    """A project with an annotator, a reviewer, a lead, a viewer and a stranger; items are added by the tests."""

    project: Project
    annotator: User
    reviewer: User
    lead: User
    viewer: User
    stranger: User

    def member(self, user: User) -> Member:
        return Member.objects.select_related("project", "user").get(project=self.project, user=user)

    def item(self, key: str = "k-1", *, suggestion: dict[str, Any] | None = SUGGESTED) -> Item:
        item = Item.objects.create(
            project=self.project, key=key, title=FACTS["user_query"], facts=FACTS, content_hash=key, language="en"
        )
        if suggestion:
            Annotation.objects.create(
                item=item, model="drafter-a", prompt_version="v4", draft=suggestion, submitted_at=timezone.now()
            )
        flow.move(item, "ready", by=None)
        slots.open_annotating(item, self.project)
        return item

    def written(self, item: Item, draft: dict[str, Any] | None = None, *, by: User | None = None) -> Annotation:
        """Handed in by the annotator; the review is open to be taken up at once."""
        author = by or self.annotator
        slot = queue.claim(self.open_slot(item, "annotate").pk, self.member(author))
        assert slot is not None
        annotation = drafts.open_draft(slot, author=author, item=item, project=self.project)
        drafts.save(annotation, draft or WRITTEN, revision=annotation.revision, decided=[], seconds=60)
        submit.submit(annotation=annotation, token=slot.token, by=author)
        Slot.objects.filter(item=item, stage="review").update(opens_at=timezone.now() - timedelta(seconds=1))
        item.refresh_from_db()
        return annotation

    def open_slot(self, item: Item, stage: str) -> Slot:
        return Slot.objects.open().get(item=item, stage=stage, round=item.round)

    def review(self, item: Item, *, by: User | None = None) -> Annotation:
        """Taken up by the reviewer; `.slot.token` is the lease."""
        person = by or self.reviewer
        slot = queue.claim(self.open_slot(item, "review").pk, self.member(person))
        assert slot is not None
        item.refresh_from_db()
        return drafts.open_draft(slot, author=person, item=item, project=self.project)

    def under_review(self, key: str = "k-1", draft: dict[str, Any] | None = None) -> Annotation:
        item = self.item(key)
        self.written(item, draft)
        return self.review(item)

    @staticmethod
    def fix(review: Annotation, **changes: Any) -> Annotation:
        return drafts.save(review, {**review.draft, **changes}, revision=review.revision, decided=[])


def make_case(slug: str = "fb", **project: Any) -> Case:
    made = Project.objects.create(slug=slug, name="Feedback", kind_slug="feedback", **project)
    Guideline.objects.create(project=made, version=1, text="Be kind.")
    users = {role: User.objects.create_user(role) for role in ("annotator", "reviewer", "lead", "viewer")}
    for role, user in users.items():
        Member.objects.create(project=made, user=user, role=role)
    return Case(made, stranger=User.objects.create_user("stranger"), **users)
