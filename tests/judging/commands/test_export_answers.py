"""Answers to own questions of every type leave by `export_ratings` and come back by `import_ratings`."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotate.items import queue
from annotate.kinds.questions.definition import QUESTION_TYPES
from annotate.models import Project, Slot
from annotate.project.actions import create_project
from annotate.work import submit
from tests.support.every_question import ANSWERS, COLUMNS, EVERY_TYPE
from tests.support.files import command, imported, write_rows
from tests.support.people import make_member, written

pytestmark = pytest.mark.django_db
OTHERWISE: dict[str, Any] = {
    "good": 1, "safe": None, "topics": ["news", "code"], "better": "cannot_tell", "order": [1, 2], "fixed": "x",
    "price": -1, "errors": [], "rubric": ["not_met", "met"], "first_wrong": "none",
    "steps": [{"turn": 1, "value": "right"}], "ideal": [{"criterion": "None, “=1+1”", "points": 0}],
}  # fmt: skip


def filled(slug: str, folder: Path) -> Project:
    project = create_project(slug=slug, kind="form", definition=EVERY_TYPE, reviews=0)
    report = imported(project, write_rows(folder / "items.jsonl", [{"key": f"k{n}", **COLUMNS} for n in range(2)]))
    assert report["kept"] == 2, report["problems"]
    return project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Two items; a person answered about one, and a rater of a file about both."""
    project = filled("own", tmp_path)
    member = make_member(project)
    Slot.objects.filter(item__key="k0").update(priority=10)  # handed out first
    slot = queue.claim_next(member, "annotate")
    assert slot is not None
    submit.submit(annotation=written(slot, member, ANSWERS), token=slot.token, by=member.user)
    rows = [{"key": f"k{n}", "rater": "Ann", **OTHERWISE} for n in range(2)]
    report = command("import_ratings", "own", write_rows(tmp_path / "ratings.jsonl", rows))[1]
    assert report["ratings"] == 2, report["problems"]
    return project


def exported(slug: str, out: Path, *words: str) -> list[dict[str, Any]]:
    code, _told, err = command("export_ratings", slug, "--out", out, *words)
    assert code == 0, err
    rows = [json.loads(line) for line in out.read_text().splitlines()] if out.suffix == ".jsonl" else []
    return [{name: value for name, value in row.items() if name != "provenance"} for row in rows]


def test_answers_of_every_type_come_back_as_they_left(project: Project, tmp_path: Path) -> None:
    assert {question.type for question in project.kind.questions().values()} == {*QUESTION_TYPES}
    there = exported("own", tmp_path / "there.jsonl")
    assert there[0] == {"key": "k0", "rater": there[0]["rater"], **ANSWERS}
    given = {name: value for name, value in OTHERWISE.items() if value is not None}
    assert there[1:] == [{"key": key, "rater": "Ann", **given} for key in ("k0", "k1")]
    filled("other", tmp_path)
    report = command("import_ratings", "other", tmp_path / "there.jsonl")[1]
    assert (report["ratings"], report["problems"]) == (3, [])
    assert exported("other", tmp_path / "back.jsonl") == there
    assert command("verify", tmp_path / "there.jsonl")[0] == 0


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_tables_hold_the_same_answers(project: Project, tmp_path: Path, suffix: str) -> None:
    exported("own", tmp_path / "there.jsonl")
    table = tmp_path / f"there.{suffix}"
    exported("own", table)
    filled("other", tmp_path)
    assert command("import_ratings", "other", tmp_path / "there.jsonl")[1]["ratings"] == 3
    report = command("import_ratings", "other", table)[1]
    assert (report["duplicates"], report["problems"]) == (3, [])


def test_pseudonyms_hide_names_and_hidden_columns_stay(project: Project, tmp_path: Path) -> None:
    rows = exported("own", tmp_path / "there.jsonl", "--pseudonyms")
    assert [row["rater"] for row in rows] == ["person-1", "person-2", "person-2"]
    assert "m-1" not in (tmp_path / "there.jsonl").read_text()


def test_one_question_is_still_written_as_a_page_counts_it(project: Project, tmp_path: Path) -> None:
    rows = exported("own", tmp_path / "good.jsonl", "--what", "good")
    assert {row["value"] for row in rows} == {4.0, 1.0}
    code, _told, err = command("export_ratings", "own", "--out", tmp_path / "x.jsonl", "--judge", "m")
    assert (code, "--judge belongs to pages" in err) == (1, True)
