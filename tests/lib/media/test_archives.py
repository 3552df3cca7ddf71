"""Zips of rows and files: what is taken, and hostile ones that are refused before anything is unpacked."""

import stat
import struct
import zipfile
from io import BytesIO

import pytest

from lib.media import archives
from lib.media.archives import BadArchive, is_zip, read_archive

ROWS = b'{"picture": "a.png"}\n'


def packed(files: dict[str, bytes], **options: int) -> BytesIO:
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = options.get("compress_type", zipfile.ZIP_DEFLATED)
            entry.external_attr = options.get("mode", 0) << 16
            archive.writestr(entry, data)
    target.seek(0)
    return target


def refused(file: BytesIO) -> str:
    with pytest.raises(BadArchive) as bad:
        read_archive(file)
    return str(bad.value)


def test_rows_and_the_files_they_name_are_told_apart() -> None:
    archive = read_archive(
        packed({"set/rows.jsonl": ROWS, "set/pictures/a.png": b"a", "set/more/table.csv": b"b", "x.txt": b"c"})
    )
    assert archive.rows == "set/rows.jsonl"
    assert list(archive.media) == ["pictures/a.png", "more/table.csv", "x.txt"]
    target = BytesIO()
    archive.copy_rows(target)
    assert target.getvalue() == ROWS
    assert archive.read("pictures/a.png") == b"a"


def test_what_systems_leave_in_zips_is_passed_over() -> None:
    files = {
        "rows.csv": b"a\n1\n",
        "__MACOSX/._rows.csv": b"",
        ".DS_Store": b"",
        "pictures/Thumbs.db": b"",
        "pictures/": b"",
    }
    assert not read_archive(packed(files)).media


def test_names_in_chinese_are_read_in_the_encoding_of_their_system() -> None:
    file = packed({"rows.csv": b"a\n", "aa.png": b"x"})
    name = "数".encode("gb18030")
    archive = read_archive(BytesIO(file.getvalue().replace(b"aa.png", name + b".png")))
    assert list(archive.media) == ["数.png"]


@pytest.mark.parametrize(
    ("files", "cause"),
    [
        ({"a.png": b""}, "holds no file of rows"),
        ({"a.csv": b"", "b.jsonl": b""}, r"several files of rows: a\.csv, b\.jsonl"),
        ({"rows.csv": b"", "../a.png": b""}, r"“\.\./a\.png” in the zip: its name leads out"),
        ({"rows.csv": b"", "/etc/passwd": b""}, "leads out"),
        ({"rows.csv": b"", "C:\\a.png": b""}, "leads out"),
        ({"rows.csv": b"", "p/..\\..\\a.png": b""}, "leads out"),
        ({"rows.csv": b"", "a.png": b"", "./a.png": b""}, r"“a\.png” is in the zip twice"),
        ({"rows.csv": b"", "a\u202egnp.exe": b""}, "invisible"),
        ({"rows.csv": b"", "a" * 300: b""}, "longer than 200"),
        ({"set/rows.csv": b"", "set/a.png": b"", "a.png": b""}, "one name from the folder of the rows"),
    ],
)
def test_hostile_names_are_refused(files: dict[str, bytes], cause: str) -> None:
    with pytest.raises(BadArchive, match=cause):
        read_archive(packed(files))


def test_a_zip_of_files_alone_needs_no_rows() -> None:
    archive = read_archive(packed({"set/a.png": b"a", "b.csv": b"b"}), with_rows=False)
    assert list(archive.media) == ["set/a.png", "b.csv"]


@pytest.mark.parametrize(
    ("files", "cause"),
    [
        ({}, "holds no file"),
        ({".DS_Store": b"", "pictures/": b""}, "holds no file"),
        ({"[Content_Types].xml": b"", "word/media/a.png": b""}, "a document in the form of a zip"),
        ({"mimetype": b"application/epub+zip", "cover.png": b""}, "a document in the form of a zip"),
        ({"a.png": b"", "../b.png": b""}, "leads out"),
    ],
)
def test_zips_that_are_no_files_are_refused(files: dict[str, bytes], cause: str) -> None:
    with pytest.raises(BadArchive, match=cause):
        read_archive(packed(files), with_rows=False)


@pytest.mark.parametrize("mode", [stat.S_IFLNK | 0o777, stat.S_IFIFO, stat.S_IFCHR])
def test_links_are_refused(mode: int) -> None:
    assert "is a link, not a file" in refused(packed({"rows.csv": b"/etc/passwd"}, mode=mode))


def test_other_ways_of_packing_are_refused() -> None:
    assert "packed in a rare way" in refused(packed({"rows.csv": b"a"}, compress_type=zipfile.ZIP_LZMA))


def test_encrypted_entries_are_refused() -> None:
    data = bytearray(packed({"rows.csv": b"a"}).getvalue())
    place = data.rindex(b"PK\x01\x02")
    data[place + 8] |= 1
    assert "is encrypted" in refused(BytesIO(bytes(data)))


def test_a_bomb_is_refused_by_its_ratio_and_by_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    file = packed({"rows.csv": b"a", "a.txt": bytes(3 * archives.MIB)})
    assert "unpacks to more than 200 times its size" in refused(file)
    monkeypatch.setattr(archives, "MOST_UNPACKED", archives.MIB)
    assert "unpacks to more than 1 MiB" in refused(file)


def test_a_zip_of_too_many_files_is_refused_before_their_list_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    file = packed({f"{n}.txt": b"" for n in range(20)} | {"rows.csv": b""})
    monkeypatch.setattr(archives, "MOST_FILES", 10)
    assert "more than 10 files" in refused(file)
    monkeypatch.setattr(archives, "MOST_DIRECTORY", 100)
    monkeypatch.setattr(zipfile, "ZipFile", None)
    assert "more than 10 files" in refused(file)


def test_an_entry_that_lies_about_its_size_gives_no_more_than_it_says() -> None:
    data = bytearray(packed({"rows.csv": b"a", "a.txt": b"x" * 1000}).getvalue())
    place = data.rindex(b"PK\x01\x02")
    struct.pack_into("<I", data, place + 24, 10)
    archive = read_archive(BytesIO(bytes(data)))
    with pytest.raises(BadArchive, match=r"“a\.txt” in the zip is damaged"):
        archive.read("a.txt")


@pytest.mark.parametrize("cut", [10, 60, 150])
def test_a_damaged_zip_is_refused(cut: int) -> None:
    assert "zip" in refused(BytesIO(packed({"rows.csv": b"a" * 100, "a.png": b"b"}).getvalue()[:-cut]))


def test_only_the_first_bytes_make_a_zip() -> None:
    assert is_zip(packed({"a": b""}))
    assert not is_zip(BytesIO(b"GIF89a" + packed({"a": b""}).getvalue()))
