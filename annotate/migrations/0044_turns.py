"""Items that belong together go to one person: the unit of a slot, and who has begun which."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0043_columns_of_the_list")]

    operations = [
        # Nullable and without a default, so that SQLite need not copy the table.
        migrations.AddField(
            model_name="slot",
            name="unit",
            field=models.CharField(blank=True, max_length=32, null=True),
        ),
        migrations.AddIndex(
            model_name="slot",
            index=models.Index(
                fields=["project", "unit", "no", "item"],
                name="open_slots_by_unit",
                condition=models.Q(("state", "open"), ("unit__isnull", False)),
            ),
        ),
        migrations.CreateModel(
            name="UnitTurn",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("unit", models.CharField(max_length=32)),
                ("no", models.PositiveSmallIntegerField()),
                ("until", models.DateTimeField()),
                (
                    "holder",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="turns",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="turns",
                        to="annotate.project",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["holder", "project"], name="turns_by_holder")],
                "constraints": [
                    models.UniqueConstraint(fields=("project", "unit", "no"), name="one_person_has_a_turn_at_a_unit")
                ],
            },
        ),
    ]
