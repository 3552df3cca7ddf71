"""Two hundred people at once on PostgreSQL: the number of connections is a setting, not the number of visitors."""

import asyncio

import psycopg
import pytest

from tests.faults.people import open_next, visitors
from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.samples import written
from tests.support.visitors import Visitor, together

pytestmark = [pytest.mark.slow, pytest.mark.postgres]

CLIENTS, PROCESSES, CONNECTIONS = 200, 2, 4
# Of visitors only: the server's own workers, autovacuum among them, come and go as they like.
OF_OTHERS = """
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


def test_two_hundred_clients_share_the_configured_connections(installations: Installations) -> None:
    """Fewer connections than threads, so that people have to wait for one."""
    setting = {"DATABASE_CONNECTIONS": str(CONNECTIONS)}
    with installations.serving("postgres", workers=PROCESSES, threads=8, **setting) as installation:
        everybody = visitors(installation, people=CLIENTS, items=2 * CLIENTS)
        statuses, most = together(all_at_once(installation, everybody))
        assert statuses == {200, 302}
        assert 1 < most <= PROCESSES * CONNECTIONS
        assert installation.log.read_text() == ""


def test_a_connection_whose_packets_are_lost_is_given_up(installations: Installations) -> None:
    """By the kernel: half a minute after the last sign of life, whether something was to be sent or not."""
    with installations.migrated("postgres") as installation:
        options = installation.python(OF_THE_SOCKET)
    assert options["unacknowledged"] == 30_000
    assert options["silent"] == 15 + 3 * 5


OF_THE_SOCKET = """
import os, socket
from django.db import connection
connection.ensure_connection()
names = ["TCP_USER_TIMEOUT", "TCP_KEEPIDLE", "TCP_KEEPINTVL", "TCP_KEEPCNT"]
with socket.socket(fileno=os.dup(connection.connection.fileno())) as own:
    user_timeout, idle, interval, count = (own.getsockopt(socket.IPPROTO_TCP, getattr(socket, name)) for name in names)
    assert own.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
result = {"unacknowledged": user_timeout, "silent": idle + interval * count}
"""


async def all_at_once(installation: Installation, everybody: list[Visitor]) -> tuple[set[int], int]:
    over = asyncio.Event()
    watching = asyncio.create_task(most_connections(installation, over))
    statuses = await asyncio.gather(*(works(visitor) for visitor in everybody))
    over.set()
    return set().union(*statuses), await watching


async def works(visitor: Visitor) -> set[int]:
    """A page that only reads, one item, and the one that follows it."""
    statuses = {(await visitor.get("/")).status}
    slot, page = await open_next(visitor)
    answer = await visitor.post(f"{slot}submit/", **written("One of two hundred.", page))
    following = await visitor.get(answer.leads_to)
    await visitor.leave()
    return statuses | {page.status, answer.status, following.status}


async def most_connections(installation: Installation, over: asyncio.Event) -> int:
    """The most connections of the web server at one time; those of the test itself were there before."""
    most = 0
    async with await psycopg.AsyncConnection.connect(installation.database_url, autocommit=True) as connection:
        before = await connected(connection)
        while not over.is_set():
            most = max(most, len(await connected(connection) - before))
            await asyncio.wait([asyncio.create_task(over.wait())], timeout=0.05)
    return most


async def connected(connection: psycopg.AsyncConnection) -> set[int]:
    return {pid for (pid,) in await (await connection.execute(OF_OTHERS)).fetchall()}
