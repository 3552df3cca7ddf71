"""Parquet files as rows: read by a program of its own, limited in every respect, and written as they were."""

import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pyarrow
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from pyarrow.parquet import ParquetFile, write_table

from annotate.formats import parquet as parquet_format
from annotate.formats.registry import guess
from annotate.formats.rows import ImportRow, ObservedValues, Out, Problem
from annotate.formats.source import MIB, Limits, Unreadable
from annotate.models import Batch, Item
from annotate.project.actions import create_project
from tests.annotate.formats.conftest import Read
from tests.support.files import command, imported, parquet, write_rows
from tests.support.people import make_member

ROWS = [{"key": f"k{n}", "prompt": f"Why {n}?", "meta": {"n": n}} for n in range(1200)]
DEFINITION = """show: [{field: prompt}]
questions:
  - {name: good, type: rating, scale: {"1": bad, "5": good}, required: false}
  - {name: topics, type: choices, options: [news, code], required: false}
  - {name: price, type: number, required: false}
"""


def table(folder: Path, columns: dict[str, Any], **options: Any) -> Path:
    write_table(pyarrow.table(columns), folder / "t.parquet", **options)
    return folder / "t.parquet"


def test_rows_are_numbered_and_keep_their_types(read: Read) -> None:
    rows, problems = read(parquet(ROWS), "parquet")
    assert problems == []
    assert [row.line for row in rows] == list(range(1, 1201))
    assert [row.value for row in rows] == ROWS


def test_a_reader_who_stops_stops_the_program(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_bytes(parquet(ROWS))
    rows = parquet_format.FORMAT.read(tmp_path / "t.parquet")
    assert isinstance(next(rows), ImportRow)
    rows.close()  # type: ignore[attr-defined]  # waits for the program


def test_what_is_binary_is_left_out_with_a_warning(read: Read) -> None:
    rows, _problems = read(parquet([{"key": "a", "image": b"\xff\x00"}, {"key": "b"}]), "parquet")
    assert [(row.value, [path for path, _message in row.warnings]) for row in rows] == [
        ({"key": "a"}, ["image"]),
        ({"key": "b"}, []),
    ]


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (gzip.compress(parquet(ROWS[:1])), "Unpack the gzip file"),
        (b'{"a": 1}\n', "does not begin with PAR1"),
        (parquet(ROWS)[:-20], "damaged"),
        (b"PAR1" + b"\0" * 50 + b"PAR1", "damaged"),
        (b"PAR1" + b"\xff" * 50 + b"\xff\xff\xff\x7fPAR1", "damaged"),
    ],
)
def test_what_is_no_parquet_file_is_one_problem_with_the_remedy(content: bytes, part: str, read: Read) -> None:
    rows, problems = read(content, "parquet")
    assert (rows, [problem.line for problem in problems]) == ([], [None])
    assert part in problems[0].message


def test_values_that_json_has_not_are_refused_row_by_row(read: Read) -> None:
    rows, problems = read(parquet([{"a": 1.5}, {"a": float("inf")}, {"a": 2.5}]), "parquet")
    assert [row.value for row in rows] == [{"a": 1.5}, {"a": 2.5}]
    assert [(problem.line, problem.path) for problem in problems] == [(2, "a")]
    assert "NUL" in read(parquet([{"a": "x\0y"}]), "parquet")[1][0].message


def test_a_row_may_be_as_long_as_in_other_formats(read: Read) -> None:
    rows, problems = read(parquet([{"a": "x" * 900}, {"a": "y"}]), "parquet", limits=Limits(line_bytes=500))
    assert [row.value for row in rows] == [{"a": "y"}]
    assert "Split it" in problems[0].message


def test_a_small_file_that_unpacks_to_much_is_stopped(tmp_path: Path) -> None:
    """One text, a hundred thousand times: a few kilobytes in the file."""
    texts = pyarrow.DictionaryArray.from_arrays(pyarrow.array(numpy.zeros(100_000, "int8")), ["x" * 5000])
    path = table(tmp_path, {"a": texts})
    assert path.stat().st_size < 50_000
    *rows, problem = parquet_format.FORMAT.read(path, limits=Limits(ratio_from_bytes=20_000_000))
    assert isinstance(problem, Problem)
    assert "more than 200 times its size" in problem.message
    assert len(rows) < 5000


