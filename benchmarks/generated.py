"""A project of any size, the same for the same seed: items with suggestions, people's texts, reviews and histories.

Distribution: 60 % English, 30 % Chinese, 5 % German, 5 % Spanish; lengths are log-normal (sigma 0.7) with a median of
60 words for questions, 120 for answers and 40 for feedback, in Chinese twice as many characters; seven tasks with
weights 7 to 1. Of the items 90 % are accepted after a review, half of them with the suggestion unchanged; 10 % wait.
An accepted item has three annotations: suggestion, text and review. Rows are loaded in bulk (COPY on PostgreSQL)
through all constraints; `check_items` passes on them.
"""

import random
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from django.db import models, transaction
from django.db.models import Max, OuterRef, Subquery
from django.utils import timezone

from annotate.bulk_rows import BulkInsert, refresh_statistics
from annotate.intake.row_reader import content_hash
from annotate.kinds.feedback.shapes import FeedbackOptions
from annotate.models import Annotation, Event, Item, Project, Slot, User

CHUNK = 2000
LANGUAGES = {"en": 60, "zh": 30, "de": 5, "es": 5}
WORDS = {
    "en": "the value of a list is read once and every part that follows from it has its own reason for being there",
    "zh": "这个问题的答案需要先说明原因然后给出步骤最后检查结果是否与原来的要求一致",
    "de": "der Wert wird einmal gelesen und jeder Teil der daraus folgt hat einen eigenen Grund für seinen Platz",
    "es": "el valor de la lista se lee una vez y cada parte que sigue tiene su propia razón para estar ahí",
}
DECIDED_SHARE, UNCHANGED_SHARE, SIGMA = 0.9, 0.5, 0.7


class GeneratedItem(NamedTuple):
    key: str
    group: str
    language: str
    facts: dict[str, Any]
    suggested: dict[str, Any]
    final: dict[str, Any] | None  # None while it waits for a person


def generated(number: int, seed: int) -> GeneratedItem:
    chance = random.Random(f"{seed}:{number}")
    tasks = FeedbackOptions().tasks
    task = chance.choices(list(tasks), weights=range(len(tasks), 0, -1))[0]
    language = chance.choices(list(LANGUAGES), weights=list(LANGUAGES.values()))[0]
    suggested = {
        "task_type": task,
        "sub_task_type": chance.choice(list(tasks[task])),
        "error_type": ["Logical Error"],
        "feedback": _text(chance, language, 40),
        "feedback_type": ["Pointing Out Errors"],
        "checklist": [[f"{number}? {_text(chance, language, 10)}", 0.5], ["Does it correct the error?", 0.5]],
    }
    final = None
    if chance.random() < DECIDED_SHARE:
        final = suggested
        if chance.random() > UNCHANGED_SHARE:
            final = suggested | {"feedback": f"{suggested['feedback']} {_text(chance, language, 8)}"}
    facts = {
        "bench_type": "Error Correction",
        "user_query": f"{number} {_text(chance, language, 60)}",
        "origin_first_response": _text(chance, language, 120),
    }
    return GeneratedItem(f"g-{number}", task, language, facts, suggested, final)


def _text(chance: random.Random, language: str, median: int) -> str:
    """Words, or twice as many Chinese characters, of one language."""
    count = max(3, min(int(median * chance.lognormvariate(0, SIGMA)), 20 * median))
    if language == "zh":
        return "".join(chance.choices(WORDS["zh"], k=2 * count))
    return " ".join(chance.choices(WORDS[language].split(), k=count))


def load(project: Project, people: Sequence[User], *, count: int, start: int = 0, seed: int = 0) -> None:
    """Add the items from number `start`. people: write and review in turn; at least two, members of the project."""
    for first in range(start, start + count, CHUNK):
        rows = [generated(number, seed) for number in range(first, min(first + CHUNK, start + count))]
        with transaction.atomic():
            _load_chunk(project, people, rows)
    refresh_statistics([Item, Slot, Annotation, Event])


