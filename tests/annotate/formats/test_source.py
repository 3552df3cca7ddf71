import gzip
import io
import os
from pathlib import Path
from random import Random
from typing import IO

import pytest

from annotate.formats.registry import find_format
from annotate.formats.rows import ImportRow, Problem
from annotate.formats.source import Limits, Source, Unreadable
from tests.annotate.formats.conftest import Read

ROWS = b'{"a": 1}\n{"a": 2}\n'
# Without the time of packing, so that both processes of a test run give their cases the same names.
PACKED = gzip.compress(ROWS, mtime=0)


def only_problem(path: Path | str) -> Problem:
    found = list(find_format("jsonl").read(Path(path), name="given"))
    assert len(found) == 1
    assert isinstance(found[0], Problem)
    return found[0]


def test_a_packed_file_is_known_by_its_first_bytes_not_its_name(read: Read) -> None:
    assert read(gzip.compress(ROWS))[0] == [ImportRow(1, {"a": 1}), ImportRow(2, {"a": 2})]


def test_a_packed_file_in_several_members_is_one_file(read: Read) -> None:
    assert len(read(b"".join(gzip.compress(bytes([byte])) for byte in ROWS))[0]) == 2


def test_a_missing_file_is_a_problem_of_the_file(tmp_path: Path) -> None:
    problem = only_problem(tmp_path / "none.jsonl")
    assert problem.line is None
    assert "no such file" in problem.message


def test_a_folder_is_a_problem(tmp_path: Path) -> None:
    assert "folder" in only_problem(tmp_path).message


def test_a_pipe_is_a_problem_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in only_problem(tmp_path / "pipe").message


@pytest.mark.parametrize("name", ["a\0b", "a" * 5000])
def test_an_impossible_name_is_a_problem(name: str) -> None:
    assert only_problem(name).line is None


def test_a_path_through_a_file_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(ROWS)
    assert only_problem(tmp_path / "file" / "inner").line is None


def test_a_file_without_the_right_to_read_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_kwargs: object) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "a.jsonl").write_bytes(ROWS)
    monkeypatch.setattr(Path, "open", refuse)
    assert "no permission to read" in only_problem(tmp_path / "a.jsonl").message


def test_a_disk_that_fails_while_reading_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(io.BytesIO):
        def read1(self, size: int | None = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    (tmp_path / "a.jsonl").write_bytes(ROWS)
    monkeypatch.setattr(Path, "open", lambda *_args: Failing(ROWS))
    assert "Input/output error" in only_problem(tmp_path / "a.jsonl").message


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)])
def test_an_empty_file_is_a_problem(content: bytes, read: Read) -> None:
    rows, problems = read(content)
    assert (rows, len(problems)) == ([], 1)
    assert "empty" in problems[0].message


def test_a_cut_packed_file_keeps_the_rows_before_the_cut_and_reports_no_half_row(read: Read) -> None:
    lines = b"".join(b'{"a": "%b"}\n' % Random(seed).randbytes(300).hex().encode() for seed in range(2000))
    packed = gzip.compress(lines)
    rows, problems = read(packed[: len(packed) // 2])
    assert [problem.line for problem in problems] == [None]
    assert "incomplete" in problems[0].message
    assert [row.line for row in rows] == list(range(1, len(rows) + 1))
    assert 800 < len(rows) < 1200


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (PACKED[:-8] + b"\0" * 8, "damaged"),
        (PACKED + b"garbage", "damaged"),
        (b"\x1f\x8b" + b"x" * 50, "damaged"),
        (b"\x1f\x8b\x08", "incomplete"),
        (PACKED[:-9], "incomplete"),
        (gzip.compress(PACKED, mtime=0), "not supported"),
        (b"BZh91AY&SY", "not supported"),
        (b"PK\x03\x04" + b"../../etc/passwd", "zip archive"),
        (gzip.compress(b"PK\x03\x04", mtime=0), "zip archive"),
        ('{"a": 1}'.encode("utf-16"), "UTF-16"),
        ('{"a": 1}'.encode("utf-16-le"), "NUL"),
        (b"\0" * 100, "NUL"),
        (b"PAR1\x15\x04", "Parquet"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(128, 256)) * 4, "picture"),
        (b"\xff\xd8\xff\xe0" + b"\x00\x10JFIF\n" * 9, "picture"),
        (bytes(range(1, 256)) * 3, "binary"),
        (gzip.compress(b"\x89PNG\r\n\x1a\n" + b"\xfe\n" * 99, mtime=0), "picture"),
    ],
)
def test_damaged_and_foreign_files_are_one_problem_with_the_remedy(content: bytes, part: str, read: Read) -> None:
    _rows, problems = read(content)
    assert [problem.line for problem in problems] == [None]
    assert part in problems[0].message


def test_a_file_over_the_limit_is_read_no_further(read: Read) -> None:
    _rows, problems = read(b'{"a": 1}\n' * 1000, limits=Limits(file_bytes=1000))
    assert "Split it" in problems[-1].message


def test_a_bomb_is_stopped_by_its_ratio(read: Read) -> None:
    bomb = gzip.compress(b" " * 3_000_000)
    rows, problems = read(bomb, limits=Limits(ratio_from_bytes=1_000_000))
    assert rows == []
    assert "times its size" in problems[0].message


def test_a_small_file_of_equal_rows_may_pack_as_well_as_a_bomb(read: Read) -> None:
    assert len(read(gzip.compress(b'{"a": 1}\n' * 10_000))[0]) == 10_000


def test_the_first_character_may_come_late(tmp_path: Path) -> None:
    path = tmp_path / "late"
    path.write_bytes(b"\xef\xbb\xbf" + b"\n " * 300_000 + b"[]")
    assert Source(path, "late", Limits()).first_character() == b"["
    path.write_bytes(b"  \n")
    assert Source(path, "late", Limits()).first_character() == b""


def test_the_file_is_closed_when_reading_stops_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(ROWS)
    opened: list[IO[bytes]] = []
    open_path = Path.open

    def remembering(self: Path, mode: str) -> IO[bytes]:
        opened.append(open_path(self, mode))
        return opened[-1]

    monkeypatch.setattr(Path, "open", remembering)
    stream = find_format("jsonl").read(path)
    assert isinstance(next(iter(stream)), ImportRow)
    stream.close()  # type: ignore[attr-defined]
    assert opened
    assert all(each.closed for each in opened)


def test_an_unreadable_source_says_so_by_an_exception(tmp_path: Path) -> None:
    with pytest.raises(Unreadable), Source(tmp_path / "none", "none", Limits()).opened():
        pass
