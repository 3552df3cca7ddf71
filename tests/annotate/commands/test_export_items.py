import hashlib
import json
from pathlib import Path

import pytest

from annotate.models import Item, Project, Release
from tests.support.files import command, imported, row, write_rows
from tests.support.people import make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = make_project(slug="fb", licence="CC BY 4.0")
    imported(made, write_rows(tmp_path / "in.jsonl", [row(1), row(2)]))
    return made


def test_the_report_names_rows_digest_and_version(project: Project, tmp_path: Path) -> None:
    out = tmp_path / "x.jsonl"
    code, told, _err = command("export_items", "fb", "--out", out, "--state", "any")
    assert (code, told) == (0, {"rows": 2, "sha256": hashlib.sha256(out.read_bytes()).hexdigest(), "version": 1})
    manifest = json.loads((tmp_path / "x.jsonl.manifest.json").read_text())
    assert (manifest["rows"], manifest["sha256"], manifest["licence"]) == (2, told["sha256"], "CC BY 4.0")


def test_only_accepted_items_leave_unless_told(project: Project, tmp_path: Path) -> None:
    assert command("export_items", "fb", "--out", tmp_path / "x.jsonl")[1]["rows"] == 0
    imported(project, write_rows(tmp_path / "more.jsonl", [row(3)]), "--accept")
    assert command("export_items", "fb", "--out", tmp_path / "x.jsonl")[1]["rows"] == 1
    assert command("export_items", "fb", "--out", tmp_path / "x.jsonl", "--state", "ready")[1]["rows"] == 2


def test_every_call_is_another_version(project: Project, tmp_path: Path) -> None:
    for version in (1, 2):
        assert command("export_items", "fb", "--out", tmp_path / "x.jsonl")[1]["version"] == version
    assert Release.objects.filter(state="done").count() == 2


def test_groups_languages_and_splits_can_be_chosen(project: Project, tmp_path: Path) -> None:
    Item.objects.filter(key="row-1").update(group="Coding", language="zh")
    words = ["--group", "Coding", "--language", "zh", "--split", "train=0.9", "--split", "test=0.1", "--seed", "3"]
    command("export_items", "fb", "--out", tmp_path / "x.jsonl", "--state", "any", *words)
    (one,) = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text().splitlines()]
    assert (one["key"], one["provenance"]["split"] in ("train", "test")) == ("row-1", True)


@pytest.mark.parametrize("split", ["train", "train=x", "train=0.5"])
def test_splits_that_make_no_sense_are_usage(project: Project, tmp_path: Path, split: str) -> None:
    code, _told, err = command("export_items", "fb", "--out", tmp_path / "x.jsonl", "--split", split)
    assert code == 2
    assert err
    assert not Release.objects.exists()


def test_a_place_that_cannot_be_written_uses_up_no_version(project: Project, tmp_path: Path) -> None:
    for out in (tmp_path, tmp_path / "missing" / "x.jsonl"):
        assert command("export_items", "fb", "--out", out)[0] == 1
    assert not Release.objects.exists()


# --- verify ---------------------------------------------------------------------------------------------------------
@pytest.fixture
def exported(project: Project, tmp_path: Path) -> Path:
    command("export_items", "fb", "--out", tmp_path / "x.jsonl", "--state", "any")
    return tmp_path / "x.jsonl"


def test_a_file_as_it_was_written_holds(exported: Path) -> None:
    code, told, _err = command("verify", exported)
    assert (code, told["ok"], told["rows"], told["differences"]) == (0, True, 2, [])


def test_a_changed_character_is_found(exported: Path) -> None:
    exported.write_bytes(exported.read_bytes().replace(b"moon too many", b"moon too more"))
    code, told, err = command("verify", exported)
    assert (code, told["ok"]) == (1, False)
    assert "SHA-256" in err


def test_a_row_that_is_gone_is_counted(exported: Path) -> None:
    exported.write_bytes(exported.read_bytes().split(b"\n")[0] + b"\n")
    assert "holds 1 rows; the manifest says 2" in command("verify", exported)[1]["differences"][0]


def test_a_row_that_is_none_of_its_kind_is_named(exported: Path) -> None:
    lines = exported.read_text().splitlines()
    lines[1] = json.dumps({**json.loads(lines[1]), "user_query": 7, "key": "row-1"})
    exported.write_text("\n".join(lines) + "\n")
    told = command("verify", exported)[1]["differences"]
    assert "Line 2, user_query: must be text, not 7." in told
    assert "Line 2, key: is also in an earlier row." in told


def test_what_cannot_be_read_is_said(exported: Path, tmp_path: Path) -> None:
    assert "no y.jsonl.manifest.json" in command("verify", tmp_path / "y.jsonl")[2]
    manifest = exported.with_name("x.jsonl.manifest.json")
    manifest.write_text("{")
    assert "cannot be read" in command("verify", exported)[2]
    manifest.write_text('{"kind": "chess"}')
    assert "no kind 'chess'" in command("verify", exported)[2]


def test_a_missing_file_is_said(exported: Path) -> None:
    exported.unlink()
    assert "no such file" in command("verify", exported)[2]
