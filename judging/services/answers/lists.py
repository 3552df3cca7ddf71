"""The answers of an author, page by page, and one answer with everything that is known about it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q

from annotate.kinds.judged import Asked
from annotate.models import Project
from judging.models import Answer, Author
from judging.services.cases import case_of

PAGE = 50
SHOWN = 400  # characters of an answer in a list

Cursor = tuple[int, int]  # item, sample


@dataclass(frozen=True)
class AnswerPage:
    """previous, next: the place before or after which the page beside it lies; None where there is none."""

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
        rows = list(earlier[: size + 1])
        more, rows = len(rows) > size, rows[:size][::-1]
        return AnswerPage(rows, _place(rows[0]) if more else None, _place(rows[-1]) if rows else None)
    if after is not None:
        item, sample = after
        answers = answers.filter(Q(item__gt=item) | Q(item=item, sample__gt=sample))
    rows = list(answers.order_by("item", "sample")[: size + 1])
    more, rows = len(rows) > size, rows[:size]
    return AnswerPage(rows, _place(rows[0]) if rows and after is not None else None, _place(rows[-1]) if more else None)


def _place(answer: Answer) -> Cursor:
    return answer.item_id, answer.sample


@dataclass(frozen=True)
class Whole:
    """An answer with the conversation that it ends. asked: None while the item is not decided.

    versions: of the same sample, the newest first; current: the newest of them. others: the author's other samples.
    """

    answer: Answer
    asked: Asked | None
    versions: Sequence[Answer]
    others: Sequence[Answer]

    @property
    def is_current(self) -> bool:
        return self.versions[0].pk == self.answer.pk


def whole(project: Project, pk: int) -> Whole | None:
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
    return Whole(answer, case.asked if case else None, versions, [newest[sample] for sample in sorted(newest)])
