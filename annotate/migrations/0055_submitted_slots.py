"""Counts of what is done read an index of submitted slots alone."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0054_indexes_of_few_rows")]

    operations = [
        migrations.AddIndex(
            model_name="slot",
            index=models.Index(
                fields=["state", "project", "stage", "holder", "item"],
                name="submitted_slots",
                condition=models.Q(("state", "submitted")),
            ),
        ),
    ]
