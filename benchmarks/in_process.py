"""Requests inside the console of an installation: how often a page asks the database, and how long it takes."""

from dataclasses import dataclass
from typing import Any

from tests.support.installation import Installation


def asked(place: Installation, user: str, path: str, *, times: int = 1) -> tuple[int, float]:
    """(queries of one request, median milliseconds of several) for a signed-in person."""
    queries, milliseconds = place.python(ASK, user=user, path=path, times=times)
    return queries, milliseconds


ASK = """
import statistics, time
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

client = Client(headers={"host": "127.0.0.1"})
client.force_login(User.objects.get(username=user), backend="django.contrib.auth.backends.ModelBackend")
assert client.get(path).status_code == 200
with CaptureQueriesContext(connection) as captured:
    client.get(path)
    queries = len(captured)
took = []
for _time in range(times):
    began = time.perf_counter()
    client.get(path)
    took.append(1000 * (time.perf_counter() - began))
result = queries, statistics.median(took)
"""


def processor_time(place: Installation, user: str, path: str, *, times: int = 5) -> float:
    """Milliseconds of CPU that a request costs here and in the database server, the mean of several requests.

    Unlike the time that a person waits, it does not depend on what else the machine does.
    """
    look = looked(place, user, path, times=times)
    return look.web + look.server


@dataclass(frozen=True)
class Look:
    """What a request costs: milliseconds of CPU here and in the database server (0 on SQLite), the mean of several.

    status: of the first answer. queries: of the first request. plans: of its slowest statements, with their time.
    """

    status: int
    web: float
    server: float
    queries: int
    plans: Any


def looked(place: Installation, user: str, path: str, *, times: int = 5) -> Look:
    return Look(**place.python(LOOK, user=user, path=path, times=times))


LOOK = """
import time
from pathlib import Path
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

def server_seconds():
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(Path(f"/proc/{cursor.fetchone()[0]}/schedstat").read_text().split()[0]) / 1e9

def explained(query):
    sql = query["sql"]
    if not sql.startswith(("SELECT", "WITH")):
        return sql[:200]
    with connection.cursor() as cursor:
        cursor.execute(("EXPLAIN " if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN ") + sql)
        return [sql[:1500], *(str(row[-1]) for row in cursor.fetchall())]

client = Client(headers={"host": "127.0.0.1"})
client.force_login(User.objects.get(username=user), backend="django.contrib.auth.backends.ModelBackend")
with CaptureQueriesContext(connection) as captured:
    answer = client.get(path)
    queries = captured.captured_queries
slowest = sorted(queries, key=lambda query: -float(query["time"]))[:2]
plans = [[query["time"], explained(query)] for query in slowest if float(query["time"]) >= 0.02]
here, server = time.process_time(), server_seconds()
for _time in range(times):
    client.get(path)
result = {
    "status": answer.status_code,
    "web": 1000 * (time.process_time() - here) / times,
    "server": 1000 * (server_seconds() - server) / times,
    "queries": len(queries),
    "plans": plans,
}
"""
