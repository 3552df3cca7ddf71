"""The few held slots and unfinished drafts are found by SQLite without statistics, and texts by their suggestion."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0053_events_with_their_items")]

    operations = [
        migrations.RemoveIndex(model_name="slot", name="held_slots_by_lease"),
        migrations.AddIndex(
            model_name="slot",
            index=models.Index(
                fields=["state", "project", "lease_until"],
                name="held_slots_by_lease",
                condition=models.Q(("state", "held")),
            ),
        ),
        migrations.RemoveIndex(model_name="annotation", name="unfinished_drafts"),
        migrations.AddIndex(
            model_name="annotation",
            index=models.Index(
                fields=["submitted_at", "author", "slot"],
                name="unfinished_drafts",
                condition=models.Q(("author__isnull", False), ("submitted_at__isnull", True)),
            ),
        ),
        migrations.AddIndex(
            model_name="annotation",
            index=models.Index(
                fields=["suggestion"],
                name="texts_by_suggestion",
                condition=models.Q(("suggestion__isnull", False)),
            ),
        ),
    ]
