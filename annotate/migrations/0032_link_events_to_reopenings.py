"""The events of a reopening were known by its note, which names its number; now a foreign key says it."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

VERBS = ["reopened", "reclosed"]


def link(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """One statement for each reopening, over an index: there are few reopenings, and there may be millions of events."""
    events = apps.get_model("annotate", "Event").objects.filter(reopening=None)
    for reopening in apps.get_model("annotate", "Reopening").objects.exclude(note="").order_by("pk"):
        known_by_note = events.filter(
            project_id=reopening.project_id, verb__in=VERBS, at__gte=reopening.created_at, note=reopening.note
        )
        known_by_note.update(reopening=reopening)


class Migration(migrations.Migration):
    dependencies = [("annotate", "0031_events_of_reopenings")]

    operations = [migrations.RunPython(link, migrations.RunPython.noop)]
