from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0001_answers_and_verdicts"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="verdict",
            name="an_imported_verdict_is_there_once",
        ),
        migrations.AddField(
            model_name="verdict",
            name="found_in_explanation",
            field=models.BooleanField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="verdict",
            name="top",
            field=models.FloatField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name="verdict",
            constraint=models.UniqueConstraint(
                condition=models.Q(("job", None), ("second", None), ("top", None)),
                fields=("judge", "first", "repeat"),
                name="an_imported_verdict_is_there_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="verdict",
            constraint=models.UniqueConstraint(
                condition=models.Q(("job", None), ("second", None), ("top__isnull", False)),
                fields=("judge", "first", "repeat"),
                name="an_imported_verdict_beside_a_reference_is_there_once",
            ),
        ),
    ]
