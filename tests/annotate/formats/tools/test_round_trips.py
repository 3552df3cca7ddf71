"""Whole ways: tasks of other tools into a project of own questions, out again, and ratings of the same file."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotate.models import Annotation, Item, Project
from annotate.project.actions import create_project
from tests.support.files import command, imported, write_rows

pytestmark = pytest.mark.django_db

DEFINITION = """
show:
  - {field: source, as: text}
  - {field: target, as: text, optional: true}
questions:
  - {name: grade, type: rating, scale: {"0": bad, "2": good}}
  - {name: topics, type: choices, options: [news, 代码, health], required: false}
  - {name: order, type: ranking, of: [target, source], required: false}
  - {name: errors, type: spans, on: [source], labels: [Style, Grammar], required: false}
"""
SOURCE = "我们 🙂🙂 爱"
ROWS: list[dict[str, Any]] = [
    {
        "key": "a",
        "source": SOURCE,
        "target": "We 🙂 love",
        "grade": 0,
        "topics": ["代码"],
        "order": [2, 1],
        "errors": [
            {"field": "source", "start": 0, "end": 4, "text": "我们 🙂", "label": "Grammar"},
            {"field": "source", "start": 3, "end": 5, "text": "🙂🙂", "label": "Style"},
        ],
    },
    {"key": "b", "source": "only", "grade": 2, "errors": []},
]


def made(slug: str) -> Project:
    return create_project(slug=slug, kind="form", definition=DEFINITION)


def released(project: Project, path: Path) -> list[dict[str, Any]]:
    assert command("export_items", project.slug, "--state", "any", "--out", path)[0] == 0
    return [{name: part for name, part in json.loads(line).items() if name != "provenance"} for line in path.open()]


@pytest.mark.parametrize("tool", ["label_studio", "argilla"])
def test_rows_leave_for_a_tool_and_come_back_equal(tool: str, tmp_path: Path) -> None:
    first, second, out = made("first"), made("second"), tmp_path / "out.json"
    assert imported(first, write_rows(tmp_path / "rows.jsonl", ROWS), "--accept")["kept"] == 2
    assert command("export_items", first.slug, "--state", "any", "--out", out, "--format", tool)[0] == 0
    assert command("verify", out)[0] == 0
    report = imported(second, out, "--format", tool, "--accept")
    assert (report["kept"], report["problems"]) == (2, [])
    assert released(second, tmp_path / "second.jsonl") == released(first, tmp_path / "first.jsonl")


def test_tasks_of_label_studio_become_items_and_their_annotations_ratings(tmp_path: Path) -> None:
    mark = {"id": "x", "from_name": "errors", "to_name": "t", "type": "labels"}
    mark |= {"value": {"start": 3, "end": 5, "text": "🙂🙂", "labels": ["Style"]}}
    stars = {"from_name": "grade", "to_name": "t", "type": "choices", "value": {"choices": ["2"]}}
    annotations = [{"completed_by": 1, "result": [mark, stars]}, {"completed_by": 2, "result": [stars]}]
    bad = {"completed_by": 3, "result": [mark | {"value": {"start": 0, "end": 2, "text": "wo", "labels": ["Style"]}}]}
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([{"id": 41, "data": {"source": SOURCE}, "annotations": [*annotations, bad]}]))
    project = made("ratings")
    assert imported(project, path, "--format", "label_studio")["kept"] == 1
    assert Item.objects.get(project=project).key == "41"
    code, report, _err = command("import_ratings", project.slug, path, "--format", "label_studio")
    assert (code, report["ratings"]) == (0, 2)
    assert [(problem["line"], problem["path"]) for problem in report["problems"]] == [(1, "errors[0].text")]
    drafts = dict(Annotation.objects.exclude(rater="").values_list("rater", "draft"))
    assert set(drafts) == {"1", "2"}
    assert drafts["1"]["errors"] == [{"field": "source", "start": 3, "end": 5, "text": "🙂🙂", "label": "Style"}]
