"""The answers behind a number of a leaderboard, page by page, and those that no number counts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotate.models import Item, Project
from annotate.web.pager import index_page
from judging.models import Judge, Verdict
from judging.verdicts import verdict_scores
from judging.verdicts.verdict_scores import ScoredAnswer

PAGE = 50
COUNTED = ("failed", "unparsed", "flagged")  # marks of answers that a number counts
LEFT_OUT = ("outdated", "unjudged")
ScoredCursor = tuple[int, int, int]  # item, answer, verdict: the order of the list


@dataclass(frozen=True)
class AnswerFilter:
    """Which answers; "" is any. which: one of COUNTED or LEFT_OUT. group: a value of the division `by`.

    other: an author; only items that they have answered too.
    """

    author: str = ""
    other: str = ""
    scenario: str = ""
    by: str = ""
    group: str = ""
    which: str = ""

    def has(self, row: ScoredAnswer) -> bool:
        return (
            (not self.author or row.author == self.author)
            and (not self.scenario or row.scenario == self.scenario)
            and (not self.group or self.group in row.labels.get(self.by, ()))
            and (self.which not in COUNTED or getattr(row, self.which))
        )


@dataclass(frozen=True)
class CountedAnswer:
    """One answer behind a number. verdict_id: 0 if there is none. scored: None if no number counts it."""

    item_id: int
    answer_id: int
    author: str
    verdict_id: int = 0
    scored: ScoredAnswer | None = None

    @property
    def place(self) -> ScoredCursor:
        return self.item_id, self.answer_id, self.verdict_id


@dataclass(frozen=True)
class CountedAnswerPage:
    """rows: with their items. total: on all pages; mean: of their scores, 0..1, None if none is counted.

    before, after: cursors of the previous and the next page; None if there is none.
    """

    rows: Sequence[tuple[CountedAnswer, Item]]
    total: int
    mean: float | None
    before: ScoredCursor | None
    after: ScoredCursor | None


def counted_answers(rows: Sequence[ScoredAnswer], query: AnswerFilter) -> list[CountedAnswer]:
    item_ids = {row.item_id for row in rows if query.other in ("", row.author)}
    return [
        CountedAnswer(row.item_id, row.answer_id, row.author, row.verdict_id or 0, row)
        for row in rows
        if query.has(row) and row.item_id in item_ids
    ]


def outdated(project: Project, judge: Judge, query: AnswerFilter) -> list[CountedAnswer]:
    """One for each verdict about an older answer, or about an item as it was before. Three queries."""
    subjects = verdict_scores.read_scored_items(project)
    answers = verdict_scores.current_answers(project, subjects)
    columns = ("item_id", "first_id", "first__author__name", "pk", "case_sha")
    verdicts = Verdict.objects.single().filter(judge=judge).values_list(*columns)
    return [
        CountedAnswer(item, answer, author, pk)
        for item, answer, author, pk, sha in verdicts.iterator(chunk_size=2000)
        if item in subjects and query.author in ("", author)
        if answer not in answers or sha != subjects[item].sha256
    ]


def unjudged(project: Project, rows: Iterable[ScoredAnswer], query: AnswerFilter) -> list[CountedAnswer]:
    """Current answers that the judge has not been asked about. Two queries."""
    answers = verdict_scores.current_answers(project, verdict_scores.read_scored_items(project))
    judged = {row.answer_id for row in rows}
    missing = (answer for pk, answer in answers.items() if pk not in judged)
    return [
        CountedAnswer(answer.item_id, answer.pk, answer.author)
        for answer in missing
        if query.author in ("", answer.author)
    ]


def answer_page(
    answers: Iterable[CountedAnswer],
    *,
    after: ScoredCursor | None = None,
    before: ScoredCursor | None = None,
    size: int = PAGE,
) -> CountedAnswerPage:
    """One page in the order of items, in one query."""
    rows = sorted(answers, key=lambda answer: answer.place)
    start = 0
    if before is not None:
        start = max(sum(answer.place < before for answer in rows) - size, 0)
    elif after is not None:
        start = sum(answer.place <= after for answer in rows)
    page = index_page(rows, size, start)
    items = Item.objects.defer("facts").in_bulk({answer.item_id for answer in page.rows})
    scores = [answer.scored.score for answer in rows if answer.scored]
    return CountedAnswerPage(
        rows=[(answer, items[answer.item_id]) for answer in page.rows if answer.item_id in items],
        total=page.total,
        mean=sum(scores) / len(scores) if scores else None,
        before=page.rows[0].place if page.rows and page.previous is not None else None,
        after=page.rows[-1].place if page.rows and page.next is not None else None,
    )
