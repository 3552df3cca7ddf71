"""Queries about answers: coverage of the project by author, and an author's answers page by page."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, Func, Max, OuterRef, Q
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Length

from annotate.kinds.protocol import CandidatePrompt
from annotate.models import Item, Job, Project
from annotate.web.pager import RowPage, row_page
from judging.answers.cases import case_of, judgeable
from judging.models import Answer, Author

LATIN = 0.25  # tokens per character, as annotate/engine/budget.py estimates them; a Chinese character counts as one


@dataclass(frozen=True)
class Spread:
    """Median and upper end of the lengths of answers."""

    median: int
    p95: int


@dataclass(frozen=True)
class Coverage:
    """How much of the project one author has answered.

    answered: judgeable items with an answer, of `items`. answers: current ones of all items and samples.
    unknown: those whose text was never published. characters, tokens: None without a known text; tokens are
    estimated. failed: judgeable items for which a run got no answer, and no other source gave one.
    failed_run: the newest of those runs.
    """

    author: Author
    items: int
    answered: int = 0
    answers: int = 0
    samples: int = 0
    unknown: int = 0
    simulated: int = 0
    characters: Spread | None = None
    tokens: Spread | None = None
    failed: int = 0
    failed_run: int | None = None
    last: datetime | None = None


def coverage(project: Project) -> Sequence[Coverage]:
    """Every author of the project by name, in five queries however many authors, items and answers."""
    authors = list(Author.objects.filter(project=project).order_by("name"))
    items, counts, lengths = judgeable(project).count(), _counts_by_author(project), _lengths(project)
    failures = _failures(project)
    return [
        Coverage(
            author=author,
            items=items,
            **counts.get(author.pk, {}),
            **lengths.get(author.pk, {}),
            **failures.get(author.name, {}),
        )
        for author in authors
    ]


def _counts_by_author(project: Project) -> dict[int, dict[str, Any]]:
    """author -> name of a count -> count."""
    decided = Q(item__state=Item.State.ACCEPTED, item__purpose=Item.Purpose.WORK, item__base__isnull=False)
    rows = (
        _current(project)
        .values("author")
        .annotate(
            answered=Count("item", filter=decided, distinct=True),
            answers=Count("pk"),
            samples=Max("sample"),
            unknown=Count("pk", filter=Q(known=False)),
            simulated_=Count("pk", filter=Q(simulated=True)),
            last=Max("created_at"),
        )
    )
    counts_by_author = {}
    for row in rows.order_by():
        row["simulated"] = row.pop("simulated_")
        counts_by_author[row.pop("author")] = row
    return counts_by_author


class _Bytes(Func):
    """Length of a text in bytes of UTF-8. SQLite has had `octet_length` only since 3.43."""

    function = "OCTET_LENGTH"

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="LENGTH(CAST(%(expressions)s AS BLOB))", **context)


def _lengths(project: Project) -> dict[int, dict[str, Any]]:
    """author -> characters and tokens. The texts themselves are not loaded."""
    sizes_by_author: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    rows = _current(project).filter(known=True).values_list("author", Length("text"), _Bytes("text"))
    for author, characters, size in rows.iterator(chunk_size=5000):
        sizes_by_author[author].append((characters, _tokens(characters, size)))
    return {
        author: {
            "characters": _spread([character_count for character_count, _ in sizes]),
            "tokens": _spread([token_count for _, token_count in sizes]),
        }
        for author, sizes in sizes_by_author.items()
    }


def _tokens(characters: int, size: int) -> int:
    """Estimate: a Latin character is one byte and a quarter token, a Chinese one three bytes and one token."""
    wide = (size - characters) / 2
    return round(wide + (characters - wide) * LATIN)


def _spread(values: list[int]) -> Spread:
    """Percentiles by the nearest rank, so that both values are lengths that occur."""
    ordered = sorted(values)
    return Spread(ordered[(len(ordered) - 1) // 2], ordered[max(0, -(-len(ordered) * 95 // 100) - 1)])


def _failures(project: Project) -> dict[str, dict[str, Any]]:
    """name of the author -> items, and the newest of the runs that failed on them."""
    failed = Job.objects.filter(
        run__project=project, run__purpose="answer", state=Job.State.FAILED, item__in=judgeable(project).values("pk")
    ).annotate(name=KeyTextTransform("author", "run__options"))
    answered = Answer.objects.filter(author__project=project, author__name=OuterRef("name"), item=OuterRef("item"))
    rows = failed.exclude(Exists(answered)).values("name").order_by()
    counted = rows.annotate(failed=Count("item", distinct=True), failed_run=Max("run"))
    return {row["name"]: {"failed": row["failed"], "failed_run": row["failed_run"]} for row in counted}


def _current(project: Project) -> Any:
    return Answer.objects.filter(author__project=project).current()


# Answers of an author, page by page, and one answer with everything that is known about it.


PAGE = 50

Cursor = tuple[int, int]  # item, sample


@dataclass(frozen=True)
class AnswerPage:
    """previous, next: the cursor of the neighbouring page; None if there is none."""

    rows: Sequence[Answer]
    previous: Cursor | None = None
    next: Cursor | None = None


def answers_page(
    author: Author, *, q: str = "", after: Cursor | None = None, before: Cursor | None = None, size: int = PAGE
) -> AnswerPage:
    """One page of an author's current answers by item and sample. q: in the text, or the beginning of a key."""
    answers = Answer.objects.filter(author=author).current().select_related("item").defer("item__facts")
    if q:
        answers = answers.filter(Q(text__icontains=q) | Q(item__key__istartswith=q))
    if before is not None:
        item, sample = before
        earlier = answers.filter(Q(item__lt=item) | Q(item=item, sample__lt=sample)).order_by("-item", "-sample")
        return _with_cursors(row_page(earlier, size, before=True))
    if after is not None:
        item, sample = after
        answers = answers.filter(Q(item__gt=item) | Q(item=item, sample__gt=sample))
    return _with_cursors(row_page(answers.order_by("item", "sample"), size, after=after is not None))


def _with_cursors(page: RowPage[Answer]) -> AnswerPage:
    previous, following = (_cursor_of(answer) if answer else None for answer in (page.previous, page.next))
    return AnswerPage(page.rows, previous, following)


def _cursor_of(answer: Answer) -> Cursor:
    return answer.item_id, answer.sample


@dataclass(frozen=True)
class AnswerDetail:
    """An answer with the conversation that it completes. asked: None while the item is not decided.

    versions: all versions of the same sample, the newest first. others: the author's other samples.
    """

    answer: Answer
    asked: CandidatePrompt | None
    versions: Sequence[Answer]
    others: Sequence[Answer]

    @property
    def is_current(self) -> bool:
        return self.versions[0].pk == self.answer.pk


def answer_detail(project: Project, pk: int) -> AnswerDetail | None:
    """Two queries; None where the project has no such answer."""
    answers = Answer.objects.filter(pk=pk, author__project=project, item__project=project)
    answer = answers.select_related("author", "item__base", "job__run__endpoint").first()
    if answer is None:
        return None
    answer.item.project = project
    case = case_of(answer.item) if answer.item.state == "accepted" else None
    siblings = list(
        Answer.objects.filter(item=answer.item_id, author=answer.author_id).order_by("sample", "-version").defer("text")
    )
    versions = [sibling for sibling in siblings if sibling.sample == answer.sample]
    newest = {sibling.sample: sibling for sibling in reversed(siblings) if sibling.sample != answer.sample}
    return AnswerDetail(answer, case.asked if case else None, versions, [newest[sample] for sample in sorted(newest)])
