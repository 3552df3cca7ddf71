"""New code or settings are loaded without a failed request: gunicorn reloads while thirty people read and write."""

import asyncio
import signal
from collections.abc import Iterator
from itertools import count

import pytest

from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.visitors import Visitor, sessions, together

pytestmark = [pytest.mark.slow, pytest.mark.long]

PEOPLE, RELOADS = 30, 3
PAGES = ("/p/p/", "/projects/", "/preferences/")
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


async def read_on(visitor: Visitor, number: int, until: asyncio.Event, statuses: list[int]) -> None:
    """Ask for one page after the other until the end, and note the status of each."""
    for turn in count(number):
        if until.is_set():
            return
        statuses.append((await visitor.get(PAGES[turn % len(PAGES)])).status)


async def everybody_has_read(statuses: list[int]) -> None:
    """Wait until as many pages as there are people have come since now, however slow the machine is."""
    before = len(statuses)
    while len(statuses) < before + PEOPLE:
        await asyncio.sleep(0.1)


async def reload_while_read(place: Installation, keys: list[str]) -> list[int]:
    assert place.web is not None
    until, statuses = asyncio.Event(), list[int]()
    visitors = [Visitor.of(place, key) for key in keys]
    readers = [
        asyncio.create_task(read_on(visitor, number, until, statuses)) for number, visitor in enumerate(visitors)
    ]
    for _number in range(RELOADS):
        await asyncio.sleep(2)
        await everybody_has_read(statuses)
        place.web.send_signal(signal.SIGHUP)
    await asyncio.sleep(6)
    await everybody_has_read(statuses)
    until.set()
    await asyncio.gather(*readers)
    return statuses


def test_no_request_fails_while_the_web_server_reloads(place: Installation) -> None:
    keys = list(sessions(place, [f"reader{number}" for number in range(PEOPLE)]).values())
    statuses = together(reload_while_read(place, keys))
    assert len(statuses) > (RELOADS + 1) * PEOPLE
    assert set(statuses) == {200}
    assert "Traceback" not in place.log.read_text()
