"""The answers behind a number of a leaderboard, page by page, and those that no number counts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotate.models import Item, Project
from judging.models import Judge, Verdict
from judging.services import scoring
from judging.services.scores import Scored

PAGE = 50
COUNTED = ("failed", "unparsed", "flagged")  # marks of answers that a number counts
LEFT_OUT = ("outdated", "unjudged")
Place = tuple[int, int, int]  # item, answer, verdict: the order of the list


@dataclass(frozen=True)
class Wanted:
    """Which answers; "" is any. which: one of COUNTED or LEFT_OUT. group: a value of the division `by`.

    other: an author; only items that they have answered too.
    """

    author: str = ""
    other: str = ""
    scenario: str = ""
    by: str = ""
    group: str = ""
    which: str = ""

    def has(self, row: Scored) -> bool:
        return (
            (not self.author or row.author == self.author)
            and (not self.scenario or row.scenario == self.scenario)
            and (not self.group or self.group in row.labels.get(self.by, ()))
            and (self.which not in COUNTED or getattr(row, self.which))
        )


@dataclass(frozen=True)
class Behind:
    """One answer behind a number. verdict_id: 0 where there is none. scored: None where no number counts it."""

    item_id: int
    answer_id: int
    author: str
    verdict_id: int = 0
    scored: Scored | None = None

    @property
    def place(self) -> Place:
        return self.item_id, self.answer_id, self.verdict_id


@dataclass(frozen=True)
class BehindPage:
    """rows: with their items. total: on all pages; mean: of their scores, 0..1, None where none is counted.

    before, after: where the page before and the one after begin; None where there is none.
    """

    rows: Sequence[tuple[Behind, Item]]
    total: int
    mean: float | None
    before: Place | None
    after: Place | None


def counted(rows: Sequence[Scored], query: Wanted) -> list[Behind]:
    item_ids = {row.item_id for row in rows if query.other in ("", row.author)}
    return [
        Behind(row.item_id, row.answer_id, row.author, row.verdict_id or 0, row)
        for row in rows
        if query.has(row) and row.item_id in item_ids
    ]


def outdated(project: Project, judge: Judge, query: Wanted) -> list[Behind]:
    """One for each verdict about an older answer, or about an item as it was before. Three queries."""
    subjects = scoring.subjects(project)
    answers = scoring.current_answers(project, subjects)
    columns = ("item_id", "first_id", "first__author__name", "pk", "case_sha")
    verdicts = Verdict.objects.single().filter(judge=judge).values_list(*columns)
    return [
        Behind(item, answer, author, pk)
        for item, answer, author, pk, sha in verdicts.iterator(chunk_size=2000)
        if item in subjects and query.author in ("", author)
        if answer not in answers or sha != subjects[item].sha256
    ]


def unjudged(project: Project, rows: Iterable[Scored], query: Wanted) -> list[Behind]:
    """Answers of today that the judge has not been asked about. Two queries."""
    answers = scoring.current_answers(project, scoring.subjects(project))
    judged = {row.answer_id for row in rows}
    missing = (answer for pk, answer in answers.items() if pk not in judged)
    return [
        Behind(answer.item_id, answer.pk, answer.author) for answer in missing if query.author in ("", answer.author)
    ]


def page(
    answers: Iterable[Behind], *, after: Place | None = None, before: Place | None = None, size: int = PAGE
) -> BehindPage:
    """One page in the order of items, in one query."""
    rows = sorted(answers, key=lambda answer: answer.place)
    start = 0
    if before is not None:
        start = max(sum(answer.place < before for answer in rows) - size, 0)
    elif after is not None:
        start = sum(answer.place <= after for answer in rows)
    page_answers = rows[start : start + size]
    items = Item.objects.defer("facts").in_bulk({answer.item_id for answer in page_answers})
    scores = [answer.scored.score for answer in rows if answer.scored]
    return BehindPage(
        rows=[(answer, items[answer.item_id]) for answer in page_answers if answer.item_id in items],
        total=len(rows),
        mean=sum(scores) / len(scores) if scores else None,
        before=page_answers[0].place if page_answers and start else None,
        after=page_answers[-1].place if page_answers and start + size < len(rows) else None,
    )
