"""Bodies of HTTP answers, read with a limit before and after unpacking: nobody vouches for who sends them."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import httpx2

MOST_OF_A_REPLY = 2 * 1024 * 1024  # bytes; more is nothing that a model says
MOST_OF_AN_ERROR = 64 * 1024
PIECE = 16 * 1024  # bytes that are unpacked at a time, so that the event loop goes on in between
GZIP_OR_ZLIB = zlib.MAX_WBITS | 32  # zlib tells the two apart by itself
PACKED = {"gzip", "x-gzip", "deflate"}
PLAIN = {"", "identity"}

Unpack = Callable[[bytes, int], bytes]


class BodyUnreadable(Exception):
    """The body is packed in a way that nobody asked for, or not as its header says."""


@dataclass(frozen=True)
class Body:
    """is_whole: False where the service would have sent more than the limit."""

    content: bytes
    is_whole: bool


async def read_body(response: httpx2.Response, limit: int) -> Body:
    """At most `limit` bytes of the unpacked body; holds no more than that, however small it was packed.

    Raises BodyUnreadable, and what the transport raises.
    """
    content, unpack = bytearray(), _unpacker(response.headers.get("content-encoding", ""))
    async for received in response.aiter_raw():
        for start in range(0, len(received), PIECE):
            content += unpack(received[start : start + PIECE], limit + 1 - len(content))
            if len(content) > limit:
                return Body(bytes(content[:limit]), is_whole=False)
    return Body(bytes(content), is_whole=True)


def _unpacker(encoding: str) -> Unpack:
    """Takes a piece of what was received and how much of it may come out."""
    name = encoding.strip().lower()
    if name in PLAIN:
        return lambda piece, _most: piece
    if name not in PACKED:
        raise BodyUnreadable(name[:40])
    inflater = zlib.decompressobj(GZIP_OR_ZLIB)

    def unpack(piece: bytes, most: int) -> bytes:
        try:
            return inflater.decompress(piece, most)
        except zlib.error as fault:
            raise BodyUnreadable(str(fault)) from fault

    return unpack
