"""A picture of a screen as a small PNG file: at most 256 colours, which is what a page of text and lines needs."""

import struct
import zlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

MOST = 256


def small_png(wide: int, high: int, pixels: bytes) -> bytes:
    """pixels: four bytes each (red, green, blue, opacity, which is not kept), line by line from the top."""
    colours = np.frombuffer(pixels, np.uint8).reshape(high * wide, 4)[:, :3].astype(np.uint32)
    codes = (colours[:, 0] << 16) | (colours[:, 1] << 8) | colours[:, 2]
    palette, places = _palette(codes)
    lines = np.zeros((high, wide + 1), np.uint8)  # each begins with the number of its filter: none
    lines[:, 1:] = places.reshape(high, wide)
    parts = {
        b"IHDR": struct.pack(">IIBBBBB", wide, high, 8, 3, 0, 0, 0),
        b"PLTE": b"".join(int(code).to_bytes(3, "big") for code in palette),
        b"IDAT": zlib.compress(lines.tobytes(), 9),
        b"IEND": b"",
    }
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunks(parts))


def _palette(codes: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """The colours that are kept, the most frequent first, and for each pixel the place of the nearest."""
    found, inverse, counts = np.unique(codes, return_inverse=True, return_counts=True)
    kept = found[np.argsort(-counts)[:MOST]]
    nearest = np.argmin(((_apart(found)[:, None, :] - _apart(kept)[None, :, :]) ** 2).sum(axis=2), axis=1)
    return kept, nearest.astype(np.uint8)[inverse]


def _apart(codes: NDArray[np.uint32]) -> NDArray[np.int32]:
    return np.stack([(codes >> 16) & 255, (codes >> 8) & 255, codes & 255], axis=1).astype(np.int32)


def _chunks(parts: dict[bytes, bytes]) -> Iterator[bytes]:
    for name, body in parts.items():
        yield struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
