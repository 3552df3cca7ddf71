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


def fastest(place: Installation, user: str, path: str, *, times: int = 7) -> float:
    """The milliseconds of the fastest of several requests: those on which other programs had the least effect."""
    milliseconds: float = place.python(FASTEST, user=user, path=path, times=times)
    return milliseconds


FASTEST = """
import time
from django.test import Client

client = Client(headers={"host": "127.0.0.1"})
client.force_login(User.objects.get(username=user), backend="django.contrib.auth.backends.ModelBackend")
took = []
for _time in range(times):
    began = time.perf_counter()
    assert client.get(path).status_code == 200
    took.append(1000 * (time.perf_counter() - began))
result = min(took)
"""
