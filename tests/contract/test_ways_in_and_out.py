"""What every format that rows are written in promises: what it can hold comes back as it was, and it says what not."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from annotate.formats.base import Format
from annotate.kinds import all_kinds
from annotate.models import Project
from annotate.services.releasing.converting import writers
from tests.contract.test_formats import files, without_provenance
from tests.support.files import command, imported, row, write_rows
from tests.support.people import make_project

pytestmark = pytest.mark.django_db

FIXTURES = Path(__file__).parents[2] / "fixtures"
every_writer = pytest.mark.parametrize("wanted", writers().values(), ids=writers())
ANY = ("--state", "any")
HARD = [
    "=1+1",
    "'=1+1",
    "''",
    "'",
    "-1",
    "+1",
    "@a",
    "\tx",
    "\rx",
    "[1]",
    '{"a": 1}',
    "'[1]",
    "null",
    "1",
    "true",
    'a"b\r\nc,d;e',
    "＝1",
    "\u2028x",
    " x ",
    "__json",
]


def there_and_back(folder: Path, kind: str, source: Path, wanted: Format, *words: str) -> None:
    """What comes back by that format is what comes back by JSON lines."""
    first, plain, other = (make_project(kind_slug=kind) for _ in range(3))
    report = imported(first, source, *words)
    assert report["kept"] == report["read"] > 0, report["problems"]
    out = folder / f"{first.slug}{wanted.written_as}"
    code, told, err = command("export_items", first.slug, *ANY, "--out", out, "--format", wanted.slug)
    assert (code, told["rows"]) == (0, report["kept"]), err
    code, verified, err = command("verify", out)
    assert verified["ok"], err
    assert imported(plain, exported(first, folder), *words)["kept"] == report["kept"]
    back = imported(other, out, "--format", wanted.slug, *words)
    assert back["kept"] == report["kept"], back["problems"]
    assert [*rows_of(exported(other, folder))] == [*rows_of(exported(plain, folder))]


def exported(project: Project, folder: Path) -> Path:
    path = folder / f"{project.slug}.jsonl"
    command("export_items", project.slug, *ANY, "--out", path)
    return path


def rows_of(path: Path) -> Iterator[bytes]:
    return without_provenance(path.read_bytes())


@every_writer
@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(rows=files())
def test_any_rows_that_import_accepts_come_back(wanted: Format, tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    there_and_back(tmp_path, "feedback", write_rows(tmp_path / "given.jsonl", rows), wanted)


@every_writer
def test_texts_that_tools_could_take_for_something_else_come_back(wanted: Format, tmp_path: Path) -> None:
    rows = [
        row(no, feedback=f"{text}", origin_first_response=text) | {"key": f"{text}{no}"} for no, text in enumerate(HARD)
    ]
    there_and_back(tmp_path, "feedback", write_rows(tmp_path / "given.jsonl", rows), wanted, "--accept")


@every_writer
@pytest.mark.parametrize("kind", sorted(all_kinds()))
def test_samples_of_every_kind_come_back(wanted: Format, kind: str, tmp_path: Path) -> None:
    source = FIXTURES / f"{kind}_demo.jsonl"
    if not source.exists():
        source = FIXTURES / "guide" / f"{kind}s.jsonl"
    lines = source.read_text().splitlines()[:6]
    (tmp_path / "given.jsonl").write_text("\n".join(lines) + "\n")
    there_and_back(tmp_path, kind, tmp_path / "given.jsonl", wanted)


@every_writer
def test_it_says_what_it_cannot_hold(wanted: Format, tmp_path: Path) -> None:
    project = make_project()
    imported(project, write_rows(tmp_path / "a.jsonl", [row(1)]))
    told = command("export_items", project.slug, "--state", "any", "--out", tmp_path / "a", "--format", wanted.slug)[1]
    assert told["written_as"] == wanted.slug
    assert any("provenance" in lost for lost in told["cannot_hold"])
    assert bool(wanted.beside_as) == ("beside" in told)
    manifest = json.loads((tmp_path / "a.manifest.json").read_text())
    assert manifest["sha256"] == told["sha256"] != manifest["release_sha256"]
    assert (tmp_path / "a").read_bytes()


def test_a_changed_file_is_noticed_in_whatever_format(tmp_path: Path) -> None:
    project = make_project()
    imported(project, write_rows(tmp_path / "a.jsonl", [row(1), row(2)]))
    out = tmp_path / "a.json"
    command("export_items", project.slug, "--state", "any", "--out", out, "--format", "label_studio")
    tasks = json.loads(out.read_text())
    out.write_text(json.dumps(tasks[:1]))
    code, _told, err = command("verify", out)
    assert code == 1
    assert "1 rows" in err
