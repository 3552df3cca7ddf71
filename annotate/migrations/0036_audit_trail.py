"""The audit trail, whose entries the database itself refuses to update and to delete."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

MESSAGE = "Entries of the audit trail are never changed or deleted."
ADD = {
    "sqlite": [
        f"CREATE TRIGGER audit_entries_are_not_{word}d BEFORE {word.upper()} ON annotate_auditentry "
        f"BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"
        for word in ("update", "delete")
    ],
    "postgresql": [
        f"""CREATE FUNCTION annotate_refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION '{MESSAGE}'; END $$""",
        """CREATE TRIGGER audit_entries_are_not_changed BEFORE UPDATE OR DELETE ON annotate_auditentry
            FOR EACH ROW EXECUTE FUNCTION annotate_refuse_audit_change()""",
        """CREATE TRIGGER audit_entries_are_not_truncated BEFORE TRUNCATE ON annotate_auditentry
            FOR EACH STATEMENT EXECUTE FUNCTION annotate_refuse_audit_change()""",
    ],
}
REMOVE = {
    "sqlite": ["DROP TRIGGER audit_entries_are_not_updated", "DROP TRIGGER audit_entries_are_not_deleted"],
    "postgresql": [
        "DROP TRIGGER audit_entries_are_not_changed ON annotate_auditentry",
        "DROP TRIGGER audit_entries_are_not_truncated ON annotate_auditentry",
        "DROP FUNCTION annotate_refuse_audit_change()",
    ],
}


def guard(_apps: object, editor: BaseDatabaseSchemaEditor) -> None:
    for statement in ADD[editor.connection.vendor]:
        editor.execute(statement, params=None)


def unguard(_apps: object, editor: BaseDatabaseSchemaEditor) -> None:
    for statement in REMOVE[editor.connection.vendor]:
        editor.execute(statement, params=None)


class Migration(migrations.Migration):
    dependencies = [("annotate", "0035_search_texts")]

    operations = [
        migrations.CreateModel(
            name="AuditHead",
            fields=[
                ("id", models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("number", models.PositiveBigIntegerField(default=0)),
                ("hash", models.CharField(blank=True, max_length=64)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("id", 1)), name="an_audit_trail_has_one_head")
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                ("number", models.PositiveBigIntegerField(primary_key=True, serialize=False)),
                ("at", models.DateTimeField()),
                ("project_slug", models.CharField(blank=True, max_length=60)),
                ("account", models.CharField(blank=True, max_length=150)),
                ("role", models.CharField(blank=True, max_length=20)),
                ("address", models.CharField(blank=True, max_length=45)),
                ("channel", models.CharField(blank=True, max_length=120)),
                ("verb", models.CharField(max_length=40)),
                ("subject_kind", models.CharField(max_length=40)),
                ("subject_key", models.CharField(blank=True, max_length=200)),
                ("before", models.TextField(default="null")),
                ("after", models.TextField(default="null")),
                ("previous_hash", models.CharField(blank=True, max_length=64)),
                ("hash", models.CharField(max_length=64)),
                (
                    "person",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="annotate.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
                "indexes": [models.Index(fields=["project", "-number"], name="audit_entries_of_a_project")],
            },
        ),
        migrations.RunPython(guard, unguard),
    ]
