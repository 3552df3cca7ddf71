"""Labels and choices in plain English: nothing changes in the tables."""

from decimal import Decimal

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0032_link_events_to_reopenings"),
    ]

    operations = [
        migrations.AlterField(
            model_name="alikepair",
            name="decision",
            field=models.CharField(
                blank=True,
                choices=[("both", "Both kept"), ("first", "First kept"), ("second", "Second kept")],
                max_length=6,
            ),
        ),
        migrations.AlterField(
            model_name="annotation",
            name="outcome",
            field=models.CharField(
                blank=True,
                choices=[
                    ("annotated", "annotated"),
                    ("unsuitable", "marked unusable"),
                    ("accepted", "accepted unchanged"),
                    ("fixed", "fixed and accepted"),
                    ("returned", "returned"),
                    ("dropped", "dropped"),
                    ("revised", "changed, needs review"),
                ],
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="batch",
            name="state",
            field=models.CharField(
                choices=[
                    ("preview", "Awaiting confirmation"),
                    ("waiting", "Waiting"),
                    ("running", "Running"),
                    ("done", "Done"),
                    ("failed", "Failed"),
                ],
                default="waiting",
                max_length=7,
            ),
        ),
        migrations.AlterField(
            model_name="endpoint",
            name="api_version",
            field=models.CharField(blank=True, max_length=40, verbose_name="API version"),
        ),
        migrations.AlterField(
            model_name="endpoint",
            name="approved",
            field=models.BooleanField(default=True, verbose_name="approved by the server administrator"),
        ),
        migrations.AlterField(
            model_name="endpoint",
            name="deadline",
            field=models.PositiveIntegerField(
                default=120,
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(3600),
                ],
                verbose_name="timeout per call (seconds)",
            ),
        ),
        migrations.AlterField(
            model_name="endpoint",
            name="extra_allowed",
            field=models.JSONField(blank=True, default=list, verbose_name="names allowed in the extra body"),
        ),
        migrations.AlterField(
            model_name="endpoint",
            name="key_env",
            field=models.CharField(blank=True, max_length=80, verbose_name="environment variable with the key"),
        ),
        migrations.AlterField(
            model_name="endpoint",
            name="max_in_flight",
            field=models.PositiveIntegerField(
                default=16, validators=[django.core.validators.MinValueValidator(1)], verbose_name="concurrent calls"
            ),
        ),
        migrations.AlterField(
            model_name="endpoint",
            name="max_tokens",
            field=models.PositiveIntegerField(
                blank=True,
                null=True,
                validators=[django.core.validators.MinValueValidator(1)],
                verbose_name="max tokens per reply",
            ),
        ),
        migrations.AlterField(
            model_name="endpoint",
            name="price_in",
            field=models.DecimalField(
                decimal_places=4,
                default=Decimal("0"),
                max_digits=10,
                validators=[django.core.validators.MinValueValidator(Decimal("0"))],
                verbose_name="USD per million input tokens",
            ),
        ),
        migrations.AlterField(
            model_name="endpoint",
            name="price_out",
            field=models.DecimalField(
                decimal_places=4,
                default=Decimal("0"),
                max_digits=10,
                validators=[django.core.validators.MinValueValidator(Decimal("0"))],
                verbose_name="USD per million output tokens",
            ),
        ),
        migrations.AlterField(
            model_name="endpoint",
            name="requests_a_minute",
            field=models.PositiveIntegerField(
                blank=True,
                null=True,
                validators=[django.core.validators.MinValueValidator(1)],
                verbose_name="requests per minute",
            ),
        ),
        migrations.AlterField(
            model_name="endpoint",
            name="strict_json",
            field=models.BooleanField(default=True, verbose_name="supports json_schema"),
        ),
        migrations.AlterField(
            model_name="endpoint",
            name="tokens_a_minute",
            field=models.PositiveIntegerField(
                blank=True,
                null=True,
                validators=[django.core.validators.MinValueValidator(1)],
                verbose_name="tokens per minute",
            ),
        ),
        migrations.AlterField(
            model_name="invitation",
            name="note",
            field=models.CharField(blank=True, max_length=120, verbose_name="invitee"),
        ),
        migrations.AlterField(
            model_name="item",
            name="drop_reason",
            field=models.CharField(
                blank=True,
                choices=[
                    ("unsuitable", "Unusable"),
                    ("too_easy", "Too easy"),
                    ("duplicate", "Duplicate"),
                    ("withdrawn", "Withdrawn"),
                    ("other", "Other"),
                ],
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="job",
            name="state",
            field=models.CharField(
                choices=[
                    ("pending", "Waiting"),
                    ("leased", "In progress"),
                    ("done", "Done"),
                    ("failed", "Failed"),
                    ("cancelled", "Cancelled"),
                ],
                default="pending",
                max_length=9,
            ),
        ),
        migrations.AlterField(
            model_name="member",
            name="daily_limit",
            field=models.PositiveIntegerField(blank=True, null=True, verbose_name="daily limit"),
        ),
        migrations.AlterField(
            model_name="member",
            name="total_limit",
            field=models.PositiveIntegerField(blank=True, null=True, verbose_name="total limit"),
        ),
        migrations.AlterField(
            model_name="notification",
            name="verb",
            field=models.CharField(
                choices=[
                    ("returned", "returned to you"),
                    ("answered", "answered"),
                    ("accepted", "accepted"),
                    ("dropped", "dropped"),
                    ("assigned", "assigned to you"),
                    ("imported", "import finished"),
                    ("released", "release finished"),
                    ("removed", "taken back from you"),
                    ("finished", "run finished"),
                    ("stopped", "run stopped early"),
                    ("disputed", "disputed"),
                    ("decided", "dispute decided"),
                    ("asked", "asked about the guidelines"),
                    ("ruled", "ruled on your question"),
                    ("paused", "paused"),
                    ("resumed", "work resumed"),
                    ("calibrate", "calibration"),
                    ("rejected", "import failed"),
                ],
                max_length=9,
            ),
        ),
        migrations.AlterField(
            model_name="participant",
            name="state",
            field=models.CharField(
                choices=[
                    ("begun", "Started"),
                    ("sent", "Sent"),
                    ("aside", "Excluded (failed attention check)"),
                    ("withdrawn", "Withdrawn"),
                ],
                default="begun",
                max_length=9,
            ),
        ),
        migrations.AlterField(
            model_name="pass",
            name="sort",
            field=models.CharField(choices=[("planning", "Planning"), ("rereading", "Reparsing")], max_length=9),
        ),
        migrations.AlterField(
            model_name="project",
            name="lease_minutes",
            field=models.PositiveSmallIntegerField(
                default=30, verbose_name="return an item to the queue after (minutes idle)"
            ),
        ),
        migrations.AlterField(
            model_name="project",
            name="licence",
            field=models.CharField(blank=True, max_length=80, verbose_name="release licence"),
        ),
        migrations.AlterField(
            model_name="project",
            name="options",
            field=models.JSONField(blank=True, default=dict, verbose_name="labels and rules"),
        ),
        migrations.AlterField(
            model_name="project",
            name="paused_reason",
            field=models.TextField(blank=True, verbose_name="reason for the pause"),
        ),
        migrations.AlterField(
            model_name="project",
            name="waits_for_suggestion",
            field=models.BooleanField(default=False, verbose_name="hold new items until a model has drafted them"),
        ),
        migrations.AlterField(
            model_name="readiness",
            name="calibration_by",
            field=models.CharField(
                choices=[("expected", "The expected answers"), ("review", "A lead's review")],
                default="expected",
                max_length=8,
                verbose_name="who can start",
            ),
        ),
        migrations.AlterField(
            model_name="run",
            name="shares_replies",
            field=models.BooleanField(default=False, verbose_name="reuse identical requests (cache)"),
        ),
        migrations.AlterField(
            model_name="slot",
            name="state",
            field=models.CharField(
                choices=[("open", "Open"), ("held", "In progress"), ("submitted", "Submitted"), ("void", "Void")],
                default="open",
                max_length=9,
            ),
        ),
        migrations.AlterField(
            model_name="user",
            name="display_name",
            field=models.CharField(blank=True, max_length=80, verbose_name="display name"),
        ),
        migrations.AlterField(
            model_name="user",
            name="keys",
            field=models.JSONField(blank=True, default=dict, verbose_name="custom keys"),
        ),
        migrations.AlterField(
            model_name="user",
            name="theme",
            field=models.CharField(
                choices=[("auto", "System default"), ("light", "Light"), ("dark", "Dark")],
                default="auto",
                max_length=5,
                verbose_name="appearance",
            ),
        ),
    ]