def test_a_row_that_needs_too_much_memory_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight million zeros in one row; what reads them ends, and not the server."""
    monkeypatch.setattr(parquet_format, "MOST_MEMORY", 200 * MIB)
    zeros = pyarrow.ListArray.from_arrays([0, 1, 8_000_000], numpy.zeros(8_000_000, "int32"))
    *_rows, problem = parquet_format.FORMAT.read(table(tmp_path, {"a": zeros}))
    assert isinstance(problem, Problem)
    assert "memory" in problem.message
    assert "smaller row groups" in problem.message


@pytest.mark.parametrize(
    ("columns", "part"),
    [
        ({f"c{n}": [1] for n in range(5000)}, "5000 columns; at most 2000"),
        ({"a": pyarrow.nulls(10_000_001)}, "10000001 rows; at most 10000000"),
    ],
)
def test_too_many_columns_or_rows_are_refused_before_reading(columns: Any, part: str, tmp_path: Path) -> None:
    (problem,) = parquet_format.FORMAT.read(table(tmp_path, columns))
    assert isinstance(problem, Problem)
    assert part in problem.message


def test_a_program_that_is_killed_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As by a fault of the library that a damaged file finds."""
    script = tmp_path / "script.py"
    script.write_text("import os\nprint('{\"a\": 1}', flush=True)\nos.abort()\n")
    monkeypatch.setattr(parquet_format.parquet_rows, "__file__", str(script))
    (tmp_path / "t.parquet").write_bytes(parquet(ROWS))
    row, problem = parquet_format.FORMAT.read(tmp_path / "t.parquet")
    assert isinstance(row, ImportRow)
    assert isinstance(problem, Problem)
    assert "Row 2 could not be read" in problem.message


@pytest.mark.parametrize(
    ("stopped", "part"),
    [
        ({"code": "missing"}, "Run `make setup`"),
        ({"code": "damaged", "group": 2, "row": 101, "said": "bad page"}, "Row group 2, from row 101, is damaged"),
        ({"code": "damaged", "group": 0, "row": 1, "said": "bad end"}, "The Parquet file is damaged: bad end"),
    ],
)
def test_what_stopped_the_program_is_told_with_the_remedy(
    stopped: dict[str, Any], part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script.py"
    script.write_text(f"print({'!' + json.dumps(stopped)!r})\n")
    monkeypatch.setattr(parquet_format.parquet_rows, "__file__", str(script))
    (tmp_path / "t.parquet").write_bytes(parquet(ROWS[:1]))
    (problem,) = parquet_format.FORMAT.read(tmp_path / "t.parquet")
    assert isinstance(problem, Problem)
    assert part in problem.message


def test_a_column_that_is_there_twice_is_named(tmp_path: Path) -> None:
    write_table(pyarrow.table([[1], [2]], names=["score", "score"]), tmp_path / "t.parquet")
    (problem,) = parquet_format.FORMAT.read(tmp_path / "t.parquet")
    assert isinstance(problem, Problem)
    assert "Two columns are called “score”" in problem.message


def test_rows_that_are_together_larger_than_a_file_may_be_are_refused(read: Read) -> None:
    rows, problems = read(parquet([{"a": "x" * 900}] * 2000), "parquet", limits=Limits(file_bytes=MIB))
    assert 0 < len(rows) < 2000
    assert "larger than 1 MiB" in problems[0].message


def test_rows_are_written_with_their_keys_facts_and_drafts() -> None:
    rows = [Out("a", {"prompt": "Why?"}, {"good": 4}, {}), Out("b", {"prompt": "What?"}, {}, {})]
    content = b"".join(parquet_format.FORMAT.written(rows, ObservedValues()))
    table = ParquetFile(io.BytesIO(content)).read()
    assert table.to_pylist() == [
        {"key": "a", "prompt": "Why?", "good": 4},
        {"key": "b", "prompt": "What?", "good": None},
    ]


def test_a_file_that_could_not_be_written_is_no_short_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys\nsys.exit(1)\n")
    monkeypatch.setattr(parquet_format.parquet_rows, "__file__", str(script))
    with pytest.raises(Unreadable, match="could not be written"):
        b"".join(parquet_format.FORMAT.written_from(tmp_path / "rows.jsonl"))


def test_nobody_loads_the_library_at_start() -> None:
    script = "import django, sys; django.setup(); import annotate.urls, judging.urls; print('pyarrow' in sys.modules)"
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, env=environment, check=True, text=True)
    assert told.stdout.split()[-1] == "False"


