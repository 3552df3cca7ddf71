"""Slots made for one person had numbers from 1000 on; now a column says it. Their numbers stay."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

FIRST = 1000


def mark(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """One statement for all rows."""
    apps.get_model("annotate", "Slot").objects.filter(stage="annotate", no__gte=FIRST, own=False).update(own=True)


class Migration(migrations.Migration):
    dependencies = [("annotate", "0029_own_slots")]

    operations = [migrations.RunPython(mark, migrations.RunPython.noop)]
