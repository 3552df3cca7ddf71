"""Counters of changes of verdicts and answers, kept by triggers.

A later migration that makes SQLite copy one of the two tables (a changed column, a new constraint) drops its triggers: it
has to create them again. A test looks whether they are there after all migrations.
"""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

OWNERS = {
    "verdict": "SELECT DISTINCT judge_id FROM changed",
    "answer": "SELECT DISTINCT project_id FROM changed JOIN judging_author ON judging_author.id = author_id",
}
OWNER_OF_ROW = {
    "verdict": "{row}.judge_id",
    "answer": "(SELECT project_id FROM judging_author WHERE id = {row}.author_id)",
}
ROWS = {"insert": "NEW", "update": "NEW", "delete": "OLD"}


def create(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    statements = _on_postgresql if editor.connection.vendor == "postgresql" else _on_sqlite
    for table in OWNERS:
        for sql in statements(table):
            editor.execute(sql)


def drop(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    for table in OWNERS:
        for event in ROWS:
            of_table = f" ON judging_{table}" if editor.connection.vendor == "postgresql" else ""
            editor.execute(f"DROP TRIGGER {event}s_of_{table}s_are_counted{of_table}")
        if editor.connection.vendor == "postgresql":
            editor.execute(f"DROP FUNCTION judging_count_{table}_changes()")
        editor.execute(f"DROP TABLE judging_{table}changes")


def _on_postgresql(table: str) -> list[str]:
    """A writer counts in a row that no other writer has locked, or in a new one: nobody waits for anybody."""
    changes = f"judging_{table}changes"
    return [
        f"""CREATE TABLE {changes} (id bigserial PRIMARY KEY, owner bigint NOT NULL,
        token bigint NOT NULL DEFAULT floor(random() * 4e18), changes bigint NOT NULL DEFAULT 1)""",
        f"CREATE INDEX {changes}_by_owner ON {changes} (owner)",
        f"""CREATE FUNCTION judging_count_{table}_changes() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE changed_owner bigint;
        BEGIN
            FOR changed_owner IN {OWNERS[table]} LOOP
                UPDATE {changes} SET changes = changes + 1 WHERE id =
                    (SELECT id FROM {changes} WHERE owner = changed_owner LIMIT 1 FOR UPDATE SKIP LOCKED);
                IF NOT FOUND THEN
                    INSERT INTO {changes} (owner) VALUES (changed_owner);
                END IF;
            END LOOP;
            RETURN NULL;
        END $$""",  # noqa: S608 - our own names
        *(
            f"CREATE TRIGGER {event}s_of_{table}s_are_counted AFTER {event} ON judging_{table} "
            f"REFERENCING {row} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION judging_count_{table}_changes()"
            for event, row in ROWS.items()
        ),
    ]


def _on_sqlite(table: str) -> list[str]:
    changes = f"judging_{table}changes"
    return [
        f"""CREATE TABLE {changes} (id integer PRIMARY KEY, owner bigint NOT NULL UNIQUE, token bigint NOT NULL,
        changes bigint NOT NULL)""",
        *(
            f"CREATE TRIGGER {event}s_of_{table}s_are_counted AFTER {event} ON judging_{table} BEGIN "  # noqa: S608
            f"INSERT INTO {changes} (owner, token, changes) "
            f"SELECT owner, random(), 1 FROM (SELECT {OWNER_OF_ROW[table].format(row=row)} AS owner) "
            "WHERE owner IS NOT NULL ON CONFLICT (owner) DO UPDATE SET changes = changes + 1; END"
            for event, row in ROWS.items()
        ),
    ]


class Migration(migrations.Migration):
    dependencies = [("judging", "0012_board_computations")]

    operations = [
        *(
            migrations.CreateModel(
                name=name,
                fields=[
                    ("id", models.BigAutoField(primary_key=True, serialize=False)),
                    ("owner", models.BigIntegerField()),
                    ("token", models.BigIntegerField()),
                    ("changes", models.BigIntegerField()),
                ],
                options={"db_table": f"judging_{name.lower()}", "managed": False},
            )
            for name in ("VerdictChanges", "AnswerChanges")
        ),
        migrations.RunPython(create, drop),
    ]
