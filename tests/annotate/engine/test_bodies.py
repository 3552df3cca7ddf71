"""Answers that are bombs: every status is read with a limit, packed or not, and has a cause."""

import gzip
import tracemalloc
from collections.abc import AsyncIterator

import httpx2
import pytest

from annotate.engine.client import BodyUnreadable, Client, read_body
from annotate.engine.endpoint_probe import probe
from annotate.kinds.protocol import Cause, Question
from annotate.models import Endpoint
from tests.support.bad_services import SORTS, STATUSES, bad_service
from tests.support.running import run

MOST_MEMORY = 16 * 2**20
QUESTION = Question("step", [{"role": "user", "content": "Which word?"}])
SERVICES = [(sort, status) for sort in SORTS for status in STATUSES]


def asked(base_url: str) -> Cause | None:
    async def ask() -> Cause | None:
        async with Client(Endpoint(name="e", base_url=base_url, model="m", deadline=1)) as client:
            return (await client.ask_once(QUESTION)).cause

    return run(ask())


@pytest.mark.parametrize(("sort", "status"), SERVICES)
def test_a_service_that_sends_without_end_has_a_cause_and_costs_little(sort: str, status: int) -> None:
    with bad_service(sort, status) as base_url:
        tracemalloc.start()
        cause = asked(base_url)
        _now, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert cause is not None
    assert peak < MOST_MEMORY
    assert cause != Cause.DEFECT


@pytest.mark.parametrize("sort", SORTS)
def test_so_it_is_through_the_test_button(sort: str) -> None:
    with bad_service(sort, 500) as base_url:
        tracemalloc.start()
        found = probe(Endpoint(name="e", base_url=base_url, model="m", deadline=1))
        _now, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert not found.ok
    assert peak < MOST_MEMORY


# --- reading ----------------------------------------------------------------------------------------------------------
def response(content: bytes, encoding: str = "") -> httpx2.Response:
    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(content), 1000):
            yield content[start : start + 1000]

    return httpx2.Response(200, headers={"content-encoding": encoding}, content=pieces())


@pytest.mark.parametrize("size", [0, 1, 999, 1000, 70_000])
@pytest.mark.parametrize("encoding", ["", "identity", "gzip", "GZIP"])
def test_a_body_within_the_limit_is_read_whole(size: int, encoding: str) -> None:
    content = bytes(range(256)) * (size // 256) + bytes(size % 256)
    sent = gzip.compress(content) if encoding.lower() == "gzip" else content
    body = run(read_body(response(sent, encoding), 70_000))
    assert (body.content, body.is_whole) == (content, True)


def test_a_body_beyond_the_limit_is_cut() -> None:
    body = run(read_body(response(gzip.compress(bytes(5000)), "gzip"), 100))
    assert (body.content, body.is_whole) == (bytes(100), False)


@pytest.mark.parametrize(("content", "encoding"), [(b"plain", "gzip"), (b"x", "br"), (b"x", "zstd")])
def test_a_body_that_is_not_packed_as_it_says_is_unreadable(content: bytes, encoding: str) -> None:
    with pytest.raises(BodyUnreadable):
        run(read_body(response(content, encoding), 100))
