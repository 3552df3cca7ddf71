"""What the search over items needs: their folded texts, their grams, and which items a worker has still to read.

All of it can be made again from the items. Triggers on the table of items fill SearchPending, so that no writer of
items can forget it. Foreign keys have no constraint in the database: checking it would lock the item, and the indexer
would wait for people.
"""

from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.sql.compiler import SQLCompiler


class GramsField(models.Field):
    """Grams, as annotate/items/search_index.py encodes them for the database."""


class FoldedTextField(models.TextField):
    """A text that is compared exactly, byte by byte."""


class Holds(models.Lookup):
    """Whether a folded text contains a folded one, or the grams of an item all those of a query."""

    lookup_name = "holds"
    prepare_rhs = False
    templates = {"postgresql": "annotate_text_holds({}, {})", "sqlite": "instr({}, {}) > 0"}

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Any:
        left, left_params = self.process_lhs(compiler, connection)
        right, right_params = self.process_rhs(compiler, connection)
        return self.templates[connection.vendor].format(left, right), [*left_params, *right_params]


class HoldsAll(Holds):
    templates = {"postgresql": "annotate_indexed_grams({}) @> {}::bigint[]", "sqlite": "{} MATCH {}"}

    def process_lhs(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, lhs: Any = None) -> Any:
        if connection.vendor != "sqlite":
            return super().process_lhs(compiler, connection, lhs)
        # A full-text table without positions is asked as a whole: by its hidden column, which has its name.
        names = (self.lhs.alias, self.lhs.target.model._meta.db_table)
        return ".".join(map(connection.ops.quote_name, names)), []


FoldedTextField.register_lookup(Holds)
GramsField.register_lookup(HoldsAll)


class SearchText(models.Model):
    """The key, title and texts of an item, folded, a line each; see annotate/items/search_index.py."""

    item = models.OneToOneField(
        "annotate.Item", models.CASCADE, primary_key=True, db_constraint=False, related_name="search_text"
    )
    text = FoldedTextField()

    def __str__(self) -> str:
        return f"search text of {self.item_id}"


class SearchGrams(models.Model):
    """The grams of an item: an array under a GIN index on PostgreSQL, a full-text table (FTS5) on SQLite.

    Migration 0035 creates the table; each database has its own encoding of grams, so rows are written in SQL.
    """

    item = models.OneToOneField(
        "annotate.Item",
        models.CASCADE,
        primary_key=True,
        db_column="rowid",
        db_constraint=False,
        related_name="search_grams",
    )
    grams = GramsField()

    class Meta:
        managed = False
        db_table = "annotate_searchgrams"

    def __str__(self) -> str:
        return f"grams of {self.item_id}"


class SearchPending(models.Model):
    """An item that is new, or whose key, title or facts have changed since it was indexed. It may be listed twice."""

    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="+", db_constraint=False, db_index=False)
    project = models.ForeignKey(
        "annotate.Project", models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )

    class Meta:
        indexes = [models.Index(fields=["project", "id"], name="pending_by_project")]

    def __str__(self) -> str:
        return f"{self.item_id} to index"


class SearchIndex(models.Model):
    """The index of a project's items; a worker continues it under a lease."""

    project = models.OneToOneField(
        "annotate.Project", models.CASCADE, primary_key=True, db_constraint=False, related_name="+"
    )
    lease_until = models.DateTimeField(null=True, blank=True)
    token = models.UUIDField(null=True, blank=True)

    def __str__(self) -> str:
        return f"search index of {self.project_id}"
