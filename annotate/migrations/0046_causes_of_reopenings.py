"""Items may also be reopened because a project's own questions changed."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("annotate", "0045_fill_units")]

    operations = [
        migrations.AlterField(
            model_name="reopening",
            name="guideline",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=models.CASCADE,
                related_name="reopenings",
                to="annotate.guideline",
            ),
        ),
        migrations.AddField(
            model_name="reopening",
            name="definition",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=models.CASCADE,
                related_name="reopenings",
                to="annotate.definition",
            ),
        ),
        migrations.AddConstraint(
            model_name="reopening",
            constraint=models.CheckConstraint(
                condition=Q(guideline=None, definition__isnull=False) | Q(guideline__isnull=False, definition=None),
                name="a_reopening_has_one_cause",
            ),
        ),
    ]
