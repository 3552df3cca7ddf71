"""Saved views, which boards had first, for pages of this app too. An app above brings the views that it has stored."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0041_tours")]

    operations = [
        migrations.CreateModel(
            name="SavedView",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=80, verbose_name="name")),
                ("page", models.CharField(max_length=40)),
                ("query", models.CharField(blank=True, max_length=500)),
                ("shared", models.BooleanField(default=False, verbose_name="for everyone in the project")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="saved_views", to="annotate.project"
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "owner", "page", "name"), name="a_saved_view_is_there_once"
                    )
                ],
            },
        ),
    ]
