"""Own questions: the versions of a project's definition, and columns of an item that only leads see."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0038_indexes_of_the_overview")]

    operations = [
        migrations.AddField(
            model_name="project",
            name="definition_digest",
            field=models.CharField(blank=True, db_default="", default="", max_length=64),
        ),
        # Nullable and without a default, so that SQLite need not copy the table, which would drop its triggers.
        migrations.AddField(
            model_name="item",
            name="metadata",
            field=models.JSONField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name="Definition",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveSmallIntegerField()),
                ("text", models.TextField(verbose_name="text")),
                ("note", models.CharField(blank=True, max_length=200, verbose_name="what changed")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "author",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="definitions",
                        to="annotate.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-version"],
                "constraints": [
                    models.UniqueConstraint(fields=("project", "version"), name="a_definition_version_is_unique")
                ],
            },
        ),
    ]
