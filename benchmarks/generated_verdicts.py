"""Answers to the generated items and verdicts about them, the same for the same seed.

Distribution: every author answers every judged item with about 30 words, and every judge judges every answer by the
item's checklist of two questions. Author n of N meets a question with probability 0.3 + 0.5 n/N; a judge misjudges one
question in ten, and 2 % of the replies cannot be read and have no parts. Verdicts are those of imported files: without
runs, calls and explanations.
"""

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.db import transaction
from django.db.models import Max

from annotate.bulk_rows import BulkInsert, continue_ids, refresh_statistics
from annotate.models import Item, Project
from benchmarks.generated import free_ids, text
from judging.answers.cases import Case, cases, decided
from judging.models import Answer, Author, Part, Verdict
from judging.verdicts.judge_identity import judges_from_files

CHUNK = 200  # items
TABLES = Answer, Verdict, Part
MET_BY_ALL, MET_BY_BEST, MISJUDGED_SHARE, UNREADABLE_SHARE = 0.3, 0.5, 0.1, 0.02


Marks = tuple[int, int] | None  # of the two questions; None for a reply that cannot be read


class _Raters(NamedTuple):
    """Ids of those who answer and of those who judge."""

    authors: Sequence[int]
    judges: Sequence[int]


class _Judgement(NamedTuple):
    """One answer, (id, item, author, text), with what each judge says of it."""

    answer: tuple[int, int, int, str]
    case_sha: str
    marks: Sequence[Marks]


def load_verdicts(project: Project, *, items: int, authors: int, judges: int, seed: int = 0) -> int:
    """Have so many further accepted items judged, in the order of their ids; returns the number of new verdicts.

    Nobody else may write meanwhile.
    """
    raters = _Raters(_author_ids(project, authors), _judge_ids(project, judges))
    last = Answer.objects.filter(author__in=raters.authors).aggregate(last=Max("item"))["last"] or 0
    loaded = 0
    while loaded < items and (chunk := _following(project, last, min(CHUNK, items - loaded))):
        with transaction.atomic():
            _load_chunk(list(cases(Item.objects.filter(pk__in=chunk).order_by("pk"))), raters, seed)
            continue_ids(TABLES)
        loaded, last = loaded + len(chunk), chunk[-1]
    refresh_statistics(TABLES)
    return loaded * authors * judges


def _following(project: Project, last: int, most: int) -> list[int]:
    return list(decided(project).filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:most])


def _author_ids(project: Project, authors: int) -> list[int]:
    names = [f"author {number:02}" for number in range(authors)]
    Author.objects.bulk_create((Author(project=project, name=name) for name in names), ignore_conflicts=True)
    return list(Author.objects.filter(project=project, name__in=names).order_by("name").values_list("pk", flat=True))


def _judge_ids(project: Project, judges: int) -> list[int]:
    stored = judges_from_files(project, [(f"judge {number}", "checklist", "") for number in range(judges)])
    return sorted(judge.pk for judge in stored.values())


def _load_chunk(judged_items: Sequence[Case], raters: _Raters, seed: int) -> None:
    rows = list(_judgements(judged_items, raters, seed))
    BulkInsert(Answer, ("id", "item_id", "author_id", "text"), source="generated").insert(row.answer for row in rows)
    marks = [(row, judge, met) for row in rows for judge, met in zip(raters.judges, row.marks, strict=True)]
    numbered = list(zip(free_ids(Verdict), marks, strict=False))
    columns = ("id", "judge_id", "item_id", "case_sha", "first_id", "reading", "score_first")
    BulkInsert(Verdict, columns, source="generated").insert(
        (pk, judge, row.answer[1], row.case_sha, row.answer[0], *_reading(met)) for pk, (row, judge, met) in numbered
    )
    BulkInsert(Part, ("verdict_id", "axis", "score_first"), weight=0.5).insert(
        (pk, f"{axis}", mark) for pk, (_row, _judge, met) in numbered for axis, mark in enumerate(met or (), start=1)
    )


def _reading(met: Marks) -> tuple[str, float | None]:
    return ("unparsed", None) if met is None else ("ok", sum(met) / 2)


def _judgements(judged_items: Sequence[Case], raters: _Raters, seed: int) -> Iterator[_Judgement]:
    answer_ids = free_ids(Answer)
    for case in judged_items:
        chance, case_sha = random.Random(f"{seed}:{case.item.key}"), case.sha256
        for number, author in enumerate(raters.authors):
            answer = next(answer_ids), case.item.pk, author, text(chance, case.item.language, 30)
            share = MET_BY_ALL + MET_BY_BEST * number / len(raters.authors)
            yield _Judgement(answer, case_sha, list(_marks(chance, share, len(raters.judges))))


def _marks(chance: random.Random, share: float, judges: int) -> Iterator[Marks]:
    truth = chance.random() < share, chance.random() < share
    for _judge in range(judges):
        if chance.random() < UNREADABLE_SHARE:
            yield None
        else:
            first, second = (int(met != (chance.random() < MISJUDGED_SHARE)) for met in truth)
            yield first, second
