"""A project of any size, the same for the same seed: items with suggestions, people's texts, reviews and histories.

Distribution: 60 % English, 30 % Chinese, 5 % German, 5 % Spanish; lengths are log-normal (sigma 0.7) with a median of
60 words for questions, 120 for answers and 40 for feedback, in Chinese twice as many characters. Words are drawn from
one sentence a language, so nearly every piece of a word is in nearly every item; one question in a thousand ends with
a word that no other has. Eight tasks with weights 8 to 1. Of the items 90 % are accepted after a review, half of them
with the suggestion unchanged; 10 % wait. An accepted item has three annotations: suggestion, text and review, and was
accepted in some hour of the past year. Rows are loaded in bulk (COPY on PostgreSQL), in the order of their ids, through
all constraints; `check_items` passes on them.
"""

import random
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import count as counted_from
from typing import Any, NamedTuple

from django.db import connection, models, transaction
from django.db.models import Max
from django.utils import timezone

from annotate.bulk_rows import BulkInsert, continue_ids, refresh_statistics
from annotate.intake.row_reader import content_hash
from annotate.kinds.feedback.shapes import FeedbackOptions
from annotate.models import Annotation, Event, Item, Project, Slot, User

CHUNK = 2000
TABLES = Item, Slot, Annotation, Event
LANGUAGES = {"en": 60, "zh": 30, "de": 5, "es": 5}
SENTENCES = {
    "en": "the value of a list is read once and every part that follows from it has its own reason for being there",
    "zh": "这个问题的答案需要先说明原因然后给出步骤最后检查结果是否与原来的要求一致",
    "de": "der Wert wird einmal gelesen und jeder Teil der daraus folgt hat einen eigenen Grund für seinen Platz",
    "es": "el valor de la lista se lee una vez y cada parte que sigue tiene su propia razón para estar ahí",
}
WORDS: dict[str, Sequence[str]] = {
    language: sentence if language == "zh" else sentence.split() for language, sentence in SENTENCES.items()
}
RARE = {"en": "xylophone", "zh": "罕见", "de": "Xylophon", "es": "xilófono"}
DECIDED_SHARE, UNCHANGED_SHARE, RARE_SHARE, SIGMA = 0.9, 0.5, 0.001, 0.7
HOURS = 365 * 24


class GeneratedItem(NamedTuple):
    key: str
    group: str
    language: str
    facts: dict[str, Any]
    suggested: dict[str, Any]
    final: dict[str, Any] | None  # None while it waits for a person
    hours: float  # since it was imported or accepted


def generated(number: int, seed: int) -> GeneratedItem:
    chance = random.Random(f"{seed}:{number}")
    tasks = FeedbackOptions().tasks
    task = chance.choices(list(tasks), weights=range(len(tasks), 0, -1))[0]
    language = chance.choices(list(LANGUAGES), weights=list(LANGUAGES.values()))[0]
    suggested = {
        "task_type": task,
        "sub_task_type": chance.choice(list(tasks[task])),
        "error_type": ["Logical Error"],
        "feedback": text(chance, language, 40),
        "feedback_type": ["Pointing Out Errors"],
        "checklist": [[f"{number}? {text(chance, language, 10)}", 0.5], ["Does it correct the error?", 0.5]],
    }
    final = None
    if chance.random() < DECIDED_SHARE:
        final = suggested
        if chance.random() > UNCHANGED_SHARE:
            final = suggested | {"feedback": f"{suggested['feedback']} {text(chance, language, 8)}"}
    rare = f" {RARE[language]}" if chance.random() < RARE_SHARE else ""
    facts = {
        "bench_type": "Error Correction",
        "user_query": f"{number} {text(chance, language, 60)}{rare}",
        "origin_first_response": text(chance, language, 120),
    }
    hours = chance.random() * HOURS if final else 0
    return GeneratedItem(f"g-{number}", task, language, facts, suggested, final, hours)


def text(chance: random.Random, language: str, median: int) -> str:
    """Words, or twice as many Chinese characters, of one language."""
    length = max(3, min(int(median * chance.lognormvariate(0, SIGMA)), 20 * median))
    if language == "zh":
        return "".join(chance.choices(WORDS["zh"], k=2 * length))
    return " ".join(chance.choices(WORDS[language], k=length))


def load(project: Project, people: Sequence[User], *, count: int, start: int = 0, seed: int = 0) -> None:
    """Add the items from number `start`. people: write and review in turn; at least two, members of the project.

    Nobody else may write meanwhile.
    """
    people_ids = [user.pk for user in people]
    # Items name texts that come later. SQLite would look through all texts for each of them; it checks them at the end.
    with connection.constraint_checks_disabled():
        for first in range(start, start + count, CHUNK):
            rows = [generated(number, seed) for number in range(first, min(first + CHUNK, start + count))]
            with transaction.atomic():
                _load_chunk(project, _numbered(rows, people_ids))
                continue_ids(TABLES)
    connection.check_constraints([model._meta.db_table for model in TABLES])
    refresh_statistics(TABLES)


