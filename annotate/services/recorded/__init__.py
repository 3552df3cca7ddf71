"""Everything that is recorded about a person: all tables that name them, found in the models themselves.

A table that is added is found without being listed anywhere; words.py says in plain words what it is. What would let
somebody else in (passwords, digests of tokens, second steps) is never given out.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Count, QuerySet, Subquery, Value

from annotate.models import User
from annotate.services.recorded import veiling
from annotate.services.recorded.words import WORDS

SECRETS = {"password", "secret", "sha256", "token", "data", "starts_with", "session_hash"}
CHUNK = 500


@dataclass(frozen=True)
class Place:
    """A column by which rows of a table name somebody."""

    model: type[models.Model]
    column: str

    @property
    def name(self) -> str:
        """`annotate.annotation.author`: unique, and what the file calls it."""
        return f"{self.model._meta.label_lower}.{self.column}"

    @property
    def words(self) -> str:
        """What these rows are; a table for which nobody has found words is named as it stands."""
        phrase = WORDS.get(self.name)
        return str(phrase) if phrase else f"{self.model._meta.verbose_name}: {self.column}"

    @property
    def kept(self) -> list[str]:
        """The columns that are kept of each row, and given out."""
        return [field.attname for field in self.model._meta.concrete_fields if field.name not in SECRETS]

    def rows(self, user: User) -> QuerySet[Any]:
        by = {"username": user.username} if self.column == "username" else {self.column: user.pk}
        return veiling.counted(self.model._base_manager.filter(**by), self.column)


@dataclass(frozen=True)
class Recorded:
    """place: what it is; count: rows of it that name the person."""

    place: Place
    count: int


def places() -> list[Place]:
    """Every column of every installed table that names a person; their own account first."""
    columns = [Place(User, "id")]
    for model in apps.get_models():
        if model is User:
            continue
        for field in model._meta.concrete_fields:
            if (field.is_relation and field.related_model is User) or field.name == "username":
                columns.append(Place(model, field.name))
    return columns


def recorded_about(user: User) -> list[Recorded]:
    """What there is, in one query however many tables name people."""
    columns = places()
    counts = User.objects.filter(pk=user.pk).values_list(*(_counted(column.rows(user)) for column in columns)).get()
    return [Recorded(column, count or 0) for column, count in zip(columns, counts, strict=True)]


def _counted(rows: QuerySet[Any]) -> Subquery:
    """How many rows there are, as a part of another query; None for none."""
    grouped_rows = rows.order_by().annotate(together=Value(1)).values("together")
    return Subquery(grouped_rows.annotate(count_of_all=Count("pk")).values("count_of_all"))


def as_file(user: User) -> Iterator[str]:
    """All rows as one JSON object, name of the column -> rows; in parts, so that it may be long."""
    yield "{"
    for number, column in enumerate(places()):
        yield ("," if number else "") + f"\n{json.dumps(column.name)}: ["
        for index, row in enumerate(_rows(column, user)):
            yield ("," if index else "") + "\n  " + json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False)
        yield "]"
    yield "\n}\n"


def _rows(column: Place, user: User) -> Iterator[dict[str, Any]]:
    """By ascending key, in chunks that hold no cursor open."""
    last_pk: Any = None
    while True:
        more = column.rows(user) if last_pk is None else column.rows(user).filter(pk__gt=last_pk)
        chunk = list(more.order_by("pk").values("pk", *column.kept)[:CHUNK])
        last_pk = chunk[-1]["pk"] if chunk else None
        for row in veiling.veiled(column.model, chunk, user):
            del row["pk"]
            yield row
        if len(chunk) < CHUNK:
            return
