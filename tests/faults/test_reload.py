"""New code or settings are loaded without a failed request: gunicorn reloads while thirty people read and write."""

import asyncio
import signal
from collections.abc import Iterator
from itertools import count

import pytest

from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.visitors import Visitor, sessions, together

pytestmark = pytest.mark.slow

PEOPLE, RELOADS = 30, 3
MADE = """
project = Project.objects.create(slug="p", name="P", kind_slug="feedback")
Guideline.objects.create(project=project, version=1, text="Say why.")
for number in range(people):
    person = User.objects.create_user(f"reader{number}", password="long enough for a test")
    Member.objects.create(project=project, user=person, role="viewer")
"""


@pytest.fixture(scope="module")
def place(installations: Installations) -> Iterator[Installation]:
    with installations.serving("sqlite", workers=2, threads=16, forked=False) as place:
        place.python(MADE, people=PEOPLE)
        yield place


async def read_on(visitor: Visitor, until: asyncio.Event, numbers: Iterator[int]) -> list[int]:
    """The status of each page until the end."""
    statuses = []
    while not until.is_set():
        statuses.append((await visitor.get(("/p/p/", "/projects/", "/preferences/")[next(numbers) % 3])).status)
    return statuses


async def reload_while_read(place: Installation, keys: list[str]) -> list[int]:
    assert place.web is not None
    until = asyncio.Event()
    readers = [
        asyncio.create_task(read_on(Visitor.of(place, key), until, count(number))) for number, key in enumerate(keys)
    ]
    for _number in range(RELOADS):
        await asyncio.sleep(2)
        place.web.send_signal(signal.SIGHUP)
    await asyncio.sleep(6)
    until.set()
    return [status for statuses in await asyncio.gather(*readers) for status in statuses]


def test_no_request_fails_while_the_web_server_reloads(place: Installation) -> None:
    keys = list(sessions(place, [f"reader{number}" for number in range(PEOPLE)]).values())
    statuses = together(reload_while_read(place, keys))
    assert len(statuses) > PEOPLE
    assert set(statuses) == {200}
    assert "Traceback" not in place.log.read_text()
