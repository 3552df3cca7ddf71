"""A reported use case, and projects of decided ones with answers and an intent judge's verdicts."""

from itertools import count
from typing import Any

from annotate.models import Annotation, Item, Project
from judging.answers.cases import case_of
from judging.models import Judge, Part, Verdict
from tests.support.judge_rows import make_judge
from tests.support.judged import answer_of
from tests.support.people import make_project

_numbers = count(1)

FACTS: dict[str, Any] = {
    "question": "How do I get red wine out of a wool carpet?",
    "reference_ans": "Blot it with a cloth, then with cold water and a little vinegar. Do not rub.",
    "user_intent": "Ask_for_Advice",
    "language": "EN",
    "conversation": [
        {"role": "user", "content": "How do I get red wine out of a wool carpet?"},
        {"role": "assistant", "content": "With hot water and bleach."},
    ],
}
DRAFT: dict[str, Any] = {
    "keep": True,
    "drop_reason": "",
    "personal_data": False,
    "harmless": True,
    "first_question": "How do I get red wine out of a wool carpet?",
    "intent": "Ask_for_Advice",
    "reference": "Blot it with a cloth, then with cold water and a little vinegar. Do not rub.",
}


def use_case_project(**columns: Any) -> Project:
    return make_project(**{"kind_slug": "use_case"} | columns)


def decided_case(project: Project, intent: str = "Ask_for_Advice", language: str = "EN", **changes: Any) -> Item:
    """Accepted with that intent; changes: other values of its draft."""
    key = f"case-{next(_numbers)}"
    question = f"What about {key}?"
    facts = {"question": question, "user_intent": intent, "language": language}
    item = Item.objects.create(
        project=project,
        key=key,
        title=key,
        facts=facts,
        content_hash=key,
        state="accepted",
        group=intent,
        language="en",
    )
    draft = DRAFT | {"first_question": question, "intent": intent} | changes
    item.base = Annotation.objects.create(item=item, model="writer", draft=draft)
    item.save(update_fields=["base"])
    return item


def intent_judge(project: Project, name: str = "judge-m", **columns: Any) -> Judge:
    return make_judge(project, name, **{"strategy": "intent", "variant": "scale=1-10"} | columns)


def scored(item: Item, author: str, judge: Judge, score: float | None, **criteria: float) -> Verdict:
    """The judge's verdict on the author's answer; None: it could not be read. criteria: axis -> score."""
    case = case_of(item)
    assert case is not None
    answer = answer_of(item, author)
    reading = "ok" if score is not None else "unparsed"
    verdict = Verdict.objects.create(
        judge=judge, item=item, first=answer, case_sha=case.judged.sha256, score_first=score, reading=reading
    )
    for axis, value in criteria.items():
        Part.objects.create(verdict=verdict, axis=axis, score_first=value)
    return verdict
