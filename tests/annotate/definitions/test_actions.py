"""Versions of a definition in a project: what moves, what stays, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotate.definitions.actions import write_definition
from annotate.definitions.templates import all_templates
from annotate.errors import Refused, WrongState
from annotate.items import queue
from annotate.kinds.questions.definition import read_definition
from annotate.models import AuditEntry, Item, Project, SearchPending
from annotate.project.actions import copy_project, create_project
from annotate.work import submit
from tests.support.files import command, imported, write_rows
from tests.support.people import make_member, written

pytestmark = pytest.mark.django_db

FIRST = """
show: [{field: prompt}, {field: answer}]
questions:
  - {name: safe, type: choice, options: ["yes", "no", cannot tell]}
  - {name: why, type: text, required: false}
"""
RENAMED = FIRST.replace("name: safe", "name: harmless, formerly: safe").replace(
    "cannot tell]", "unclear], was: {cannot tell: unclear}"
)


def own_project() -> Project:
    return create_project(slug="own", kind="form", definition=FIRST, reviews=0)


def bring(project: Project, folder: Path, **more: Any) -> dict[str, Any]:
    rows = [{"key": f"k-{n}", "prompt": f"Is {n} prime?", "answer": "Yes.", "model": f"m{n}", **more} for n in range(3)]
    return imported(project, write_rows(folder / "rows.jsonl", rows))


def answered(project: Project, answers: dict[str, Any]) -> Item:
    member = make_member(project)
    slot = queue.claim_next(member, "annotate")
    assert slot is not None
    submit.submit(annotation=written(slot, member, answers), token=slot.token, by=member.user)
    return Item.objects.get(pk=slot.item_id)


def released(project: Project, folder: Path, *words: str) -> list[dict[str, Any]]:
    out = folder / "release.jsonl"
    code, _told, err = command("export_items", project.slug, "--out", out, *words)
    assert code == 0, err
    code, verified, err = command("verify", out)
    assert verified["ok"], (verified, err)
    return [json.loads(line) for line in out.read_text().splitlines()]


def test_a_new_project_has_the_questions_of_its_kind() -> None:
    project = create_project(slug="own", kind="form")
    assert project.kind.schema == 1
    assert project.definitions.get().text == project.kind.first_definition
    assert AuditEntry.objects.filter(verb="definition.written").count() == 1


def test_a_definition_with_a_fault_makes_no_project() -> None:
    with pytest.raises(Refused, match="line 1"):
        create_project(slug="own", kind="form", definition="nothing")
    assert not Project.objects.exists()


def test_other_kinds_have_no_definition() -> None:
    with pytest.raises(Refused, match="fixed questions"):
        create_project(slug="own", kind="feedback", definition=FIRST)


def test_columns_that_are_not_shown_reach_nobody_but_leads(tmp_path: Path) -> None:
    project = own_project()
    assert bring(project, tmp_path)["kept"] == 3
    item = Item.objects.earliest("pk")
    assert (item.facts, item.metadata) == ({"prompt": "Is 0 prime?", "answer": "Yes."}, {"model": "m0"})


def test_rows_that_differ_in_metadata_are_two_rows(tmp_path: Path) -> None:
    rows = [{"prompt": "Is 7 prime?", "answer": "Yes.", "model": model} for model in ("a", "b", "b")]
    report = imported(own_project(), write_rows(tmp_path / "rows.jsonl", rows))
    assert (report["kept"], report["duplicates"]) == (2, 1)


def test_work_under_an_older_version_is_released_under_the_names_of_the_newest(tmp_path: Path) -> None:
    project = own_project()
    bring(project, tmp_path)
    item = answered(project, {"safe": "cannot tell", "why": "I am no expert."})
    write_definition(project, text=RENAMED, by=None, based_on=1)
    row = next(row for row in released(project, tmp_path) if row["key"] == item.key)
    assert (row["harmless"], row["why"]) == ("unclear", "I am no expert.")
    assert "safe" not in row
    assert "metadata" not in row
    write_definition(project, text=FIRST, by=None, based_on=2)
    assert next(row["safe"] for row in released(project, tmp_path) if row["key"] == item.key) == "cannot tell"
    assert item.annotations.get().draft == {"safe": "cannot tell", "why": "I am no expert."}


def test_a_release_with_metadata_comes_back_as_it_was(tmp_path: Path) -> None:
    project = own_project()
    bring(project, tmp_path)
    rows = released(project, tmp_path, "--state", "any", "--metadata")
    assert [row["metadata"] for row in rows] == [{"model": "m0"}, {"model": "m1"}, {"model": "m2"}]
    other = create_project(slug="other", kind="form", definition=FIRST)
    assert imported(other, tmp_path / "release.jsonl")["kept"] == 3
    assert [*Item.objects.filter(project=other).values_list("metadata", flat=True)] == [row["metadata"] for row in rows]


def test_a_column_that_is_hidden_moves_to_the_metadata_and_back(tmp_path: Path) -> None:
    project = own_project()
    bring(project, tmp_path)
    hidden = FIRST.replace("{field: prompt}, {field: answer}", "{field: answer}")
    write_definition(project, text=hidden, by=None, based_on=1)
    item = Item.objects.earliest("pk")
    assert (item.facts, item.metadata, item.title) == (
        {"answer": "Yes."},
        {"prompt": "Is 0 prime?", "model": "m0"},
        "Yes.",
    )
    assert SearchPending.objects.filter(project=project).exists()
    shown = FIRST.replace("{field: answer}", "{field: answer}, {field: model, as: text}")
    write_definition(project, text=shown, by=None, based_on=2)
    item.refresh_from_db()
    assert item.facts == {"prompt": "Is 0 prime?", "answer": "Yes.", "model": "m0"}
    assert item.metadata is None


def test_a_column_that_items_lack_is_refused_and_nothing_changes(tmp_path: Path) -> None:
    project = own_project()
    bring(project, tmp_path)
    wanted = FIRST.replace("{field: answer}", "{field: answer}, {field: source}")
    with pytest.raises(Refused, match="3 items lack the column “source”, such as k-0"):
        write_definition(project, text=wanted, by=None, based_on=1)
    assert project.definitions.count() == 1
    assert Item.objects.earliest("pk").metadata == {"model": "m0"}
    optional = wanted.replace("{field: source}", "{field: source, optional: true}")
    assert write_definition(project, text=optional, by=None, based_on=1).version == 2


def test_two_leads_do_not_overwrite_each_other() -> None:
    project = own_project()
    write_definition(project, text=RENAMED, by=None, based_on=1)
    with pytest.raises(WrongState, match="version 2"):
        write_definition(project, text=FIRST, by=None, based_on=1)


def test_another_process_sees_the_new_version_at_its_next_request() -> None:
    project = own_project()
    other = Project.objects.get(pk=project.pk)
    assert list(other.kind.draft_names) == ["safe", "why"]
    write_definition(project, text=RENAMED, by=None, based_on=1)
    assert list(Project.objects.get(pk=project.pk).kind.draft_names) == ["harmless", "why", "safe"]
    assert list(project.kind.draft_names) == ["harmless", "why", "safe"]


def test_a_copy_has_the_newest_questions() -> None:
    project = own_project()
    write_definition(project, text=RENAMED, by=None, based_on=1)
    lead = make_member(project, "lead")
    copy = copy_project(source=project, slug="copy", name="Copy", lead=lead.user)
    assert "harmless" in copy.kind.draft_names
    assert copy.kind.schema == 1


def test_the_command_reads_and_changes_them(tmp_path: Path) -> None:
    project = own_project()
    path = tmp_path / "questions.yaml"
    assert command("definition", project.slug)[1] == {"project": "own", "version": 1, "definition": FIRST}
    path.write_text(RENAMED)
    assert command("definition", "own", "--set", path, "--dry-run")[1] == {
        "project": "own",
        "version": 1,
        "saved": False,
    }
    assert command("definition", "own", "--set", path, "--note", "plainer")[1]["version"] == 2
    assert command("definition", "own", "--out", path)[1]["version"] == 2
    assert path.read_text() == RENAMED
    path.write_text("show: 3")
    code, _told, err = command("definition", "own", "--set", path)
    assert code == 1
    assert "line 1, show: must be a list" in err


@pytest.mark.parametrize("name", all_templates())
def test_a_template_is_a_definition_and_its_rows_can_be_worked_on(name: str, tmp_path: Path) -> None:
    template = all_templates()[name]
    definition = read_definition(template.definition)
    code, _told, err = command("create_project", "own", "--kind", "form", "--template", name)
    assert code == 0, err
    path = tmp_path / "rows.jsonl"
    path.write_text(template.sample, encoding="utf-8")
    report = imported(Project.objects.get(slug="own"), path)
    assert (report["kept"], report["problems"]) == (5, [])
    for question in definition.questions:
        assert question.label("en") != question.label("zh")
