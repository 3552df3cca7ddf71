"""Slots of projects whose definition names a unit get the digest of theirs."""

import hashlib
from typing import Any

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from lib.texts.yaml_core import BadYaml, read_yaml

TOGETHER = 500


def fill(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    newest: dict[int, str] = {}
    for project, text in (
        apps.get_model("annotate", "Definition").objects.order_by("version").values_list("project", "text")
    ):
        newest[project] = text
    for project, text in newest.items():
        if column := _unit_column(text):
            _fill_project(apps.get_model("annotate", "Slot"), project, column)


def _unit_column(text: str) -> str:
    try:
        document = read_yaml(text).value
    except BadYaml:
        return ""
    return str(document.get("unit") or "") if isinstance(document, dict) else ""


def _fill_project(slot_table: Any, project: int, column: str) -> None:
    slots = slot_table.objects.filter(project=project, stage="annotate", own=False).order_by("pk")
    last = 0
    while part := list(slots.filter(pk__gt=last).select_related("item")[:TOGETHER]):
        for slot in part:
            value = {**(slot.item.metadata or {}), **slot.item.facts}.get(column)
            if value not in (None, "", []):
                slot.unit = hashlib.sha256(f"{project}/{value}".encode()).hexdigest()[:32]
        slot_table.objects.bulk_update(part, ["unit"])
        last = part[-1].pk


class Migration(migrations.Migration):
    dependencies = [("annotate", "0044_turns")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
