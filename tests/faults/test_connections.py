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
