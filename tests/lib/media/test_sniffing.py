"""What a file is, by its content; what is kept of an image, and what is refused."""

import struct
import zipfile
import zlib
from io import BytesIO

import pytest
from PIL import Image, PngImagePlugin

from lib.media import sniffing
from lib.media.sniffing import BadContent, read_content
from tests.support.pictures import opened, picture

ORIENTATION = 0x0112
TURNED = 6  # a quarter turn to the right


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_images_are_known_by_their_content(kind: str) -> None:
    content = read_content(picture(kind))
    assert (content.type, content.width, content.height) == (f"image/{kind.lower()}", 4, 3)
    assert opened(content.data).format == kind


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (b"%PDF-1.7\n%\xe2\xe3", "application/pdf"),
        (b"ID3\x04\x00\x00", "audio/mpeg"),
        (b"\xff\xfb\x90\x64" + bytes(60), "audio/mpeg"),
        (b"RIFF\x24\x00\x00\x00WAVEfmt ", "audio/wav"),
        ("\ufefftitle,text\n1,猫 < hund\n".encode(), "text/plain"),
    ],
)
def test_other_files_are_known_by_their_content(data: bytes, mime: str) -> None:
    content = read_content(data)
    assert (content.type, content.data, content.width) == (mime, data, None)


@pytest.mark.parametrize(
    "data",
    [
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"  \n<!DOCTYPE html><p>hello</p>",
        b"<?xml version='1.0'?><svg/>",
        b"\xef\xbb\xbf<HTML>",
        b"<!-- --><script>alert(1)</script>",
    ],
)
def test_markup_is_refused_whatever_its_name(data: bytes) -> None:
    with pytest.raises(BadContent, match="HTML, SVG or XML"):
        read_content(data)


@pytest.mark.parametrize(
    "data", [b"PK\x03\x04" + bytes(30), b"MZ\x90\x00", b"\x00\x00\x00\x18ftypmp42", b"BM" + bytes(60)]
)
def test_other_types_are_refused_with_those_that_are_taken(data: bytes) -> None:
    with pytest.raises(BadContent, match="PNG, JPEG, WebP, GIF, PDF, MP3, WAV, plain text"):
        read_content(data)


def test_a_photo_is_upright_and_has_no_metadata() -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = TURNED
    exif[0x010F] = "Maker of the camera"
    data = picture("JPEG", exif=exif, comment=b"taken at home", icc_profile=b"x" * 200)
    content = read_content(data)
    image = opened(content.data)
    assert (content.width, content.height) == (3, 4)
    assert not image.getexif()
    assert not {"exif", "comment", "icc_profile", "xmp", "photoshop"} & image.info.keys()
    assert b"Maker" not in content.data
    assert b"home" not in content.data


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
def test_texts_beside_the_pixels_are_gone(kind: str) -> None:
    texts = PngImagePlugin.PngInfo()
    texts.add_text("Author", "somebody")
    data = picture(kind, pnginfo=texts, exif=b"Exif\x00\x00somebody", xmp=b"<x>somebody</x>")
    assert b"somebody" in data
    assert b"somebody" not in read_content(data).data


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_what_hangs_on_an_image_is_gone(kind: str) -> None:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("page.html", "<script>alert(1)</script>")
    data = picture(kind) + b"<html><script>alert(1)</script>" + packed.getvalue()
    content = read_content(data)
    assert b"script" not in content.data
    assert not zipfile.is_zipfile(BytesIO(content.data))


def test_transparency_and_palettes_are_kept() -> None:
    clear = opened(read_content(picture("PNG", mode="RGBA", colour="#ff000080")).data)
    assert clear.getpixel((0, 0)) == (255, 0, 0, 128)
    gif = Image.new("P", (4, 3), 1)
    gif.putpalette([0, 0, 0, 255, 0, 0])
    target = BytesIO()
    gif.save(target, "GIF", transparency=1)
    assert opened(read_content(target.getvalue()).data).convert("RGBA").getpixel((0, 0))[3] == 0


def test_a_print_in_four_colours_becomes_one_that_browsers_show() -> None:
    assert opened(read_content(picture("JPEG", mode="CMYK", colour="#ff0000")).data).mode == "RGB"


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_of_an_animation_the_first_picture_is_kept(kind: str) -> None:
    target = BytesIO()
    frames = [Image.new("RGB", (4, 3), colour) for colour in ("red", "blue")]
    frames[0].save(target, kind, save_all=True, append_images=frames[1:], duration=100)
    content = read_content(target.getvalue())
    image = opened(content.data)
    assert content.animated
    assert getattr(image, "n_frames", 1) == 1
    assert image.convert("RGB").getpixel((0, 0))[0] > 200


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_a_truncated_image_is_refused(kind: str) -> None:
    data = picture(kind, (400, 300))
    with pytest.raises(BadContent, match="damaged"):
        read_content(data[: len(data) // 2])


@pytest.mark.parametrize("head", [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"RIFF\x10\x00\x00\x00WEBP"])
def test_a_page_behind_the_first_bytes_of_an_image_is_refused(head: bytes) -> None:
    with pytest.raises(BadContent, match="damaged"):
        read_content(head + b"<html><script>alert(1)</script></html>" * 20)


def _png_of(width: int, height: int) -> bytes:
    """A small file that says it is large: its pixels would be zeros."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(bytes(100_000)))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(("width", "height"), [(60_000, 60_000), (8_000, 8_000), (30_000, 1), (2**31 - 1, 2**31 - 1)])
def test_a_decompression_bomb_is_refused_before_it_is_unpacked(width: int, height: int) -> None:
    with pytest.raises(BadContent, match=r"more than 40 million pixels|damaged"):
        read_content(_png_of(width, height))


def test_sizes_have_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sniffing, "MOST_BYTES", 10)
    with pytest.raises(BadContent, match="larger than"):
        read_content(b"x" * 11)
    with pytest.raises(BadContent, match="is empty"):
        read_content(b"")