class _Numbered(NamedTuple):
    """An item with the ids of its rows: those of its writer and reviewer, slots and texts are 0 while it waits."""

    row: GeneratedItem
    item: int
    slot: int
    suggestion: int
    writer: int = 0
    reviewer: int = 0
    text: int = 0
    review_slot: int = 0
    review: int = 0


def _numbered(rows: Sequence[GeneratedItem], people: Sequence[int]) -> list[_Numbered]:
    slots, annotations = free_ids(Slot), free_ids(Annotation)
    return [_with_ids(row, item, slots, annotations, people) for row, item in zip(rows, free_ids(Item), strict=False)]


def _with_ids(
    row: GeneratedItem, item: int, slots: Iterator[int], annotations: Iterator[int], people: Sequence[int]
) -> _Numbered:
    first = _Numbered(row, item, next(slots), next(annotations))
    if row.final is None:
        return first
    writer, reviewer = people[item % len(people)], people[(item + 1) % len(people)]
    return _Numbered(*first[:4], writer, reviewer, next(annotations), next(slots), next(annotations))


def free_ids(model: type[models.Model]) -> Iterator[int]:
    """The ids that no row of the table has yet, in order."""
    return counted_from((model._default_manager.aggregate(last=Max("pk"))["last"] or 0) + 1)


def _load_chunk(project: Project, rows: Sequence[_Numbered]) -> None:
    decided = [row for row in rows if row.review]
    _load_items(project, rows)
    _load_slots(project, rows, decided)
    _load_annotations(rows, decided)
    _load_events(project, rows, decided)


def _load_items(project: Project, rows: Sequence[_Numbered]) -> None:
    columns = ("id", "key", "title", "state", "group", "language", "content_hash", "facts", "base_id", "changed_at")
    BulkInsert(Item, columns, project_id=project.pk).insert(
        (
            *(item, row.key, row.facts["user_query"][:160], "accepted" if base else "ready", row.group, row.language),
            *(content_hash(row.facts), row.facts, base or None, _ago(row.hours)),
        )
        for row, item, *_ids, base, _review_slot, _review in rows
    )


def _ago(hours: float) -> Any:
    """The moment as the database takes it."""
    return connection.ops.adapt_datetimefield_value(timezone.now() - timedelta(hours=hours))


def _load_slots(project: Project, rows: Sequence[_Numbered], decided: Sequence[_Numbered]) -> None:
    columns = ("id", "item_id", "stage", "holder_id", "state", "about_id")
    written = [
        (row.slot, row.item, "annotate", row.writer or None, "submitted" if row.writer else "open", None)
        for row in rows
    ]
    reviewed = [(row.review_slot, row.item, "review", row.reviewer, "submitted", row.text) for row in decided]
    BulkInsert(Slot, columns, project_id=project.pk, round=1).insert(sorted(written + reviewed))


def _load_annotations(rows: Sequence[_Numbered], decided: Sequence[_Numbered]) -> None:
    now = timezone.now()
    BulkInsert(Annotation, ("id", "item_id", "draft"), model="generated", submitted_at=now - timedelta(hours=1)).insert(
        (row.suggestion, row.item, row.row.suggested) for row in rows
    )
    columns = ("id", "item_id", "slot_id", "author_id", "suggestion_id", "draft", "unchanged")
    texts = BulkInsert(Annotation, columns, authored=True, outcome="annotated", submitted_at=now, active_seconds=60)
    texts.insert(
        (row.text, row.item, row.slot, row.writer, row.suggestion, row.row.final, row.row.final is row.row.suggested)
        for row in decided
    )
    columns = ("id", "item_id", "slot_id", "author_id", "draft")
    reviews = BulkInsert(Annotation, columns, outcome="accepted", submitted_at=now, active_seconds=20)
    reviews.insert((row.review, row.item, row.review_slot, row.reviewer, row.row.final) for row in decided)


def _load_events(project: Project, rows: Sequence[_Numbered], decided: Sequence[_Numbered]) -> None:
    columns = ("item_id", "to_state", "at")
    BulkInsert(Event, columns, project_id=project.pk, verb="imported").insert(
        (row.item, "ready", _ago(HOURS)) for row in rows
    )
    table = BulkInsert(Event, columns, project_id=project.pk, verb="accepted", from_state="reviewing")
    table.insert((row.item, "accepted", _ago(row.row.hours)) for row in decided)
