"""What a file is, by its content alone; images are made anew from their pixels, so that nothing else comes along."""

import re
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO

from PIL import Image, UnidentifiedImageError

from lib.texts.stored_sentences import say as _

MIB = 1024 * 1024
MOST_BYTES = 25 * MIB  # of a file
MOST_PIXELS = 40_000_000  # of an image; 160 MB once it is unpacked
LONGEST_SIDE = 20_000
JPEG_QUALITY = 92

IMAGES = {"image/png": "PNG", "image/jpeg": "JPEG", "image/webp": "WEBP", "image/gif": "GIF"}
MARKUP = re.compile(r"\s*<(?:!doctype|!--|\?xml|html|head|body|svg|script|iframe|style|math)", re.IGNORECASE)
_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_ORIENTATION = 0x0112  # in Exif: how to turn the pixels, from 1 (as they are) to 8
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
# Pillow's decoders raise any of these at damaged data.
_DAMAGED = (OSError, SyntaxError, ValueError, TypeError, KeyError, IndexError, EOFError, struct.error, zlib.error)


class BadContent(ValueError):
    """The file cannot be stored; the message says why and what to do."""


@dataclass(frozen=True)
class Content:
    """A file as it is stored. type: a MIME type of TYPES. width, height: of an image in pixels, else None.

    animated: only the first picture of several was kept.
    """

    type: str
    data: bytes
    width: int | None = None
    height: int | None = None
    animated: bool = False


def read_content(data: bytes) -> Content:
    """Raises BadContent."""
    if len(data) > MOST_BYTES:
        raise BadContent(_("is larger than %(most)d MiB. Make it smaller.") % {"most": MOST_BYTES // MIB})
    if not data:
        raise BadContent(_("is empty. Copy it again."))
    content_type = type_of(data)
    return _image(data, content_type) if content_type in IMAGES else Content(content_type, data)


def image_type(data: bytes) -> str:
    """Of an image whose size is allowed, by its head: its pixels are not read. Raises BadContent."""
    if len(data) > MOST_BYTES:
        raise BadContent(_("is larger than %(most)d MiB. Make it smaller.") % {"most": MOST_BYTES // MIB})
    if (mime := type_of(data)) not in IMAGES:
        raise BadContent(_("is none of these: PNG, JPEG, WebP, GIF. Save it as one of them."))
    with _opened(data, mime):
        return mime


def type_of(data: bytes) -> str:
    """The MIME type that the content shows; the name and what a sender says are never asked. Raises BadContent."""
    for mime, magic in {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff", "image/gif": b"GIF8"}.items():
        if data.startswith(magic):
            return mime
    if data.startswith(b"RIFF") and data[8:12] in (b"WEBP", b"WAVE"):
        return "image/webp" if data[8:12] == b"WEBP" else "audio/wav"
    if data.startswith(b"%PDF-"):
        return "application/pdf"
    if data.startswith(b"ID3") or _is_mp3_frame(data[:4]):
        return "audio/mpeg"
    if _is_plain_text(data):
        return "text/plain"
    raise BadContent(_("is none of these: PNG, JPEG, WebP, GIF, PDF, MP3, WAV, plain text. Save it as one of them."))


def _is_mp3_frame(head: bytes) -> bool:
    """Sync bits, layer III, and neither a bit rate nor a sample rate that no frame has."""
    return len(head) == 4 and head[0] == 0xFF and head[1] & 0xE6 == 0xE2 and head[2] < 0xF0 and head[2] & 0x0C != 0x0C


def _is_plain_text(data: bytes) -> bool:
    if _CONTROLS.search(data):
        return False
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return False
    if MARKUP.match(text):
        raise BadContent(
            _("holds HTML, SVG or XML, which can carry scripts. Save a picture as PNG, a text as plain text.")
        )
    return True


def _image(data: bytes, mime: str) -> Content:
    """The first picture of the file, upright, made anew from its pixels."""
    with _opened(data, mime) as opened:
        animated = bool(getattr(opened, "is_animated", False))
        opened.seek(0)
        opened.load()
        pixels = _in_savable_mode(_upright(opened), mime)
    return Content(mime, _encoded(pixels, mime), pixels.width, pixels.height, animated)


@contextmanager
def _opened(data: bytes, mime: str) -> Iterator[Image.Image]:
    """The image, whose size is allowed. Raises BadContent, also for what is damaged inside the block."""
    try:
        with Image.open(BytesIO(data), formats=[IMAGES[mime]]) as opened:
            _refuse_size(opened.width, opened.height)
            yield opened
    except BadContent:
        raise
    except Image.DecompressionBombError:
        raise BadContent(_too_large()) from None
    except UnidentifiedImageError:
        raise BadContent(_("is damaged, or only begins like an image. Save it again.")) from None
    except _DAMAGED:
        raise BadContent(_("is incomplete or damaged. Copy it again.")) from None


def _upright(image: Image.Image) -> Image.Image:
    """The image as the camera was held; metadata that cannot be read say nothing about it."""
    try:
        turn = _TURNS.get(image.getexif().get(_ORIENTATION, 1))
    except _DAMAGED:
        turn = None
    return image if turn is None else image.transpose(turn)


def _refuse_size(width: int, height: int) -> None:
    if width * height > MOST_PIXELS or max(width, height) > LONGEST_SIDE:
        raise BadContent(_too_large())


def _too_large() -> str:
    message = _("has more than %(pixels)d million pixels, or a side over %(side)d. Make it smaller.")
    return message % {"pixels": MOST_PIXELS // 1_000_000, "side": LONGEST_SIDE}


def _in_savable_mode(image: Image.Image, mime: str) -> Image.Image:
    """Pixels that the format can hold, without the file's comments, profiles and times."""
    if "transparency" in image.info or image.mode in ("PA", "La", "RGBa"):
        image = image.convert("RGBA")
    elif mime == "image/jpeg" and image.mode not in ("L", "RGB"):
        image = image.convert("RGB")
    else:
        image = image.copy()
    image.info = {}
    return image


def _encoded(image: Image.Image, mime: str) -> bytes:
    target = BytesIO()
    options = {"quality": JPEG_QUALITY} if mime in ("image/jpeg", "image/webp") else {}
    image.save(target, IMAGES[mime], **options)
    return target.getvalue()
