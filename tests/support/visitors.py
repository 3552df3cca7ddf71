"""People with a browser, as cheap as they can be: HTTP/1.1 over asyncio streams, cookies, forms, no rendering.

Fifty of them run beside the server that they visit on the same two cores, so they do no more than they must.
"""

import asyncio
import re
import time
import zlib
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlencode, urlsplit

from tests.support.installation import Installation

T = TypeVar("T")
BACK_SOON = 1.0  # seconds after which a connection that nobody used may have been closed by the server


@dataclass(frozen=True)
class Answer:
    """seconds: from the first byte sent to the last one received."""

    status: int
    headers: dict[str, str]
    packed: bytes
    seconds: float

    @property
    def body(self) -> bytes:
        return zlib.decompress(self.packed, 31) if self.headers.get("content-encoding") == "gzip" else self.packed

    @property
    def leads_to(self) -> str:
        """The address of a redirect, empty for any other answer."""
        return self.headers.get("location", "") if 300 <= self.status < 400 else ""

    def hidden(self, name: str) -> str:
        """The value of a hidden field of the page; empty where there is none."""
        found = re.search(rb'name="%s" value="([^"]*)"' % name.encode(), self.body)
        return found[1].decode() if found else ""


@dataclass
class Visitor:
    """One browser with one connection. Redirects are answers like others: nothing is followed by itself."""

    host: str
    port: int
    cookies: dict[str, str] = field(default_factory=dict)
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
    used: float = 0.0

    @classmethod
    def of(cls, installation: Installation, session: str = "") -> "Visitor":
        address = urlsplit(installation.url)
        cookies = {"sessionid": session, "csrftoken": "c" * 32} if session else {}
        return cls(str(address.hostname), int(address.port or 80), cookies)

    async def get(self, path: str) -> Answer:
        return await self._ask(self._head("GET", path))

    async def post(self, path: str, headers: str = "", /, **fields: str | list[str]) -> Answer:
        """headers: more of them, each with its end of line."""
        body = urlencode({"csrfmiddlewaretoken": self.cookies["csrftoken"], **fields}, doseq=True).encode()
        form = f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n{headers}"
        return await self._ask(self._head("POST", path, form) + body)

    async def pieces(self, path: str) -> AsyncIterator[bytes]:
        """A long answer as it arrives, as it was sent; the connection is closed at its end."""
        await self.leave()
        reader, writer = await self._connected(time.perf_counter())
        writer.write(self._head("GET", path, "Connection: close\r\n"))
        await reader.readuntil(b"\r\n\r\n")
        while piece := await reader.read(2**16):
            yield piece
        await self.leave()

    async def sign_in(self, name: str, password: str) -> Answer:
        """Through the form, as everybody does."""
        await self.get("/accounts/login/")
        return await self.post("/accounts/login/", login=name, password=password)

    async def leave(self) -> None:
        if self.streams:
            self.streams[1].close()
            self.streams = None

    def _head(self, verb: str, path: str, more: str = "") -> bytes:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return (
            f"{verb} {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\nAccept-Encoding: gzip\r\n"
            f"Cookie: {cookies}\r\n{more}\r\n"
        ).encode()

    async def _ask(self, request: bytes) -> Answer:
        began = time.perf_counter()
        reader, writer = await self._connected(began)
        writer.write(request)
        status, headers = self._read_head(await reader.readuntil(b"\r\n\r\n"))
        packed = await _read_body(reader, headers)
        self.used = time.perf_counter()
        if headers.get("connection") == "close":
            await self.leave()
        return Answer(status, headers, packed, self.used - began)

    async def _connected(self, now: float) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self.streams is None or now - self.used > BACK_SOON:
            await self.leave()
            self.streams = await asyncio.open_connection(self.host, self.port, limit=2**20)
        return self.streams

    def _read_head(self, head: bytes) -> tuple[int, dict[str, str]]:
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {}
        for line in lines:
            name, _, value = line.partition(": ")
            if name.lower() == "set-cookie":
                cookie, _, content = value.partition(";")[0].partition("=")
                self.cookies[cookie] = content
            else:
                headers[name.lower()] = value
        return int(first.split(" ", 2)[1]), headers


async def _read_body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if "content-length" in headers:
        return await reader.readexactly(int(headers["content-length"]))
    if headers.get("transfer-encoding") != "chunked":
        return await reader.read() if headers.get("connection") == "close" else b""
    parts = []
    while size := int(await reader.readline(), 16):
        parts.append(await reader.readexactly(size))
        await reader.readline()
    await reader.readline()
    return b"".join(parts)


def sessions(installation: Installation, names: list[str]) -> dict[str, str]:
    """name -> key of a session in which this account is signed in."""
    return installation.python(SIGN_IN, names=names)


SIGN_IN = """
from django.contrib.sessions.backends.db import SessionStore
result = {}
for person in User.objects.filter(username__in=names):
    session = SessionStore()
    session.update({
        "_auth_user_id": str(person.pk),
        "_auth_user_backend": "django.contrib.auth.backends.ModelBackend",
        "_auth_user_hash": person.get_session_auth_hash(),
    })
    session.save()
    result[person.username] = session.session_key
"""


def together(what: Coroutine[Any, Any, T]) -> T:
    """Run it in a thread of its own: Playwright keeps an event loop in the thread of the tests."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, what).result()