def _load_chunk(project: Project, people: Sequence[User], rows: Sequence[GeneratedItem]) -> None:
    now = timezone.now()
    items = _inserted(
        BulkInsert(
            Item, ("key", "title", "state", "group", "language", "content_hash", "facts"), project_id=project.pk
        ),
        Item,
        [
            (row.key, row.facts["user_query"][:160], "ready" if row.final is None else "accepted", row.group,
             row.language, content_hash(row.facts), row.facts)
            for row in rows
        ],
    )  # fmt: skip
    suggestions = _inserted(
        BulkInsert(Annotation, ("item_id", "draft", "model"), submitted_at=now - timedelta(hours=1)),
        Annotation,
        [(item, row.suggested, "generated") for item, row in zip(items, rows, strict=True)],
    )
    holders = [None if row.final is None else _of(people, item) for item, row in zip(items, rows, strict=True)]
    slots = _annotating(project, items, holders)
    decided = [rest for *rest, holder in zip(items, slots, suggestions, rows, holders, strict=True) if holder]
    columns = ("item_id", "slot_id", "author_id", "suggestion_id", "draft", "unchanged")
    texts = _inserted(
        BulkInsert(Annotation, columns, authored=True, outcome="annotated", submitted_at=now, active_seconds=60),
        Annotation,
        [
            (item, slot, _of(people, item), suggestion, row.final, row.final is row.suggested)
            for item, slot, suggestion, row in decided
        ],
    )
    accepted = [item for item, *_rest in decided]
    _review(project, people, accepted, texts, [row.final for *_rest, row in decided])
    _write_history(project, items, accepted)


def _of(people: Sequence[User], item: int) -> int:
    return people[item % len(people)].pk


def _annotating(project: Project, items: Sequence[int], holders: Sequence[int | None]) -> list[int]:
    columns = ("item_id", "holder_id", "state")
    table = BulkInsert(Slot, columns, project_id=project.pk, stage="annotate", round=1)
    states = ["submitted" if holder else "open" for holder in holders]
    return _inserted(table, Slot, list(zip(items, holders, states, strict=True)))


def _review(
    project: Project, people: Sequence[User], items: Sequence[int], texts: Sequence[int], drafts: Sequence[Any]
) -> None:
    columns = ("item_id", "holder_id", "about_id")
    table = BulkInsert(Slot, columns, project_id=project.pk, stage="review", round=1, state="submitted")
    slots = _inserted(table, Slot, [(i, _of(people, i + 1), text) for i, text in zip(items, texts, strict=True)])
    columns = ("item_id", "slot_id", "author_id", "draft")
    reviews = BulkInsert(Annotation, columns, outcome="accepted", submitted_at=timezone.now(), active_seconds=20)
    reviews.insert((i, slot, _of(people, i + 1), draft) for i, slot, draft in zip(items, slots, drafts, strict=True))
    final = Annotation.objects.filter(item=OuterRef("pk"), authored=True).values("pk")[:1]
    Item.objects.filter(pk__in=items).update(base_id=Subquery(final))


def _write_history(project: Project, items: Sequence[int], accepted: Sequence[int]) -> None:
    columns = ("item_id", "to_state")
    BulkInsert(Event, columns, project_id=project.pk, verb="imported").insert((item, "ready") for item in items)
    table = BulkInsert(Event, columns, project_id=project.pk, verb="accepted", from_state="reviewing")
    table.insert((item, "accepted") for item in accepted)


def _inserted(table: BulkInsert, model: type[models.Model], rows: Sequence[Sequence[Any]]) -> list[int]:
    """The ids of the new rows. Nobody else may write meanwhile."""
    last_id = model._default_manager.aggregate(last=Max("pk"))["last"] or 0
    table.insert(rows)
    return list(model._default_manager.filter(pk__gt=last_id).order_by("pk").values_list("pk", flat=True))
