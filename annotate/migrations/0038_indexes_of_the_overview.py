"""Left drafts, and the item that waits longest, are found without reading all texts or items: at 100,000 items each of
the two statements took most of the overview's time."""

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
        migrations.AddIndex(
            model_name="item",
            index=models.Index(fields=["project", "state", "changed_at", "id"], name="items_by_state_and_change"),
        ),
    ]
