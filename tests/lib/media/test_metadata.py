"""What PDF files and sound tell beside their content is removed; what cannot be cleaned is refused."""

import subprocess
import sys
import wave
import zlib
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from PIL import Image
from pypdf import PdfReader, PdfWriter
from pypdf.annotations import Link
from pypdf.generic import (
    ArrayObject,
    BooleanObject,
    DecodedStreamObject,
    DictionaryObject,
    EncodedStreamObject,
    NameObject,
    NumberObject,
    PdfObject,
    TextStringObject,
)

from lib.media import metadata, pdf_program
from lib.media.metadata import without_metadata
from lib.media.pdf_program import Stopped
from lib.media.sniffing import BadContent, read_content
from tests.support.pictures import MP3_FRAME, pdf, picture, wav, written

SECRET = "somebody at home"


def cleaned(data: bytes) -> bytes:
    return without_metadata(read_content(data)).data


# --- PDF ------------------------------------------------------------------------------------------------------------
def values(**entries: PdfObject | str) -> DictionaryObject:
    """A dictionary; texts that begin with a slash are names."""
    return DictionaryObject({NameObject(f"/{key}"): _object(entry) for key, entry in entries.items()})


def _object(entry: PdfObject | str) -> PdfObject:
    if not isinstance(entry, str):
        return entry
    return NameObject(entry) if entry.startswith("/") else TextStringObject(entry)


def stream(data: bytes, **entries: PdfObject | str) -> EncodedStreamObject:
    packed = EncodedStreamObject()
    packed.update(values(Filter="/FlateDecode", **entries))
    packed._data = zlib.compress(data)
    return packed


def script() -> DictionaryObject:
    return values(S="/JavaScript", JS=f"app.alert('{SECRET}')")


def with_packet(writer: PdfWriter) -> None:
    packet = writer._add_object(stream(SECRET.encode(), Type="/Metadata", Subtype="/XML"))
    writer.root_object[NameObject("/Metadata")] = packet
    writer.pages[0][NameObject("/Metadata")] = packet


def with_notes_of_programs(writer: PdfWriter) -> None:
    writer.pages[0][NameObject("/PieceInfo")] = values(Editor=values(Private=SECRET))
    writer.root_object[NameObject("/PieceInfo")] = values(Editor=values(Private=SECRET))


def with_attachment(writer: PdfWriter) -> None:
    writer.add_attachment("notes.txt", SECRET.encode())
    file = writer._add_object(stream(SECRET.encode(), Type="/EmbeddedFile"))
    note = values(Type="/Annot", Subtype="/FileAttachment", FS=values(Type="/Filespec", F="a.txt", EF=values(F=file)))
    writer.pages[0][NameObject("/Annots")] = ArrayObject([writer._add_object(note)])


def with_scripts(writer: PdfWriter) -> None:
    writer.root_object[NameObject("/OpenAction")] = writer._add_object(script())
    writer.root_object[NameObject("/Names")] = values(
        JavaScript=values(Names=ArrayObject([TextStringObject("a"), writer._add_object(script())]))
    )
    writer.pages[0][NameObject("/AA")] = values(O=script())
    action = values(S="/GoTo", Next=ArrayObject([values(S="/Launch", F=SECRET)]))
    writer.pages[0][NameObject("/Annots")] = ArrayObject([values(Type="/Annot", Subtype="/Link", A=action)])


def with_form(writer: PdfWriter) -> None:
    signature = values(Type="/Sig", Name=SECRET, ByteRange=ArrayObject([NumberObject(0)] * 4), Contents=SECRET)
    field = writer._add_object(values(FT="/Sig", T="signature", V=writer._add_object(signature)))
    xfa = writer._add_object(stream(f"<xmp>{SECRET}</xmp>".encode()))
    writer.root_object[NameObject("/AcroForm")] = values(Fields=ArrayObject([field]), XFA=xfa)


def with_photo(writer: PdfWriter) -> None:
    exif = Image.Exif()
    exif[0x010E] = SECRET
    photo = EncodedStreamObject()
    photo.update(values(Type="/XObject", Subtype="/Image", Filter="/DCTDecode"))
    photo._data = picture("JPEG", exif=exif, comment=SECRET.encode())
    writer.pages[0][NameObject("/Resources")] = values(XObject=values(EF=writer._add_object(photo)))


def with_leftover(writer: PdfWriter) -> None:
    """An object to which nothing refers any more, as after a change."""
    writer._add_object(stream(SECRET.encode()))


