"""Unfinished drafts are found without reading all texts of the installation: the overview counts those that were left."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("annotate", "0037_items_counted")]

    operations = [
        migrations.AddIndex(
            model_name="annotation",
            index=models.Index(
                condition=Q(author__isnull=False, submitted_at__isnull=True),
                fields=["slot"],
                name="unfinished_drafts",
            ),
        ),
    ]
