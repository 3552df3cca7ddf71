"""Fifty annotators over HTTP: each gets a page, writes, submits, and goes on until the time is over."""

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import psutil

from tests.support.installation import Installation
from tests.support.samples import written
from tests.support.visitors import Answer, Visitor

PASSWORD = "long enough for a benchmark"


@dataclass
class Seen:
    """What one annotator received: the slots that were theirs, what was acknowledged, how long pages took."""

    slots: list[str] = field(default_factory=list)
    acknowledged: dict[str, str] = field(default_factory=dict)
    pages: list[float] = field(default_factory=list)
    submits: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Desk:
    """The project they work on. answer: a text and the page -> the fields that are posted."""

    project: str = "bench"
    answer: Callable[[str, Answer], dict[str, Any]] = written


@dataclass(frozen=True)
class Crowd:
    people: list[Seen]
    seconds: float
    client_share: float
    server_seconds: float  # of the processors, in all processes of the web server

    @property
    def pairs(self) -> int:
        return sum(len(each.acknowledged) for each in self.people)

    @property
    def milliseconds_a_pair(self) -> float:
        """Of the processors, in the web server."""
        return 1000 * self.server_seconds / max(1, self.pairs)


MEMBERS = """
users = [User.objects.create_user(f"ann{number}", password=password) for number in range(count)]
for project in Project.objects.filter(slug__in=projects):
    Member.objects.bulk_create(Member(project=project, user=user, role="annotator") for user in users)
"""


async def signed_in(place: Installation, count: int, projects: Sequence[str] = ("bench",)) -> list[Visitor]:
    """Members of all these projects with sessions of the sign-in form."""
    place.python(MEMBERS, count=count, password=PASSWORD, projects=list(projects))
    visitors = [Visitor.of(place) for _number in range(count)]
    for number, visitor in enumerate(visitors):
        answer = await visitor.sign_in(f"ann{number}", PASSWORD)
        assert answer.leads_to, f"sign-in: {answer.status}"
    return visitors


BENCH = Desk()


async def work(
    place: Installation, visitors: list[Visitor], *, seconds: float, think: float, desk: Desk = BENCH
) -> Crowd:
    """think: seconds between a page and its submission, half to one and a half times as long at random."""
    began, used, served = time.perf_counter(), time.process_time(), _processor_seconds(place)
    people = await asyncio.gather(*(_annotate(visitor, desk, began + seconds, think) for visitor in visitors))
    took = time.perf_counter() - began
    return Crowd(people, took, (time.process_time() - used) / took, _processor_seconds(place) - served)


def _processor_seconds(place: Installation) -> float:
    assert place.web is not None
    server = psutil.Process(place.web.pid)
    times = [process.cpu_times() for process in (server, *server.children(recursive=True))]
    return sum(used.user + used.system for used in times)


async def _annotate(visitor: Visitor, desk: Desk, until: float, think: float) -> Seen:
    seen = Seen()
    await asyncio.sleep(random.random() * (think or 0.2))
    address, page = (await visitor.post(f"/p/{desk.project}/work/next/")).leads_to, None
    while address and time.perf_counter() < until:
        page = page or await visitor.get(address)
        if page.status != 200:
            seen.errors.append(f"{address}: {page.status}")
            break
        seen.pages.append(page.seconds)
        slot = urlsplit(address).path
        seen.slots.append(slot)
        if think:
            await asyncio.sleep(think * (0.5 + random.random()))
        address, page = await _submit(visitor, desk, slot, page, seen)
    await visitor.leave()
    return seen


async def _submit(visitor: Visitor, desk: Desk, slot: str, page: Answer, seen: Seen) -> tuple[str, Answer | None]:
    """The address of the next item, and its page where it came with the answer."""
    text = f"Your answer divides without looking. Token {page.hidden('token')}."
    answer = await visitor.post(f"{slot}submit/", "X-Takes-Page: yes\r\n", **desk.answer(text, page))
    seen.submits.append(answer.seconds)
    place = answer.headers.get("x-page-is-at", "")
    if place or answer.leads_to:
        seen.acknowledged[slot] = text
    else:
        seen.errors.append(f"{slot}submit/: {answer.status}")
    return (place, answer) if place else (answer.leads_to, None)