def holds_secret(data: bytes) -> bool:
    """Whether any object of the file does, packed or not."""
    plain = SECRET.encode()
    objects = PdfReader(BytesIO(data))
    texts = [data]
    for number in range(1, int(str(objects.trailer["/Size"]))):
        value = objects.get_object(number)
        if isinstance(value, EncodedStreamObject) and value.get("/Filter") == "/FlateDecode":
            texts.append(value.get_data())
    return any(plain in text for text in texts)


@pytest.mark.parametrize(
    "add",
    [with_packet, with_notes_of_programs, with_attachment, with_scripts, with_form, with_photo, with_leftover],
)
def test_what_a_pdf_tells_or_carries_beside_its_pages_is_gone(add: Callable[[PdfWriter], None]) -> None:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf(2, Author=SECRET))))
    add(writer)
    data = written(writer)
    assert holds_secret(data)
    output = pdf_program.without_metadata(data)
    assert not holds_secret(output)
    reader = PdfReader(BytesIO(output))
    assert (len(reader.pages), reader.metadata, reader.xmp_metadata) == (2, None, None)


def test_former_versions_of_a_pdf_are_gone() -> None:
    first = pdf(1, Author=SECRET)
    writer = PdfWriter(BytesIO(first), incremental=True)
    writer.add_metadata({"/Author": "nobody"})
    data = written(writer)
    assert data.startswith(first)
    assert not holds_secret(pdf_program.without_metadata(data))


def test_pages_texts_links_and_bookmarks_of_a_pdf_stay() -> None:
    writer = PdfWriter()
    page = writer.add_blank_page(200, 100)
    page[NameObject("/Resources")] = values(
        Font=values(EF=values(Type="/Font", Subtype="/Type1", BaseFont="/Helvetica"))
    )
    text = DecodedStreamObject()
    text.set_data(b"BT /EF 12 Tf 10 50 Td (Hello) Tj ET")
    page[NameObject("/Contents")] = writer._add_object(text)
    writer.add_annotation(0, Link(rect=(0, 0, 9, 9), url="https://example.org/"))
    writer.add_outline_item(title="Beginning", page_number=0)
    reader = PdfReader(BytesIO(pdf_program.without_metadata(written(writer))))
    assert reader.pages[0].extract_text() == "Hello"
    assert reader.pages[0].mediabox.right == 200
    annotations: Any = reader.pages[0]["/Annots"]
    assert annotations[0].get_object()["/A"]["/URI"] == "https://example.org/"
    assert [entry["/Title"] for entry in reader.outline if isinstance(entry, dict)] == ["Beginning"]


def test_the_same_pdf_without_metadata_is_the_same_bytes() -> None:
    once = pdf_program.without_metadata(pdf(Author=SECRET))
    assert pdf_program.without_metadata(once) == once


def encrypted() -> bytes:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf())))
    writer.encrypt("", "owner", algorithm="RC4-128")
    return written(writer)


def made_by_its_form() -> bytes:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf())))
    writer.root_object[NameObject("/NeedsRendering")] = BooleanObject(True)
    return written(writer)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (encrypted(), "encrypted"),
        (made_by_its_form(), "form"),
        (b"%PDF-1.7 <html>", "damaged"),
        (pdf()[:200], "damaged"),
        (b"%PDF-1.7\n" + bytes(1000), "damaged"),
    ],
)
def test_a_pdf_whose_metadata_cannot_be_removed_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(Stopped, match=code):
        pdf_program.without_metadata(data)


def test_a_program_of_its_own_reads_pdf_files() -> None:
    output = cleaned(pdf(3, Author=SECRET, Title="Kept nowhere"))
    assert len(PdfReader(BytesIO(output)).pages) == 3
    assert SECRET.encode() not in output
    with pytest.raises(BadContent, match=r"is encrypted.*without a password"):
        cleaned(encrypted())


