"""Judges get a version, an identity with its hash, and the scale of their scores; runs get a key to their judge."""

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0028_run_texts"), ("judging", "0007_unknown_texts")]

    operations = [
        migrations.AlterModelOptions("judge", {"ordering": ["name", "strategy", "variant", "version"]}),
        migrations.AddField(
            "judge",
            "version",
            models.PositiveSmallIntegerField(
                default=1, validators=[django.core.validators.MinValueValidator(1)], verbose_name="version"
            ),
        ),
        migrations.RemoveConstraint("judge", "a_judge_is_there_once"),
        migrations.AddConstraint(
            "judge",
            models.UniqueConstraint(
                fields=["project", "name", "strategy", "variant", "version"], name="a_version_of_a_judge_is_there_once"
            ),
        ),
        migrations.AddField("judge", "identity", models.JSONField(blank=True, default=dict)),
        migrations.AddField(
            "judge",
            "fingerprint",
            models.CharField(default="", max_length=12, verbose_name="fingerprint"),
            preserve_default=False,
        ),
        migrations.AddField("judge", "scale_low", models.PositiveSmallIntegerField(blank=True, null=True)),
        migrations.AddField("judge", "scale_top", models.PositiveSmallIntegerField(blank=True, null=True)),
        migrations.CreateModel(
            "JudgeRun",
            [
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="judge_run",
                        serialize=False,
                        to="annotate.run",
                    ),
                ),
                (
                    "judge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="judge_runs", to="judging.judge"
                    ),
                ),
                ("format_known", models.BooleanField(default=False)),
            ],
        ),
    ]
