"""Tables of the search over items, the triggers that queue items for it, and every stored item queued.

A later migration that makes SQLite copy the table of items (a changed column, a new constraint) drops its triggers: it
has to create them again. A test looks whether they are there after all migrations.
"""

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

import annotate.models.search

CREATE = {
    "postgresql": [
        # The arrays lie outside of the rows, so that a search that reads many rows does not read the arrays.
        """CREATE TABLE annotate_searchgrams (rowid bigint PRIMARY KEY, grams bigint[] NOT NULL)
        WITH (toast_tuple_target = 128)""",
        # The two functions only tell the planner the price of fetching an array, and of reading a text. For the
        # operators alone it thinks that both are free, and reads every array instead of using the index.
        """CREATE FUNCTION annotate_indexed_grams(bigint[]) RETURNS bigint[] LANGUAGE plpgsql
        IMMUTABLE PARALLEL SAFE COST 4000 AS $$ BEGIN RETURN $1; END $$""",
        """CREATE FUNCTION annotate_text_holds(text, text) RETURNS boolean LANGUAGE plpgsql
        IMMUTABLE PARALLEL SAFE COST 500 AS $$ BEGIN RETURN strpos($1, $2) > 0; END $$""",
        "CREATE INDEX grams_of_items ON annotate_searchgrams USING gin (annotate_indexed_grams(grams))",
        # To count the hits of a frequent word: the planner would look at the items one by one, as for a page of them.
        """CREATE FUNCTION annotate_items_holding(bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql STABLE ROWS 1000
        SET enable_seqscan = off SET enable_indexscan = off AS $$ BEGIN
            RETURN QUERY SELECT rowid FROM annotate_searchgrams WHERE annotate_indexed_grams(grams) @> $1;
        END $$""",
        """CREATE FUNCTION annotate_queue_new_items() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO annotate_searchpending (item_id, project_id) SELECT id, project_id FROM new_items;
            INSERT INTO annotate_searchindex (project_id) SELECT DISTINCT project_id FROM new_items
            ON CONFLICT DO NOTHING;
            RETURN NULL;
        END $$""",
        """CREATE FUNCTION annotate_queue_changed_item() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO annotate_searchpending (item_id, project_id) VALUES (NEW.id, NEW.project_id);
            INSERT INTO annotate_searchindex (project_id) VALUES (NEW.project_id) ON CONFLICT DO NOTHING;
            RETURN NULL;
        END $$""",
        """CREATE TRIGGER new_items_are_indexed AFTER INSERT ON annotate_item REFERENCING NEW TABLE AS new_items
        FOR EACH STATEMENT EXECUTE FUNCTION annotate_queue_new_items()""",
        """CREATE TRIGGER changed_items_are_indexed AFTER UPDATE OF key, title, facts ON annotate_item
        FOR EACH ROW WHEN ((OLD.key, OLD.title, OLD.facts) IS DISTINCT FROM (NEW.key, NEW.title, NEW.facts))
        EXECUTE FUNCTION annotate_queue_changed_item()""",
    ],
    "sqlite": [
        "CREATE VIRTUAL TABLE annotate_searchgrams USING fts5(grams, tokenize='ascii', detail='none', columnsize=0)",
        """CREATE TRIGGER new_items_are_indexed AFTER INSERT ON annotate_item BEGIN
            INSERT INTO annotate_searchpending (item_id, project_id) VALUES (NEW.id, NEW.project_id);
            INSERT OR IGNORE INTO annotate_searchindex (project_id) VALUES (NEW.project_id);
        END""",
        """CREATE TRIGGER changed_items_are_indexed AFTER UPDATE OF key, title, facts ON annotate_item
        WHEN OLD.key <> NEW.key OR OLD.title <> NEW.title OR OLD.facts <> NEW.facts BEGIN
            INSERT INTO annotate_searchpending (item_id, project_id) VALUES (NEW.id, NEW.project_id);
            INSERT OR IGNORE INTO annotate_searchindex (project_id) VALUES (NEW.project_id);
        END""",
    ],
}
DROP = {
    "postgresql": [
        "DROP TRIGGER changed_items_are_indexed ON annotate_item",
        "DROP TRIGGER new_items_are_indexed ON annotate_item",
        "DROP FUNCTION annotate_items_holding(bigint[])",
        "DROP TABLE annotate_searchgrams",
        "DROP FUNCTION annotate_queue_changed_item(), annotate_queue_new_items()",
        "DROP FUNCTION annotate_indexed_grams(bigint[]), annotate_text_holds(text, text)",
    ],
    "sqlite": [
        "DROP TRIGGER changed_items_are_indexed",
        "DROP TRIGGER new_items_are_indexed",
        "DROP TABLE annotate_searchgrams",
    ],
}
QUEUE_ALL = [
    "INSERT INTO annotate_searchpending (item_id, project_id) SELECT id, project_id FROM annotate_item ORDER BY id",
    "INSERT INTO annotate_searchindex (project_id) SELECT DISTINCT project_id FROM annotate_item",
]


def create(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    _execute(editor, CREATE[editor.connection.vendor])


def drop(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    _execute(editor, DROP[editor.connection.vendor])


def queue_all(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """So that a worker indexes the items of an installation that is updated."""
    _execute(editor, QUEUE_ALL)


def _execute(editor: BaseDatabaseSchemaEditor, statements: list[str]) -> None:
    with editor.connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("annotate", "0034_reword_stored_problems")]

    operations = [
        migrations.CreateModel(
            name="SearchIndex",
            fields=[
                (
                    "project",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="annotate.project",
                    ),
                ),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("token", models.UUIDField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="SearchText",
            fields=[
                (
                    "item",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="search_text",
                        serialize=False,
                        to="annotate.item",
                    ),
                ),
                ("text", annotate.models.search.FoldedTextField()),
            ],
        ),
        migrations.CreateModel(
            name="SearchPending",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "item",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.item",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.project",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["project", "id"], name="pending_by_project")],
            },
        ),
        migrations.CreateModel(
            name="SearchGrams",
            fields=[
                (
                    "item",
                    models.OneToOneField(
                        db_column="rowid",
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="search_grams",
                        serialize=False,
                        to="annotate.item",
                    ),
                ),
                ("grams", annotate.models.search.GramsField()),
            ],
            options={"db_table": "annotate_searchgrams", "managed": False},
        ),
        migrations.RunPython(create, drop),
        migrations.RunPython(queue_all, migrations.RunPython.noop),
    ]