def with_packed_page(packed: bytes) -> bytes:
    """A PDF whose only page is in this packed list of objects."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[4 0 R]/Count 1>>",
        b"<</Type/ObjStm/N 1/First 4/Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (len(packed), packed),
    ]
    data, rows = b"%PDF-1.5\n", bytes(6)
    for number, text in enumerate(objects, 1):
        rows += b"\1" + len(data).to_bytes(4) + b"\0"
        data += b"%d 0 obj\n%s\nendobj\n" % (number, text)
    rows += b"\2" + (3).to_bytes(4) + b"\0"
    table = b"<</Type/XRef/W[1 4 1]/Size 5/Root 1 0 R/Length %d>>stream\n%s\nendstream" % (len(rows), rows)
    return data + b"5 0 obj%s\nendobj\nstartxref\n%d\n%%%%EOF" % (table, len(data))


def test_packed_objects_of_a_pdf_are_read_unless_they_unpack_to_far_more_than_their_size() -> None:
    page = b"4 0 <</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>"
    assert len(PdfReader(BytesIO(cleaned(with_packed_page(zlib.compress(page))))).pages) == 1
    bomb = with_packed_page(zlib.compress(page + bytes(100 * 1024 * 1024)))
    assert len(bomb) < 200_000
    with pytest.raises(BadContent, match="too much memory or time"):
        cleaned(bomb)
    with pytest.raises(Stopped, match="memory"):
        pdf_program.without_metadata(bomb)


def test_a_program_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    def hangs(words: list[str], **options: Any) -> None:
        raise subprocess.TimeoutExpired(words, options["timeout"])

    monkeypatch.setattr(metadata.subprocess, "run", hangs)
    with pytest.raises(BadContent, match="too much memory or time"):
        cleaned(pdf())


def test_without_the_package_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(Stopped, match="missing"):
        pdf_program.without_metadata(b"%PDF-1.7")
    assert "make setup" in metadata._why_not("missing")


# --- MP3 ------------------------------------------------------------------------------------------------------------
def id3(size: int = 300, flags: int = 0) -> bytes:
    """A tag whose picture looks like frames."""
    body = SECRET.encode() + MP3_FRAME[:4] * (size // 4)
    return b"ID3\x04\x00" + bytes([flags, 0, 0, len(body) >> 7, len(body) & 0x7F]) + body


SOUND = MP3_FRAME * 5


@pytest.mark.parametrize(
    "data",
    [
        id3() + SOUND,
        id3() + id3() + SOUND,
        id3(flags=0x10) + b"3DI" + bytes(7) + SOUND,
        SOUND + b"TAG" + SECRET.encode().ljust(125, b"\0"),
        SOUND + b"APETAGEX" + bytes(24) + SECRET.encode() + MP3_FRAME[:4] + bytes(40),
        SOUND[: 417 * 2] + id3() + SOUND[417 * 2 :],
        id3() + bytes(1000) + SOUND + id3(),
        SOUND + SECRET.encode() + b"<html><script>",
        id3() + SOUND + MP3_FRAME[:200],
    ],
)
def test_of_an_mp3_the_frames_are_kept(data: bytes) -> None:
    assert cleaned(data) == SOUND


def test_frames_of_every_version_have_their_length() -> None:
    # 72 * 64,000 / 22,050 = 208.98; 72 * 8,000 / 8,000 = 72, and one more where it is padded.
    assert metadata._frame_size(b"\xff\xf3\x80\x00") == 208
    assert metadata._frame_size(b"\xff\xe3\x18\x00") == 72
    assert metadata._frame_size(b"\xff\xe3\x1a\x00") == 73
    assert [metadata._frame_size(head) for head in (b"\xff\xfb\x00\x00", b"\xff\xfb\xf0\x00", b"\xff\xfb")] == [0, 0, 0]


@pytest.mark.parametrize(
    "data",
    [id3(), id3() + b"fLaC" + bytes(500), MP3_FRAME[:100], MP3_FRAME, id3()[:60], b"\xff\xfb\x90\x64" * 100_000],
)
def test_an_mp3_without_sound_is_refused(data: bytes) -> None:
    with pytest.raises(BadContent, match="no sound that can be read"):
        cleaned(data)


# --- WAV ------------------------------------------------------------------------------------------------------------
def test_of_a_wav_format_and_samples_are_kept() -> None:
    information = b"LIST" + (26).to_bytes(4, "little") + b"INFOIART" + (13).to_bytes(4, "little") + b"somebody at h\0"
    data = wav(0.5, chunks=information) + b"id3 \x10\x00\x00\x00" + SECRET.encode()
    assert b"somebody" in data
    output = cleaned(data)
    assert output == wav(0.5)
    with wave.open(BytesIO(output)) as sound:
        assert sound.getnframes() == 4000


def test_a_wav_that_was_cut_off_says_how_long_it_is() -> None:
    with wave.open(BytesIO(cleaned(wav(0.5)[:-1000]))) as sound:
        assert sound.getnframes() == 3500


@pytest.mark.parametrize(
    "data", [wav()[:44], wav()[:30], b"RIFF\x24\x00\x00\x00WAVE" + b"junk\0\0\0\0" * 20_000 + wav()]
)
def test_a_wav_without_sound_is_refused(data: bytes) -> None:
    with pytest.raises(BadContent, match="no sound that can be read"):
        cleaned(data)


# --- others ---------------------------------------------------------------------------------------------------------
def test_other_types_are_not_read_again() -> None:
    content = read_content(b"hello")
    assert without_metadata(content) is content
