"""Memory while large and hostile files are read, measured in a process of its own."""

import gzip
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

MIB = 1024 * 1024
ROW = {"key": "a", "user_query": "为什么 [x] {y}? " * 40, "checklist": [['Does it say "no"?', 0.5], ["…", 0.5]]}
LINE = json.dumps(ROW, ensure_ascii=False).encode()
MEASURE = """
import sys
from pathlib import Path
from django.conf import settings
settings.configure(USE_I18N=False)
from annotate.formats.registry import find_format
from annotate.formats.rows import ImportRow

def peak_kib():
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])

slug, small, large = sys.argv[1:]
list(find_format(slug).read(Path(small)))
before = peak_kib()
rows = problems = 0
for each in find_format(slug).read(Path(large)):
    if isinstance(each, ImportRow):
        rows += 1
    else:
        problems += 1
print(rows, problems, (peak_kib() - before) // 1024)
"""


def measure(slug: str, pieces: Iterable[bytes], folder: Path, *, packed: bool = False) -> tuple[int, int, int]:
    """(rows, problems, growth of the resident memory in MiB).

    The high-water mark of /proc is used: that of getrusage survives exec, so growth below the size of pytest is hidden.
    """
    small, large = folder / "small", folder / "large"
    small.write_bytes(b"a\n1\n" if slug == "csv" else b'[{"a": 1}]' if slug == "json" else b'{"a": 1}')
    with gzip.open(large, "wb", compresslevel=1) if packed else large.open("wb") as file:
        for piece in pieces:
            file.write(piece)
    command = [sys.executable, "-c", MEASURE, slug, str(small), str(large)]
    done = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=False)
    large.unlink()
    assert done.returncode == 0, done.stderr
    rows, problems, growth = (int(number) for number in done.stdout.split())
    return rows, problems, growth


def repeated(piece: bytes, size: int) -> Iterable[bytes]:
    count = size // len(piece)
    block = piece * 1000
    yield from (block for _ in range(count // 1000))


def rows_in(size: int, piece: bytes) -> int:
    return size // len(piece) // 1000 * 1000


@pytest.mark.parametrize("packed", [False, True])
def test_two_hundred_megabytes_of_lines_are_read_in_little_memory(tmp_path: Path, packed: bool) -> None:
    piece = LINE + b"\n"
    rows, problems, growth = measure("jsonl", repeated(piece, 200 * MIB), tmp_path, packed=packed)
    assert (rows, problems) == (rows_in(200 * MIB, piece), 0)
    assert growth < 100


def test_two_hundred_megabytes_in_one_list_are_read_in_little_memory(tmp_path: Path) -> None:
    piece = LINE + b",\n"
    pieces = [b"[", *repeated(piece, 200 * MIB), LINE, b"]"]
    rows, problems, growth = measure("json", pieces, tmp_path)
    assert (rows, problems) == (rows_in(200 * MIB, piece) + 1, 0)
    assert growth < 100


def test_two_hundred_megabytes_of_csv_are_read_in_little_memory(tmp_path: Path) -> None:
    piece = b'"text, with\nmore of it and a ""quote""",' + b"y" * 1000 + b"\n"
    rows, problems, growth = measure("csv", [b"a,b\n", *repeated(piece, 200 * MIB)], tmp_path)
    assert (rows, problems) == (rows_in(200 * MIB, piece), 0)
    assert growth < 100


@pytest.mark.parametrize("ending", [b'"}', b""])
def test_a_line_of_a_hundred_megabytes_is_skipped_unheld(tmp_path: Path, ending: bytes) -> None:
    pieces = [b'{"a": "', *repeated(b"x" * 1000, 100 * MIB), ending, b'\n{"a": 2}\n']
    assert measure_small(measure("jsonl", pieces, tmp_path)) == (1, 1)


def test_an_element_of_a_hundred_megabytes_is_skipped_unheld(tmp_path: Path) -> None:
    pieces = [b'[{"a": "', *repeated(b'\\"]x' * 100, 100 * MIB), b'"}, {"a": 2}]']
    assert measure_small(measure("json", pieces, tmp_path)) == (1, 1)


def test_a_csv_quote_that_is_never_closed_does_not_gather_the_file(tmp_path: Path) -> None:
    pieces = [b'a,b\n1,2\n3,"', *repeated(b"5," + b"6" * 100 + b"\n", 100 * MIB)]
    assert measure_small(measure("csv", pieces, tmp_path)) == (1, 1)


@pytest.mark.parametrize("slug", ["json", "jsonl"])
def test_a_hundred_million_opening_brackets_are_one_problem(slug: str, tmp_path: Path) -> None:
    assert measure_small(measure(slug, repeated(b"[", 100_000_000), tmp_path)) == (0, 1)


def test_an_element_of_a_hundred_thousand_levels_is_one_problem_and_the_next_is_read(tmp_path: Path) -> None:
    pieces = [b"[", b"[" * 100_000, b"]" * 100_000, b', {"a": 1}]']
    assert measure_small(measure("json", pieces, tmp_path)) == (1, 1)


@pytest.mark.parametrize("filler", [b"{},", b"[],", b"1,", b'"",', b'"\\"", ', b"1.5,"])
def test_a_row_of_the_longest_size_and_the_smallest_values_does_not_fill_the_memory(
    tmp_path: Path, filler: bytes
) -> None:
    pieces = [b'{"a": [', *repeated(filler, 7 * MIB), b'0]}\n{"a": 1}']
    assert measure_small(measure("jsonl", pieces, tmp_path)) == (1, 1)


@pytest.mark.parametrize("text", ["x" * 1000, "😀x\\n" * 100])
def test_a_row_of_the_longest_size_and_one_text_does_not_fill_the_memory(tmp_path: Path, text: str) -> None:
    pieces = ['{"a": "😀'.encode(), *repeated(text.encode(), 7 * MIB), b'"}\n']
    assert measure_small(measure("jsonl", pieces, tmp_path)) == (1, 0)


def test_a_gzip_bomb_is_stopped(tmp_path: Path) -> None:
    pieces = repeated(b" " * 10_000, 400_000_000)
    assert measure_small(measure("jsonl", pieces, tmp_path, packed=True)) == (0, 1)


def measure_small(measured: tuple[int, int, int]) -> tuple[int, int]:
    """The numbers of rows and problems, once the growth is found small."""
    rows, problems, growth = measured
    assert growth < 100
    return rows, problems
