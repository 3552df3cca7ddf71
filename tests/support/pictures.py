"""Pictures and other files for tests, made in memory."""

import struct
import wave
import zipfile
from collections.abc import Mapping
from io import BytesIO
from typing import TYPE_CHECKING

from PIL import Image

if TYPE_CHECKING:
    from pypdf import PdfWriter


def picture(
    kind: str = "PNG", size: tuple[int, int] = (4, 3), *, mode: str = "RGB", colour: str = "red", **options: object
) -> bytes:
    target = BytesIO()
    Image.new(mode, size, colour).save(target, kind, **options)
    return target.getvalue()


def opened(data: bytes) -> Image.Image:
    return Image.open(BytesIO(data))


def packed(files: Mapping[str, bytes]) -> bytes:
    """A zip of them."""
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return target.getvalue()


def pdf(pages: int = 1, **information: str) -> bytes:
    """A PDF of empty pages. information: of the document, such as Author."""
    from pypdf import PdfWriter

    writer = PdfWriter()
    for _page in range(pages):
        writer.add_blank_page(200, 100)
    writer.metadata = None
    if information:
        writer.add_metadata({f"/{name}": text for name, text in information.items()})
    return written(writer)


def written(writer: "PdfWriter") -> bytes:
    target = BytesIO()
    writer.write(target)
    return target.getvalue()


MP3_FRAME = b"\xff\xfb\x90\x64" + bytes(413)  # 128 kbit/s at 44,100 Hz: 26 ms of silence


def wav(seconds: float = 0.1, *, chunks: bytes = b"") -> bytes:
    """Silence. chunks: what stands before it."""
    target = BytesIO()
    with wave.open(target, "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        sound.writeframes(bytes(2 * int(8000 * seconds)))
    data = target.getvalue()
    body = data[12:36] + chunks + data[36:]
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WAVE" + body
