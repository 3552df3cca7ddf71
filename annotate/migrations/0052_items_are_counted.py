"""Counts of the items of a project by purpose and state, kept by triggers, and every stored item counted.

A later migration that makes SQLite copy the table of items (a changed column, a new constraint) drops its triggers: it
has to create them again. A test looks whether they are there after all migrations.
"""

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

PURPOSES = [("work", "Work"), ("calibration", "Calibration"), ("gold", "Gold"), ("attention", "Attention")]
STATES = [
    ("imported", "Imported"),
    ("ready", "To annotate"),
    ("reviewing", "In review"),
    ("adjudicating", "To adjudicate"),
    ("accepted", "Accepted"),
    ("dropped", "Dropped"),
]
WHAT = "project_id, purpose, state"
# What a statement changes, by the names that its trigger gives to the rows before and after it.
CHANGES = {
    "insert": "SELECT project_id, purpose, state, count(*) AS more FROM new_items GROUP BY 1, 2, 3",
    "delete": "SELECT project_id, purpose, state, -count(*) AS more FROM old_items GROUP BY 1, 2, 3",
    "update": """SELECT project_id, purpose, state, sum(more) AS more FROM (
        SELECT project_id, purpose, state, 1 AS more FROM new_items
        UNION ALL SELECT project_id, purpose, state, -1 FROM old_items
    ) AS moved GROUP BY 1, 2, 3 HAVING sum(more) <> 0""",
}
ROWS = {"insert": "NEW TABLE AS new_items", "delete": "OLD TABLE AS old_items"}
ROWS["update"] = f"{ROWS['insert']} {ROWS['delete']}"


def create(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    on_postgresql = editor.connection.vendor == "postgresql"
    for sql in [*(_on_postgresql() if on_postgresql else _on_sqlite()), COUNT_ALL]:
        editor.execute(sql)


def drop(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    on_postgresql = editor.connection.vendor == "postgresql"
    for event in CHANGES:
        editor.execute(f"DROP TRIGGER {event}s_of_items_are_counted" + (" ON annotate_item" if on_postgresql else ""))
        if on_postgresql:
            editor.execute(f"DROP FUNCTION annotate_count_{event}s_of_items()")


COUNT_ALL = (
    f"INSERT INTO annotate_itemcount ({WHAT}, items) "  # noqa: S608 - our own names
    f"SELECT {WHAT}, count(*) FROM annotate_item GROUP BY {WHAT}"
)


def _on_postgresql() -> list[str]:
    """A writer counts in a row that no other writer has locked, or in a new one: nobody waits for anybody."""
    functions = [
        f"""CREATE FUNCTION annotate_count_{event}s_of_items() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE change record;
        BEGIN
            FOR change IN {changes} LOOP
                UPDATE annotate_itemcount SET items = items + change.more WHERE id = (
                    SELECT id FROM annotate_itemcount WHERE project_id = change.project_id
                    AND purpose = change.purpose AND state = change.state LIMIT 1 FOR UPDATE SKIP LOCKED);
                IF NOT FOUND THEN
                    INSERT INTO annotate_itemcount ({WHAT}, items)
                    VALUES (change.project_id, change.purpose, change.state, change.more);
                END IF;
            END LOOP;
            RETURN NULL;
        END $$"""  # noqa: S608 - our own names
        for event, changes in CHANGES.items()
    ]
    triggers = [
        f"CREATE TRIGGER {event}s_of_items_are_counted AFTER {event} ON annotate_item REFERENCING {rows} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION annotate_count_{event}s_of_items()"
        for event, rows in ROWS.items()
    ]
    return functions + triggers


def _on_sqlite() -> list[str]:
    """One row for each sum: there is one writer at a time."""
    place = "WHERE project_id = {row}.project_id AND purpose = {row}.purpose AND state = {row}.state"
    less = f"UPDATE annotate_itemcount SET items = items - 1 {place.format(row='OLD')};"  # noqa: S608 - our own names
    new = place.format(row="NEW")
    more = (
        f"INSERT INTO annotate_itemcount ({WHAT}, items) SELECT NEW.project_id, NEW.purpose, NEW.state, 0 "  # noqa: S608
        f"WHERE NOT EXISTS (SELECT 1 FROM annotate_itemcount {new}); "
        f"UPDATE annotate_itemcount SET items = items + 1 {new};"
    )
    moved = "OLD.project_id <> NEW.project_id OR OLD.purpose <> NEW.purpose OR OLD.state <> NEW.state"
    name = "CREATE TRIGGER {}s_of_items_are_counted AFTER {}"
    return [
        f"{name.format('insert', 'INSERT')} ON annotate_item BEGIN {more} END",
        f"{name.format('delete', 'DELETE')} ON annotate_item BEGIN {less} END",
        f"{name.format('update', f'UPDATE OF {WHAT}')} ON annotate_item WHEN {moved} BEGIN {less} {more} END",
    ]


class Migration(migrations.Migration):
    dependencies = [("annotate", "0051_files_know_their_import")]

    operations = [
        migrations.CreateModel(
            name="ItemCount",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("purpose", models.CharField(choices=PURPOSES, max_length=11)),
                ("state", models.CharField(choices=STATES, max_length=12)),
                ("items", models.BigIntegerField()),
                (
                    "project",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="annotate.project",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["project", "purpose", "state"], name="counts_of_items")],
            },
        ),
        migrations.RunPython(create, drop),
    ]
