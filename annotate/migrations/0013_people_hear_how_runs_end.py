import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Whoever started a run is told in the inbox how it ended."""

    dependencies = [
        ("annotate", "0012_passes_over_runs"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="started_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="notification",
            name="run",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="annotate.run",
            ),
        ),
        migrations.AlterField(
            model_name="notification",
            name="verb",
            field=models.CharField(
                choices=[
                    ("returned", "sent back to you"),
                    ("answered", "answered"),
                    ("accepted", "accepted"),
                    ("dropped", "dropped"),
                    ("assigned", "assigned to you"),
                    ("imported", "import finished"),
                    ("released", "release finished"),
                    ("removed", "taken from you"),
                    ("finished", "run finished"),
                    ("stopped", "run stopped early"),
                ],
                max_length=9,
            ),
        ),
    ]
