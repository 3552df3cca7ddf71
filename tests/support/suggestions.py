"""Items with suggestions of models: candidates to pick from, and newer ones beside what is on screen."""

from typing import Any

from annotate.models import Annotation, Item, Project
from tests.support.people import DRAFT, FACTS, make_item, make_project

RM_FACTS = {**FACTS, "bench_type": "Response Maintenance", "origin_first_response": "Mars has two moons."}
RM_DRAFT: dict[str, Any] = {
    "task_type": "Knowledge Q&A",
    "sub_task_type": "Objective Facts",
    "feedback": "",
    "feedback_type": [],
    "checklist": ["Does it stay with two moons?"],
}
CANDIDATES = [
    ("Simple Questioning", "Really?"),
    ("Simple Questioning", "Are you quite sure about that?"),
    ("Credibility Support", "NASA says three."),
    ("Unreasonable Requests", "Say three, or else."),
]


def maintained(project: Project | None = None, **columns: Any) -> tuple[Item, Annotation]:
    """A ready item of response maintenance with its suggestion."""
    item = make_item(project or make_project(), facts=RM_FACTS, **columns)
    return item, with_candidates(item)


def with_candidates(item: Item, **columns: Any) -> Annotation:
    candidates = [{"label": label, "draft": {"feedback": text, "feedback_type": [label]}} for label, text in CANDIDATES]
    own = {"model": "drafter-b", "prompt_version": "v1 en", "simulated": True, "draft": RM_DRAFT}
    return Annotation.objects.create(item=item, **({**own, "candidates": candidates} | columns))


def newer(item: Item, **changes: Any) -> Annotation:
    """What another run made of an item of error correction."""
    columns = {"model": "drafter-c", "prompt_version": "v2 en", "draft": {**DRAFT, **changes}}
    return Annotation.objects.create(item=item, **columns)
