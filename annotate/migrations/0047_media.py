"""Files that rows name: pictures and documents of a project."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q

import annotate.models.media


class Migration(migrations.Migration):
    dependencies = [("annotate", "0046_causes_of_reopenings")]

    operations = [
        migrations.CreateModel(
            name="MediaFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=200)),
                ("link", models.CharField(default=annotate.models.media.new_link, max_length=32, unique=True)),
                ("sha256", models.CharField(max_length=64)),
                ("source_sha256", models.CharField(max_length=64)),
                ("type", models.CharField(max_length=40)),
                ("size", models.PositiveBigIntegerField()),
                ("width", models.PositiveIntegerField(blank=True, null=True)),
                ("height", models.PositiveIntegerField(blank=True, null=True)),
                ("animated", models.BooleanField(default=False)),
                ("added_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "added_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="media", to="annotate.project"
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
                "indexes": [models.Index(fields=["project", "sha256"], name="files_by_content")],
                "constraints": [
                    models.UniqueConstraint(fields=("project", "name"), name="a_file_name_is_unique_in_its_project"),
                    models.CheckConstraint(
                        condition=Q(width=None, height=None) | Q(width__gte=1, height__gte=1),
                        name="images_have_both_sides",
                    ),
                ],
            },
        ),
    ]
