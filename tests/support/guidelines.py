"""Accepted items under versions of guidelines, made with the services that people use."""

from typing import Any

from annotate.models import Guideline, Item, Project
from annotate.project.actions import write_guideline
from annotate.review import decisions
from tests.support.reviews import Case


def accepted(case: Case, key: str, *, draft: dict[str, Any] | None = None, group: str = "") -> Item:
    """Written, reviewed and accepted under the guidelines of this moment."""
    review = case.under_review(key, draft)
    assert review.slot is not None
    assert review.slot.token is not None
    decisions.accept(review=review, token=review.slot.token, by=case.reviewer)
    if group:
        Item.objects.filter(pk=review.item_id).update(group=group)
    return Item.objects.select_related("project").get(pk=review.item_id)


def new_version(project: Project, text: str, *, by: Any) -> Guideline:
    newest = project.guidelines.order_by("-version").first()
    project.__dict__.pop("guideline", None)  # remembered by whoever asked before
    return write_guideline(project, text=text, note="", by=by, based_on=newest.version if newest else 0)
