"""Forty files and more that nobody should send, through the command, on a project with room for good rows."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from annotate.models import Item, Project
from tests.support.files import command, facts_only, jsonl, row, without
from tests.support.people import make_project

pytestmark = pytest.mark.django_db
GOOD = jsonl([row(1)])


class Bad(NamedTuple):
    """kept: rows kept; line, path: of the first error; says: part of its message."""

    content: bytes
    kept: int
    line: int | None
    path: str
    says: str
    name: str = "a.jsonl"


def second(bad: object) -> bytes:
    return GOOD + (bad if isinstance(bad, bytes) else jsonl([bad])) + jsonl([row(3)])


def raw(text: str) -> bytes:
    """A whole row whose feedback is this JSON text."""
    return jsonl([row(2)]).replace(b'"That is one moon too many."', text.encode(errors="surrogatepass"))


def zipped(name: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, "x")
    return packed.getvalue()


def table(*lines: str) -> bytes:
    return ("key,bench_type,user_query,origin_first_response\n" + "\n".join(lines)).encode()


CASES = {
    "malformed line": Bad(second(b'{"key": "a",\n'), 2, 2, "", "missing"),
    "text instead of an object": Bad(second(b'"row"\n'), 2, 2, "", "must be an object"),
    "list instead of an object": Bad(second(b"[1, 2]\n"), 2, 2, "", "must be an object"),
    "prose": Bad(b"Dear all,\n", 0, 1, "", "Character 1"),
    "fact missing": Bad(second(without(row(2), "user_query")), 2, 2, "user_query", "is missing"),
    "fact of the wrong type": Bad(second(row(2, user_query=5)), 2, 2, "user_query", "must be text"),
    "fact empty": Bad(second(row(2, user_query="")), 2, 2, "user_query", "empty"),
    "unknown scenario": Bad(second(row(2, bench_type="Chat")), 2, 2, "bench_type", "allowed"),
    "unknown field": Bad(second(row(2, mood="good")), 2, 2, "mood", "not a field"),
    "draft of the wrong type": Bad(second(row(2, feedback=["x"])), 2, 2, "feedback", "must be text"),
    "draft null": Bad(second(row(2, feedback=None)), 2, 2, "feedback", "null"),
    "draft blank": Bad(second(row(2, feedback=" ")), 2, 2, "feedback", "write the feedback"),
    "checklist is text": Bad(second(row(2, checklist="is it?")), 2, 2, "checklist", "must be a list"),
    "checklist empty": Bad(second(row(2, checklist=[])), 2, 2, "checklist", "at least one"),
    "weights do not sum": Bad(second(row(2, checklist=[["a", 0.5], ["b", 0.4]])), 2, 2, "checklist", "0.9"),
    "weight missing": Bad(second(row(2, checklist=[["a", 0.5], ["b"]])), 2, 2, "checklist[1]", "weight missing"),
    "weight is text": Bad(second(row(2, checklist=[["a", "1"]])), 2, 2, "checklist[0]", "number"),
    "weight above one": Bad(second(row(2, checklist=[["a", 1.5], ["b", -0.5]])), 2, 2, "checklist[0]", "between"),
    "weight is true": Bad(second(row(2, checklist=[["a", True]])), 2, 2, "checklist[0]", "number"),
    "question repeated": Bad(second(row(2, checklist=[["a", 0.5], ["a", 0.5]])), 2, 2, "checklist[1]", "repeats"),
    "unknown deficiency": Bad(second(row(2, error_type=["Typo"])), 2, 2, "error_type[0]", "not allowed"),
    "unknown subtask": Bad(second(row(2, sub_task_type="Poems")), 2, 2, "sub_task_type", "not allowed"),
    "key is a number": Bad(second(row(2, key=5)), 2, 2, "key", "must be text"),
    "suggestion is text": Bad(second(facts_only(2, suggestion="x")), 2, 2, "suggestion", "must be an object"),
    "final incomplete": Bad(second(facts_only(2, final={"feedback": "x"})), 2, 2, "final.task_type", "missing"),
    "NaN": Bad(second(raw("NaN")), 2, 2, "feedback", "not JSON"),
    "too large a number": Bad(second(raw("1e999")), 2, 2, "feedback", "too large"),
    "integer beyond 64 bits": Bad(second(raw(str(2**70))), 2, 2, "feedback", "64 bits"),
    "5,000 digits": Bad(second(raw("1" * 5000)), 2, 2, "feedback", "64 bits"),
    "NUL escaped": Bad(second(raw('"a\\u0000b"')), 2, 2, "feedback", "NUL"),
    "NUL raw": Bad(second(raw('"a\0b"')), 2, 2, "feedback", "control character"),
    "half a surrogate pair": Bad(second(raw('"\\ud83d"')), 2, 2, "feedback", "surrogate"),
    "invalid UTF-8": Bad(second(raw('"x"').replace(b'"x"', b'"\xff"')), 2, 2, "feedback", "UTF-8"),
    "name twice": Bad(second(raw('"x", "feedback": "y"')), 2, 2, "feedback", "twice"),
    "depth of 100,000": Bad(second(b'{"key": ' + b"[" * 100_000 + b"\n"), 2, 2, "key", "nested"),
    "line of 9 MiB": Bad(second(b'{"key": "' + b"x" * 9 * 2**20 + b'"}\n'), 2, 2, "", "8 MiB"),
    "empty file": Bad(b"", 0, None, "", "empty"),
    "blank lines": Bad(b"\n\n", 0, None, "", "no rows"),
    "gzip cut off": Bad(gzip.compress(GOOD)[:-4], 0, None, "", "is incomplete", "a.jsonl.gz"),
    "gzip twice": Bad(gzip.compress(gzip.compress(GOOD)), 0, None, "", "compress it once", "a.jsonl.gz"),
    "zip": Bad(zipped("a.jsonl"), 0, None, "", "zip"),
    "zip slip": Bad(zipped("../../etc/passwd"), 0, None, "", "zip"),
    "UTF-16": Bad("{}".encode("utf-16"), 0, None, "", "UTF-16"),
    "binary": Bad(bytes(range(256)), 0, None, "", "binary"),
    "picture": Bad(b"\x89PNG\r\n\x1a\n" + b"\xfe\n" * 103, 0, None, "", "picture"),
    "array never closed": Bad(b"[" + GOOD.strip(), 0, None, "", "never closed", "a.json"),
    "object for an array": Bad(GOOD, 0, None, "", "starts with an object", "a.json"),
    "array element broken": Bad(b"[{'a': 1}, " + GOOD.strip() + b"]", 1, 1, "", "double quotes", "a.json"),
    "CSV quote unclosed": Bad(table('a,"Error Correction,x,y'), 0, 2, "", "never closed", "a.csv"),
    "CSV cell too few": Bad(table("a,Error Correction,x"), 0, 2, "", "3 cells", "a.csv"),
    "CSV without header": Bad(b"\n", 0, None, "", "header", "a.csv"),
    "CSV column twice": Bad(b"key,key\na,b\n", 0, None, "", "Two columns", "a.csv"),
}


@pytest.fixture
def project() -> Project:
    return make_project(slug="fb")


@pytest.mark.parametrize("bad", CASES.values(), ids=CASES)
def test_it_is_named_by_line_path_and_cause_and_good_rows_stay(project: Project, tmp_path: Path, bad: Bad) -> None:
    (tmp_path / bad.name).write_bytes(bad.content)
    code, report, _err = command("import_items", "fb", tmp_path / bad.name)
    assert (code, report["kept"], Item.objects.count()) == (0 if bad.kept else 1, bad.kept, bad.kept)
    assert report["read"] == report["kept"] + report["duplicates"] + report["rejected"]
    first = next(problem for problem in report["problems"] if problem["level"] == "error")
    assert first["line"] == bad.line
    assert first["path"].startswith(bad.path)
    assert bad.says in first["message"]
    assert first["message"].isprintable()


@pytest.mark.parametrize("bad", CASES.values(), ids=CASES)
def test_strict_refuses_the_file_whole(project: Project, tmp_path: Path, bad: Bad) -> None:
    (tmp_path / bad.name).write_bytes(bad.content)
    code, report, _err = command("import_items", "fb", tmp_path / bad.name, "--strict")
    assert (code, report["kept"], Item.objects.exists()) == (1, 0, False)


FINE: dict[str, Callable[[], bytes]] = {
    "byte order mark": lambda: b"\xef\xbb\xbf" + GOOD,
    "CRLF": lambda: GOOD.replace(b"\n", b"\r\n"),
    "no line end": lambda: GOOD.strip(),
    "U+2028 in a text": lambda: jsonl([row(1, feedback="one\u2028two\x85three")]),
    "escaped pair": lambda: json.dumps(row(1, feedback="😀")).encode() + b"\n",
    "weights within tolerance": lambda: jsonl([row(1, checklist=[["a", 0.1]] + [[f"q{no}", 0.3] for no in range(3)])]),
}


@pytest.mark.parametrize("content", FINE.values(), ids=FINE)
def test_what_only_looks_strange_is_kept(project: Project, tmp_path: Path, content: Callable[[], bytes]) -> None:
    (tmp_path / "a.jsonl").write_bytes(content())
    assert command("import_items", "fb", tmp_path / "a.jsonl")[1]["kept"] == 1


def test_a_folder_is_no_file(project: Project, tmp_path: Path) -> None:
    code, report, _err = command("import_items", "fb", tmp_path, "--format", "jsonl")
    assert (code, report["problems"][0]["line"]) == (1, None)
    assert "folder" in report["problems"][0]["message"]
