"""People choose how often they get mails: a table of digests, and which notifications await one."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("annotate", "0039_definitions")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="mails",
            field=models.CharField(
                choices=[
                    ("at_once", "At once, what needs you"),
                    ("daily", "Once a day, everything unread"),
                    ("weekly", "Once a week, everything unread"),
                    ("never", "Never"),
                ],
                default="at_once",
                max_length=7,
                verbose_name="notifications by mail",
            ),
        ),
        migrations.AddField(
            model_name="notification",
            name="awaits_digest",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddIndex(
            model_name="notification",
            index=models.Index(
                condition=Q(awaits_digest=True), fields=["user", "created_at"], name="awaiting_a_digest"
            ),
        ),
        migrations.CreateModel(
            name="Digest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("period", models.DateTimeField()),
                ("token", models.UUIDField(blank=True, null=True)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("due_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("lines", models.PositiveIntegerField(default=0)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="digests",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(fields=("user", "period"), name="a_person_has_one_digest_a_period")
                ],
            },
        ),
    ]
