"""Migrations of rows, on rows as earlier versions stored them; in the tables of today, in which they still run.

On both databases and from the schema of their time: tests/test_migrations.py.
"""

from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps

from annotate.items.slots import unit_digest
from annotate.models import Batch, Item, Slot
from tests.support.people import make_project

pytestmark = pytest.mark.django_db
DEFINITION = "show: [{{field: a}}]\nquestions: [{{name: q, type: text}}]\n{}"
OLD = "The key “%(key)s” stands in %(where)s already; that one counts."
NEW = "The key “%(key)s” is already in %(where)s; that one is used."


def migrate(name: str, function: str, *arguments: Any) -> None:
    getattr(import_module(f"annotate.migrations.{name}"), function)(apps, None, *arguments)


def slots_of(*definitions: str, **facts: Any) -> list[Slot]:
    """Slots without a unit in a project with these versions of its definition; facts: key -> the column `doc`."""
    project = make_project(kind_slug="form")
    for version, text in enumerate(definitions, start=1):
        apps.get_model("annotate", "Definition").objects.create(project=project, version=version, text=text)
    for key, doc in facts.items():
        item = Item.objects.create(project=project, key=key, title=key, facts={"a": "x"}, content_hash=key)
        Item.objects.filter(pk=item.pk).update(metadata={"doc": doc} if doc is not None else None)
        for stage in ("annotate", "adjudicate"):
            Slot.objects.create(item=item, project=project, stage=stage, round=1)
    migrate("0045_fill_units", "fill")
    return list(Slot.objects.filter(stage="annotate").order_by("item__key").select_related("item", "project"))


def test_slots_of_items_that_belong_together_get_their_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("annotate.migrations.0045_fill_units"), "TOGETHER", 2)
    slots = slots_of(
        DEFINITION.format("unit: other"), DEFINITION.format("unit: doc"), a="d", b="d", c="e", d="", e=None
    )
    units = [slot.unit for slot in slots]
    today: Any = SimpleNamespace(pk=slots[0].project_id, kind=SimpleNamespace(unit_of=lambda *_columns: "d"))
    assert units[0] == units[1] == unit_digest(today, {}, {})
    assert units[2] not in (None, units[0])
    assert units[3:] == [None, None]
    assert set(Slot.objects.filter(stage="adjudicate").values_list("unit", flat=True)) == {None}


@pytest.mark.parametrize("text", [DEFINITION.format(""), "show: [", "just words"])
def test_without_a_readable_unit_no_slot_gets_one(text: str) -> None:
    assert [slot.unit for slot in slots_of(DEFINITION.format("unit: doc"), text, a="d")] == [None]


def test_stored_problems_of_imports_follow_the_reworded_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("annotate.migrations.0034_reword_stored_problems"), "AT_ONCE", 1)
    line = {"id": "line %(line)s", "values": {"line": 7}}
    said = {"id": OLD, "values": {"key": "k", "where": line, "among": {"id": OLD, "values": {}}}}
    told = {"file": "a.jsonl", "line": 1, "path": "", "message": "old text", "level": "error"}
    batch = {"project": make_project(), "file_name": "a.jsonl", "format": "jsonl"}
    for problems in ([told | {"said": said}, told], [told | {"said": {"id": "unknown", "values": {}}}], []):
        Batch.objects.create(**batch, problems=problems)
    migrate("0034_reword_stored_problems", "reword")
    first, second, third = Batch.objects.order_by("pk").values_list("problems", flat=True)
    reworded = {"id": NEW, "values": {"key": "k", "where": line, "among": {"id": NEW, "values": {}}}}
    assert first == [told | {"said": reworded}, told]
    assert (second[0]["said"]["id"], third) == ("unknown", [])
