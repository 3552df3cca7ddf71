"""Storing answers: equal texts are duplicates, other texts become the next version.

An answer of which only judgements were known gets its text filled in, because those judgements are about this text; as
a new version it would make them outdated.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from django.db import connection, transaction
from django.db.models import F

from annotate.bulk_rows import BulkInsert
from annotate.models import Project
from judging.answers.cases import Case, cases, decided, judgeable
from judging.models import Answer, Author
from judging.strategies.strategy import Strategy

AnswerKey = tuple[int, int, int]  # item, author, sample


@dataclass
class NewestAnswer:
    """The current version of a sample. text: None if only judgements of it are known."""

    pk: int | None
    version: int
    text: str | None


@dataclass(frozen=True)
class GivenAnswer:
    """An answer that somebody brings."""

    item: int
    author: int
    text: str
    sample: int = 1

    @property
    def place(self) -> AnswerKey:
        return self.item, self.author, self.sample


def store(new_answers: Sequence[GivenAnswer], **columns: Any) -> list[bool]:
    """For each answer whether it was new; stored in order, so that two texts with one key become two versions.

    columns: further columns that all of them share, such as `source`. Call it inside a transaction that has locked the
    authors (`hold`). Always four queries; only the texts that are compared are read.
    """
    newest = _newest({new_answer.place for new_answer in new_answers})
    rows, filled, were_new = [], [], []
    for new_answer in new_answers:
        current = newest.get(new_answer.place)
        is_new = current is None or current.text != new_answer.text
        if current is not None and current.text is None:
            current.text = new_answer.text
            filled.append(Answer(pk=current.pk, text=new_answer.text, known=True, **columns))
        elif is_new:
            current = newest[new_answer.place] = NewestAnswer(
                None, current.version + 1 if current else 1, new_answer.text
            )
            rows.append((*new_answer.place, current.version, new_answer.text))
        were_new.append(is_new)
    BulkInsert(Answer, ("item_id", "author_id", "sample", "version", "text"), **columns).insert(rows)
    if filled:
        Answer.objects.bulk_update(filled, ["text", "known", *columns], batch_size=500)
    return were_new


def store_one(new_answer: GivenAnswer, *, unless_since: datetime | None = None, **columns: Any) -> bool:
    """The same for one answer, in two queries. unless_since: skip it if another version came after that moment."""
    versions = Answer.objects.filter(item=new_answer.item, author=new_answer.author, sample=new_answer.sample).order_by(
        "-version"
    )
    newest = versions.values_list("version", "text", "known", "created_at").first()
    version, text, is_known, created_at = newest or (0, "", False, None)
    if (is_known and text == new_answer.text) or (created_at and unless_since and created_at > unless_since):
        return False
    Answer.objects.create(
        item_id=new_answer.item,
        author_id=new_answer.author,
        sample=new_answer.sample,
        version=version + 1,
        text=new_answer.text,
        **columns,
    )
    return True


def _newest(keys: set[AnswerKey]) -> dict[AnswerKey, NewestAnswer]:
    if not keys:
        return {}
    items, authors = {key[0] for key in keys}, {key[1] for key in keys}
    stored_answers = Answer.objects.filter(author__in=authors, item__in=items).order_by("version")
    ids: dict[AnswerKey, tuple[int, int]] = {}
    for pk, version, *columns in stored_answers.values_list(
        "pk", "version", "item_id", "author_id", "sample"
    ).iterator():
        key = (columns[0], columns[1], columns[2])
        if key in keys:
            ids[key] = (pk, version)
    newest_answers = Answer.objects.filter(pk__in=[pk for pk, _version in ids.values()])
    texts = {pk: text if is_known else None for pk, text, is_known in newest_answers.values_list("pk", "text", "known")}
    return {key: NewestAnswer(pk, version, texts[pk]) for key, (pk, version) in ids.items()}


def hold(authors: Iterable[int]) -> None:
    """Lock these authors until the transaction ends, so that nobody else writes their answers. SQLite locks all."""
    if not connection.features.has_select_for_update:
        return
    list(Author.objects.select_for_update(no_key=True).filter(pk__in=set(authors)).order_by("pk").values_list("pk"))


def authors_called(project: Project, description_by_name: Mapping[str, Mapping[str, str]]) -> dict[str, Author]:
    """name -> author; missing authors are created as described (sort, family, provider).

    Empty fields of existing authors are filled in; nothing else of them is changed.
    """
    author_by_name = {
        author.name: author for author in Author.objects.filter(project=project, name__in=description_by_name)
    }
    missing = [
        Author(project=project, name=name, **description_by_name[name])
        for name in description_by_name
        if name not in author_by_name
    ]
    if missing:
        Author.objects.bulk_create(missing, ignore_conflicts=True)  # another import may create the same ones now
        author_by_name = {
            author.name: author for author in Author.objects.filter(project=project, name__in=description_by_name)
        }
    for author in author_by_name.values():
        _complete(author, description_by_name[author.name])
    return author_by_name


def _complete(author: Author, described: Mapping[str, str]) -> None:
    empty = [field for field in ("family", "provider") if described.get(field) and not getattr(author, field)]
    for field in empty:
        setattr(author, field, described[field])
    if empty:
        author.save(update_fields=empty)


# Authors of corrections: `x+correction` is the author of corrected answers of x.


SUFFIX = "+correction"
LONGEST = 120


def corrected(name: str) -> str:
    """The name of the author of corrections of this author's answers."""
    return f"{name[: LONGEST - len(SUFFIX)]}{SUFFIX}"


