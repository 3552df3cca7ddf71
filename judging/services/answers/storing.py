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


def store(given: Sequence[Given], **columns: Any) -> list[bool]:
    """For each whether it was new; in order, so that two texts of one place become two versions.

    columns: what all of them have beside their text, such as `source`. Inside a transaction that holds the authors
    (`hold`). Four queries however many; only the texts that are compared are read.
    """
    newest = _newest({one.place for one in given})
    rows, filled, were_new = [], [], []
    for one in given:
        found = newest.get(one.place)
        is_new = found is None or found.text != one.text
        if found is not None and found.text is None:
            found.text = one.text
            filled.append(Answer(pk=found.pk, text=one.text, known=True, **columns))
        elif is_new:
            found = newest[one.place] = Newest(None, found.version + 1 if found else 1, one.text)
            rows.append((*one.place, found.version, one.text))
        were_new.append(is_new)
    Table(Answer, ("item_id", "author_id", "sample", "version", "text"), **columns).insert(rows)
    if filled:
        Answer.objects.bulk_update(filled, ["text", "known", *columns], batch_size=500)
    return were_new


def store_one(given: Given, *, unless_since: datetime | None = None, **columns: Any) -> bool:
    """The same for one answer, in two queries. unless_since: leave it if another version came after that moment."""
    there = Answer.objects.filter(item=given.item, author=given.author, sample=given.sample).order_by("-version")
    newest = there.values_list("version", "text", "known", "created_at").first()
    version, text, known, made = newest or (0, "", False, None)
    if (known and text == given.text) or (made and unless_since and made > unless_since):
        return False
    Answer.objects.create(
        item_id=given.item,
        author_id=given.author,
        sample=given.sample,
        version=version + 1,
        text=given.text,
        **columns,
    )
    return True


def _newest(places: set[Place]) -> dict[Place, Newest]:
    if not places:
        return {}
    items, authors = {place[0] for place in places}, {place[1] for place in places}
    there = Answer.objects.filter(author__in=authors, item__in=items).order_by("version")
    ids: dict[Place, tuple[int, int]] = {}
    for pk, version, *place in there.values_list("pk", "version", "item_id", "author_id", "sample").iterator():
        at = (place[0], place[1], place[2])
        if at in places:
            ids[at] = (pk, version)
    wanted = Answer.objects.filter(pk__in=[pk for pk, _version in ids.values()])
    texts = {pk: text if known else None for pk, text, known in wanted.values_list("pk", "text", "known")}
    return {at: Newest(pk, version, texts[pk]) for at, (pk, version) in ids.items()}


def hold(authors: Iterable[int]) -> None:
    """Nobody else writes answers of these authors until the transaction ends. On SQLite it has locked everything."""
    if not connection.features.has_select_for_update:
        return
    list(Author.objects.select_for_update(no_key=True).filter(pk__in=set(authors)).order_by("pk").values_list("pk"))


def authors_called(project: Project, wanted: Mapping[str, Mapping[str, str]]) -> dict[str, Author]:
    """name -> author; who is missing is made as described (sort, family, provider).

    What is empty of one who is there is filled in, and nothing else of them is changed.
    """
    known = {one.name: one for one in Author.objects.filter(project=project, name__in=wanted)}
    missing = [Author(project=project, name=name, **wanted[name]) for name in wanted if name not in known]
    if missing:
        Author.objects.bulk_create(missing, ignore_conflicts=True)  # another import may make the same ones now
        known = {one.name: one for one in Author.objects.filter(project=project, name__in=wanted)}
    for one in known.values():
        _complete(one, wanted[one.name])
    return known


def _complete(author: Author, described: Mapping[str, str]) -> None:
    empty = [field for field in ("family", "provider") if described.get(field) and not getattr(author, field)]
    for field in empty:
        setattr(author, field, described[field])
    if empty:
        author.save(update_fields=empty)
