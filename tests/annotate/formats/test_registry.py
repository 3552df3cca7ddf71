from pathlib import Path

import pytest

import annotate.formats
from annotate.formats.format import BadOption, Format
from annotate.formats.registry import UnknownFormat, all_formats, find_format, guess
from annotate.formats.rows import ImportRow, Problem

TINY_FORMAT = """
from annotate.formats.format import Format
from annotate.formats.rows import ImportRow


class Tiny(Format):
    slug = "tiny"
    name = "Tiny"
    endings = (".tiny",)

    def rows(self, source, options):
        with source.opened() as content:
            yield ImportRow(1, {"text": content.read().decode()})


FORMAT = Tiny()
"""


@pytest.fixture(params=sorted(all_formats()))
def each_format(request: pytest.FixtureRequest) -> Format:
    return find_format(request.param)


def test_the_formats_of_the_command_contract_are_there() -> None:
    assert {"jsonl", "json", "csv", "fbbench"} <= set(all_formats())


def test_every_format_is_described(each_format: Format) -> None:
    assert each_format.slug.isidentifier()
    assert str(each_format.name)
    assert all(option.default in option.choices and str(option.label) for option in each_format.options)


def test_every_format_reports_a_missing_file_as_a_problem(each_format: Format, tmp_path: Path) -> None:
    found = list(each_format.read(tmp_path / "none"))
    assert [(each.line, each.level) for each in found if isinstance(each, Problem)] == [(None, "error")]
    assert len(found) == 1


@pytest.mark.parametrize("content", [b"", b"\n\n", b"PK\x03\x04", b"\x1f\x8b\x08", b"\xff" * 50, b'"', b"[[[", b"{}x"])
def test_every_format_reports_foreign_bytes_as_problems(each_format: Format, content: bytes, tmp_path: Path) -> None:
    (tmp_path / "foreign").write_bytes(content)
    found = list(each_format.read(tmp_path / "foreign"))
    assert found
    assert all(isinstance(each, Problem) for each in found)


def test_every_format_refuses_options_it_does_not_have(each_format: Format, tmp_path: Path) -> None:
    with pytest.raises(BadOption):
        each_format.read(tmp_path, options={"no-such-option": "1"})


def test_no_two_formats_claim_the_same_ending() -> None:
    endings = [ending for each in all_formats().values() for ending in each.endings]
    assert len(endings) == len(set(endings))


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("a.jsonl", "jsonl"),
        ("a.JSON.GZ", "json"),
        ("dir.csv/b.json", "json"),
        ("a.b.csv.gz", "csv"),
        ("x.jsonl.gz", "jsonl"),
    ],
)
def test_the_end_of_the_name_decides(name: str, slug: str) -> None:
    assert guess(name) is find_format(slug)


@pytest.mark.parametrize("name", ["a.txt", "a", "", "a.gz", "a.json.zip", "json"])
def test_another_end_is_a_problem_that_lists_what_there_is(name: str) -> None:
    problem = guess(name)
    assert isinstance(problem, Problem)
    assert problem.line is None
    assert ".jsonl" in problem.message
    assert "fbbench" in problem.message


def test_an_unknown_slug_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownFormat, match="csv, fbbench, fbi, json, jsonl"):
        find_format("xml")


def test_a_new_format_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tiny_for_this_test.py").write_text(TINY_FORMAT)
    (tmp_path / "a.tiny").write_text("hello")
    monkeypatch.setattr(annotate.formats, "__path__", [*annotate.formats.__path__, str(tmp_path)])
    all_formats.cache_clear()
    try:
        found = guess("a.tiny")
        assert isinstance(found, Format)
        assert list(found.read(tmp_path / "a.tiny")) == [ImportRow(1, {"text": "hello"})]
    finally:
        all_formats.cache_clear()