def test_tables_of_tabs_are_read_where_no_format_of_the_kind_claims_them() -> None:
    assert [getattr(guess("x.tsv.gz", kind), "slug", "") for kind in ("form", "perturbation")] == ["csv", "fbi"]


# --- in a project ---------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_release_leaves_as_parquet_and_comes_back(tmp_path: Path) -> None:
    project = create_project(slug="own", kind="form", definition=DEFINITION)
    rows: list[dict[str, Any]] = [
        {"key": "a", "prompt": "Why?", "good": 4, "topics": ["news"], "price": 2, "model": "m"},
        {"key": "b", "prompt": "=1+1", "good": 5, "topics": ["code", "news"], "price": 2.5},
        {"key": "c", "prompt": "What?"},
    ]
    assert imported(project, write_rows(tmp_path / "in.jsonl", rows))["kept"] == 3
    for name in ("x.jsonl", "x.parquet"):
        words = ("--out", tmp_path / name, "--state", "any", "--metadata")
        assert command("export_items", "own", *words)[1]["rows"] == 3
        assert command("verify", tmp_path / name)[0] == 0, command("verify", tmp_path / name)[2]
    assert ParquetFile(tmp_path / "x.parquet").schema_arrow.field("good").type == pyarrow.int64()
    lines = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text().splitlines()]
    back = [row.value for row in parquet_format.FORMAT.read(tmp_path / "x.parquet") if isinstance(row, ImportRow)]
    plain = [{name: value for name, value in line.items() if value is not None} for line in lines]
    assert back == plain
    other = create_project(slug="other", kind="form", definition=DEFINITION)
    assert imported(other, tmp_path / "x.parquet")["kept"] == 3
    facts = Item.objects.order_by("key").values_list("key", "facts", "metadata")
    assert [*facts.filter(project=other)] == [*facts.filter(project=project)]
    (tmp_path / "x.parquet").write_bytes((tmp_path / "x.parquet").read_bytes()[:-1] + b"2")
    assert command("verify", tmp_path / "x.parquet")[0] == 1


@pytest.mark.django_db
def test_ratings_leave_and_come_back_as_parquet(tmp_path: Path) -> None:
    project = create_project(slug="own", kind="form", definition=DEFINITION)
    imported(project, write_rows(tmp_path / "in.jsonl", [{"key": "a", "prompt": "Why?"}]))
    ratings = [{"key": "a", "rater": "Ann", "good": 4, "topics": []}, {"key": "a", "rater": "Bo", "price": 0.5}]
    assert command("import_ratings", "own", write_rows(tmp_path / "r.jsonl", ratings))[1]["ratings"] == 2
    out = tmp_path / "r.parquet"
    assert command("export_items", "own", "--out", out, "--rows", "raters", "--names")[1]["rows"] == 2
    assert command("verify", out)[0] == 0
    assert "The rows in the format parquet: what one rater" in (tmp_path / "r.parquet.card.md").read_text()
    assert command("import_ratings", "own", out)[1]["duplicates"] == 2


@pytest.mark.django_db
def test_an_upload_is_previewed_mapped_and_imported(client: Any, tmp_path: Path) -> None:
    project = create_project(slug="own", kind="form", definition=DEFINITION)
    client.force_login(make_member(project, "lead").user)
    file = SimpleUploadedFile("rows.parquet", parquet([{"id": n, "q": {"text": f"Why {n}?"}} for n in range(5)]))
    form = {"file": file, "drafts": "suggestion", "duplicates": "skip"}
    page = client.post("/p/own/import/", form, follow=True).content.decode()
    assert "q.text" in page
    batch = Batch.objects.get()
    settings = {"format": "parquet", "drafts": "suggestion", "duplicates": "skip"}
    client.post(f"/p/own/import/{batch.pk}/settings/", settings | {"map-prompt": "q.text", "map-key": "id"})
    client.post(f"/p/own/import/{batch.pk}/confirm/")
    command("reconcile")
    assert [*Item.objects.order_by("key").values_list("key", "facts__prompt")][3] == ("3", "Why 3?")
    command("export_items", "own", "--out", tmp_path / "x.jsonl", "--state", "any")
    assert "?format=parquet" in client.get("/p/own/releases/1/").content.decode()
    download = client.get("/p/own/releases/1/download/?format=parquet")
    assert b"".join(download.streaming_content)[:4] == b"PAR1"