def corrector_of(author: Author) -> Author:
    """The author of corrections of this author's answers; created if missing, with a link to this author."""
    name = corrected(author.name)
    described = {"sort": author.sort, "family": author.family, "provider": author.provider}
    corrector = authors_called(author.project, {name: described})[name]
    _link(corrector, author)
    return corrector


def link(authors: Mapping[str, Author]) -> None:
    """Link every author whose name is that of another one's corrections to that other author."""
    for name, author in authors.items():
        corrector = authors.get(corrected(name))
        if corrector is not None and corrector.pk != author.pk:
            _link(corrector, author)


def _link(corrector: Author, author: Author) -> None:
    if corrector.corrects_id is None:
        Author.objects.filter(pk=corrector.pk, corrects=None).update(corrects=author.pk)
        corrector.corrects = author


def not_written_anew(new_answers: list[GivenAnswer], authors: Mapping[str, Author]) -> list[GivenAnswer]:
    """The answers without those corrections held by items that a run has rewritten since: the run's version counts."""
    correctors = [author.pk for author in authors.values() if author.corrects_id]
    if not correctors:
        return new_answers
    written = Answer.objects.filter(
        author__in=correctors, item__in={answer.item for answer in new_answers}, job__isnull=False
    )
    written_keys = set(written.values_list("item_id", "author_id"))
    return [answer for answer in new_answers if (answer.item, answer.author) not in written_keys]


# Answers that items hold themselves, such as a gold and a perturbed one: stored as answers of authors of those names.
#
# If several items hold the same text for the same prompt, a run about single answers judges it once: the planner takes
# the first answer of those with an equal `key_of`. Readers of verdicts find the verdict of the others by the same key.


TOGETHER = 500  # items whose texts are compared at once
SOURCE = "items"  # the source that such an answer names


def ensure(project: Project) -> int:
    """Store the answers that decided items hold, as they read today; gives how many were new. Idempotent.

    A changed text becomes a new version; answers that an item no longer holds are kept as they were. Where judges read
    the items themselves, what an item shows is its answer, decided or not.
    """
    kind = project.kind
    if not (kind.judges_answers or kind.judges_items):
        return 0
    all_cases, new = cases(judgeable(project) if kind.judges_items else decided(project)), 0
    while batch := list(islice(all_cases, TOGETHER)):
        held = [case for case in batch if case.answers]
        new += _stored(project, held) if held else 0
    return new


def _stored(project: Project, held: list[Case]) -> int:
    described = {name: {"sort": sort} for case in held for name, (sort, _text) in case.answers.items()}
    with transaction.atomic():
        authors = authors_called(project, described)
        link(authors)
        hold([author.pk for author in authors.values()])
        new_answers = [
            GivenAnswer(case.item.pk, authors[name].pk, text)
            for case in held
            for name, (_sort, text) in case.answers.items()
        ]
        return sum(store(not_written_anew(new_answers, authors), source=SOURCE))


def held(project: Project) -> str:
    """The author of the trusted answers that the items hold, named by its sort; "" if they hold none."""
    trusted_authors = Author.objects.filter(
        project=project, name=F("sort"), sort__in=(Author.Sort.GOLD, Author.Sort.REFERENCE)
    )
    return trusted_authors.order_by("name").values_list("name", flat=True).first() or ""


def trusted(project: Project) -> str:
    """The author whose answers serve as the reference if nobody has chosen one."""
    sorts = (Author.Sort.GOLD, Author.Sort.REFERENCE)
    name = Author.objects.filter(project=project, sort__in=sorts).order_by("pk").values_list("name", flat=True).first()
    return name or "gold"


def key_of(case: Case, text: str, strategy: Strategy) -> bytes:
    """A key that is equal if this strategy asks about the text in the same words.

    That is: for the same prompt and language and, if the strategy reads it, the same ability.
    """
    key_parts = (case.judged.sha256, case.language, strategy.reads(case.judged), text)
    return hashlib.sha256("\0".join(key_parts).encode("utf-8", "surrogatepass")).digest()
