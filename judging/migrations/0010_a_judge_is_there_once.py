"""A judge is there once by its identity."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judging", "0009_one_wording_a_judge")]

    operations = [
        migrations.AddConstraint(
            "judge", models.UniqueConstraint(fields=["project", "fingerprint"], name="a_judge_is_there_once")
        ),
    ]
