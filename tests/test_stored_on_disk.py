"""On SQLite, too, what somebody is told is stored is on the disk (files: tests/annotate/test_durable.py)."""

import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import psutil
import pytest
from django.conf import settings
from django.db import connections

from config.sqlite.base import DatabaseWrapper
from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.visitors import sessions

FULL = 2


@pytest.mark.django_db
def test_every_connection_of_this_program_waits_for_the_disk(tmp_path: Path) -> None:
    """Web servers, workers and commands have the same settings, and each connection begins with them."""
    wrapper = DatabaseWrapper({**connections.settings["default"], "NAME": str(tmp_path / "db.sqlite3")}, "own")
    with wrapper.cursor() as cursor:
        assert cursor.execute("PRAGMA synchronous").fetchone() == (FULL,)
        assert cursor.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    wrapper.close()
    assert list(settings.DATABASES) == ["default"]


PROJECT = """
ada = User.objects.create_user("ada", password="long enough for a test")
project = Project.objects.create(slug="p", name="P", kind_slug="feedback")
Member.objects.create(project=project, user=ada, role="lead")
"""


@contextmanager
def traced(process: psutil.Process, log: Path) -> Iterator[None]:
    """Every sync and every answer of this process while the block runs."""
    program = shutil.which("strace")
    if program is None:
        pytest.skip("NOT TESTED: no strace here (apt-get install strace)")
    calls = "trace=fsync,fdatasync,sendto"
    tracer = subprocess.Popen(
        [program, "-f", "-y", "-e", calls, "-s", "40", "-o", log, "-p", str(process.pid)],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert tracer.stderr is not None
    first = tracer.stderr.readline()
    if "attached" not in first:
        tracer.wait(timeout=20)
        pytest.skip(f"NOT TESTED: this account may not trace its processes here ({first.strip()})")
    try:
        yield
    finally:
        tracer.send_signal(signal.SIGINT)
        tracer.communicate(timeout=60)


@pytest.mark.slow
def test_the_log_of_the_database_is_synced_before_the_answer_is_sent(
    installations: Installations, tmp_path: Path
) -> None:
    with installations.serving("sqlite") as place:
        place.python(PROJECT)
        assert httpx2.get(f"{place.url}/healthz").status_code == 200  # the worker is there
        (web,) = psutil.Process(place.web and place.web.pid).children()
        log = tmp_path / "calls"
        with traced(web, log):
            answer = commented(place)
        assert answer.status_code == 302, answer.text
        lines = log.read_text().splitlines()
    sent = next(number for number, line in enumerate(lines) if "HTTP/1.1 302" in line)
    assert any(re.search(r"f(data)?sync\(\d+<.*sqlite3-wal>", line) for line in lines[:sent]), lines


def commented(place: Installation) -> httpx2.Response:
    cookies = {"sessionid": sessions(place, ["ada"])["ada"], "csrftoken": "c" * 32}
    fields = {"csrfmiddlewaretoken": "c" * 32, "text": "# How we write\n\n- Say why.", "note": "first", "based_on": "0"}
    return httpx2.post(f"{place.url}/p/p/guidelines/edit/", data=fields, cookies=cookies, timeout=60)
