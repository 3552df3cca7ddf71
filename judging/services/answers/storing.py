"""New answers beside those that are there: equal ones are duplicates, others become the next version.

A text for an answer of which only judgements were known is filled in: it is what those judgements are about, and as
another version it would make them outdated.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from annotate.models import Project
from annotate.services.importing.table import Table
from judging.models import Answer, Author

Place = tuple[int, int, int]  # item, author, sample


@dataclass
class Newest:
    """The current version of a sample. text: None where nothing but judgements of it is known."""

    pk: int | None
    version: int
    text: str | None


@dataclass(frozen=True)
class Given:
    """An answer that somebody brings."""

    item: int
    author: int
    text: str
    sample: int = 1

    @property
    def place(self) -> Place:
        return self.item, self.author, self.sample


def store(new_answers: Sequence[Given], **columns: Any) -> list[bool]:
    """For each whether it was new; in order, so that two texts of one place become two versions.

    columns: what all of them have beside their text, such as `source`. Inside a transaction that holds the authors
    (`hold`). Four queries however many; only the texts that are compared are read.
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
            current = newest[new_answer.place] = Newest(None, current.version + 1 if current else 1, new_answer.text)
            rows.append((*new_answer.place, current.version, new_answer.text))
        were_new.append(is_new)
    Table(Answer, ("item_id", "author_id", "sample", "version", "text"), **columns).insert(rows)
    if filled:
        Answer.objects.bulk_update(filled, ["text", "known", *columns], batch_size=500)
    return were_new


def store_one(new_answer: Given, *, unless_since: datetime | None = None, **columns: Any) -> bool:
    """The same for one answer, in two queries. unless_since: leave it if another version came after that moment."""
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


def _newest(keys: set[Place]) -> dict[Place, Newest]:
    if not keys:
        return {}
    items, authors = {key[0] for key in keys}, {key[1] for key in keys}
    stored_answers = Answer.objects.filter(author__in=authors, item__in=items).order_by("version")
    ids: dict[Place, tuple[int, int]] = {}
    for pk, version, *columns in stored_answers.values_list(
        "pk", "version", "item_id", "author_id", "sample"
    ).iterator():
        key = (columns[0], columns[1], columns[2])
        if key in keys:
            ids[key] = (pk, version)
    newest_answers = Answer.objects.filter(pk__in=[pk for pk, _version in ids.values()])
    texts = {pk: text if is_known else None for pk, text, is_known in newest_answers.values_list("pk", "text", "known")}
    return {key: Newest(pk, version, texts[pk]) for key, (pk, version) in ids.items()}


def hold(authors: Iterable[int]) -> None:
    """Nobody else writes answers of these authors until the transaction ends. On SQLite it has locked everything."""
    if not connection.features.has_select_for_update:
        return
    list(Author.objects.select_for_update(no_key=True).filter(pk__in=set(authors)).order_by("pk").values_list("pk"))


def authors_called(project: Project, description_by_name: Mapping[str, Mapping[str, str]]) -> dict[str, Author]:
    """name -> author; who is missing is made as described (sort, family, provider).

    What is empty of one who is there is filled in, and nothing else of them is changed.
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
        Author.objects.bulk_create(missing, ignore_conflicts=True)  # another import may make the same ones now
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
