"""Services that answer with more than anybody can hold: raw bytes over a socket, one sort of answer a service."""

import asyncio
import zlib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from threading import Thread

Send = Callable[[asyncio.StreamWriter], Awaitable[None]]
STATUSES = (200, 302, 400, 401, 404, 429, 500, 503)
PIECE = b" " * 2**16


@cache
def _packed(megabytes: int, form: int) -> bytes:
    """So many megabytes of zeros, a thousandth of that on the wire; form: of zlib's window bits."""
    packer, zeros = zlib.compressobj(9, zlib.DEFLATED, form), bytes(2**20)
    return b"".join(packer.compress(zeros) for _megabyte in range(megabytes)) + packer.flush()


def _head(status: int, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} Bad", "Content-Type: application/json", "Connection: close", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def _endless(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(f"{len(PIECE):x}\r\n".encode() + PIECE + b"\r\n")
        await writer.drain()


async def _drips(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"1\r\n \r\n")
        await writer.drain()
        await asyncio.sleep(0.05)


def _bytes(content: bytes) -> Send:
    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(content)
        await writer.drain()

    return send


def _whole(encoding: str, content: bytes) -> tuple[tuple[str, ...], Send]:
    return (f"Content-Encoding: {encoding}", f"Content-Length: {len(content)}"), _bytes(content)


# name -> what gives (headers, what follows them); the bombs take a second to pack
SORTS: dict[str, Callable[[], tuple[tuple[str, ...], Send]]] = {
    "endless": lambda: (("Transfer-Encoding: chunked",), _endless),
    "drips": lambda: (("Transfer-Encoding: chunked",), _drips),
    "gzip bomb": lambda: _whole("gzip", _packed(600, zlib.MAX_WBITS | 16)),
    "deflate bomb": lambda: _whole("deflate", _packed(200, zlib.MAX_WBITS)),
}


@contextmanager
def bad_service(sort: str, status: int) -> Iterator[str]:
    """The base URL of such a service. It runs in its own thread: the browser tests leave a running loop in this one."""
    headers, send = SORTS[sort]()
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        server = asyncio.run_coroutine_threadsafe(_serve(_head(status, *headers), send), loop).result(20)
        try:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        finally:
            asyncio.run_coroutine_threadsafe(_stop(server), loop).result(20)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _serve(head: bytes, send: Send) -> asyncio.Server:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(head)
            await send(writer)
        writer.close()

    return await asyncio.start_server(serve, "127.0.0.1", 0)


async def _stop(server: asyncio.Server) -> None:
    server.close()
    replies = asyncio.all_tasks() - {asyncio.current_task()}
    for reply in replies:
        reply.cancel()
    await asyncio.gather(*replies, return_exceptions=True)
