from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0018_disputes_are_told"),
    ]

    operations = [
        migrations.AddField(
            model_name="member",
            name="checks_since",
            field=models.DateTimeField(blank=True, null=True),
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
                    ("disputed", "disputed"),
                    ("decided", "dispute decided"),
                    ("asked", "asked about the guidelines"),
                    ("ruled", "ruled on your question"),
                    ("paused", "paused"),
                    ("resumed", "work goes on"),
                    ("calibrate", "calibration"),
                ],
                max_length=9,
            ),
        ),
    ]
