"""Requests inside the console of an installation: how often a page asks the database, and how long it takes."""

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
    milliseconds: float = place.python(PROCESSOR_TIME, user=user, path=path, times=times)
    return milliseconds


PROCESSOR_TIME = """
import time
from pathlib import Path
from django.db import connection
from django.test import Client

def server_seconds():
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(Path(f"/proc/{cursor.fetchone()[0]}/schedstat").read_text().split()[0]) / 1e9

client = Client(headers={"host": "127.0.0.1"})
client.force_login(User.objects.get(username=user), backend="django.contrib.auth.backends.ModelBackend")
assert client.get(path).status_code == 200
began = time.process_time() + server_seconds()
for _time in range(times):
    client.get(path)
result = 1000 * (time.process_time() + server_seconds() - began) / times
"""
