"""Answers of imported votes whose file held no texts are not known, where they were stored as empty ones."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def mark_unknown(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Both answers of a pair are empty only where the file named the models and nothing else."""
    items = apps.get_model("annotate", "Item").objects.filter(
        project__kind_slug="preference", facts__first="", facts__second=""
    )
    answers = apps.get_model("judging", "Answer").objects.filter(item__in=items.values("pk"), text="", known=True)
    answers.update(known=False)


class Migration(migrations.Migration):
    dependencies = [("annotate", "0026_shared_limits"), ("judging", "0006_readers_of_explanations")]

    operations = [migrations.RunPython(mark_unknown, migrations.RunPython.noop)]
