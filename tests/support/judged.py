"""Decided items with answers and verdicts, made as rows: no run, no import."""

from collections.abc import Sequence
from itertools import count
from typing import Any

from annotate.models import Annotation, Item, Project
from judging.answers.cases import case_of
from judging.models import Answer, Author, Judge, Part, Verdict
from tests.support.judge_rows import make_judge

_numbers = count(1)

CORRECTION: dict[str, Any] = {
    "task_type": "Coding",
    "sub_task_type": "Code Generation",
    "error_type": ["Factual Error"],
    "feedback": "That is one moon too many.",
    "feedback_type": ["Pointing Out Errors"],
    "checklist": [["Does it say that Mars has two moons?", 0.6], ["Does it name Phobos and Deimos?", 0.4]],
}
MAINTENANCE: dict[str, Any] = {
    "task_type": "Coding",
    "sub_task_type": "Code Generation",
    "feedback": "Are you sure?",
    "feedback_type": ["Simple Questioning"],
    "checklist": ["Does it stay with its answer?", "Does it say why?"],
}


def decided_item(project: Project, draft: dict[str, Any], **changes: Any) -> Item:
    """Accepted with that draft; changes: other values of its fields. Its scenario follows from its weights."""
    key = f"decided-{next(_numbers)}"
    corrects = isinstance(draft["checklist"][0], list)
    facts = {
        "bench_type": "Error Correction" if corrects else "Response Maintenance",
        "user_query": f"How many moons has Mars? ({key})",
        "origin_first_response": "Mars has three moons.",
    }
    item = Item.objects.create(
        project=project, key=key, title=key, facts=facts, content_hash=key, state="accepted", language="en"
    )
    item.base = Annotation.objects.create(item=item, model="writer", draft=draft | changes)
    item.save(update_fields=["base"])
    return item


def answer_of(item: Item, author: str, **columns: Any) -> Answer:
    who, _made = Author.objects.get_or_create(project=item.project, name=author)
    return Answer.objects.create(item=item, author=who, **{"text": f"{author} answers"} | columns)


def a_judge(project: Project, name: str = "judge-m", **columns: Any) -> Judge:
    return make_judge(project, name, "checklist", **columns)


def verdict_on(answer: Answer, judge: Judge, met: Sequence[int | None], **columns: Any) -> Verdict:
    """met: for each question of the checklist 1, 0, or None where nothing was said; () leaves the parts out."""
    case = case_of(answer.item)
    assert case is not None
    verdict = Verdict.objects.create(
        **{"judge": judge, "item": answer.item, "first": answer, "case_sha": case.judged.sha256} | columns
    )
    for place, (question, value) in enumerate(zip(case.judged.checklist, met, strict=False), 1):
        joined = "none" if value is None else "exact"
        Part.objects.create(
            verdict=verdict,
            axis=str(place),
            label=question.text,
            score_first=value,
            weight=question.weight,
            joined=joined,
        )
    return verdict
