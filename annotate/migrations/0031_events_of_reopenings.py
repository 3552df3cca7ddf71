import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0030_mark_own_slots"),
    ]

    operations = [
        migrations.AddField(
            model_name="event",
            name="reopening",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="events",
                to="annotate.reopening",
            ),
        ),
        migrations.AddIndex(
            model_name="event",
            index=models.Index(
                condition=Q(("reopening__isnull", False)), fields=["reopening"], name="events_of_reopenings"
            ),
        ),
    ]
