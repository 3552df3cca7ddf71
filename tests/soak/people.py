"""Annotators and reviewers of the soak: they work on whatever comes, in every way that the pages offer.

None of them knows that anything is being broken. Whoever gets no answer tries again from the beginning, as people do.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tests.soak.history import History, Operation, Outcome
from tests.support.samples import rewritten
from tests.support.visitors import Answer, Visitor

PATIENCE = 30.0  # seconds after which somebody gives up waiting for an answer
BROKEN = (OSError, EOFError, ValueError, TimeoutError)  # what a connection does whose other end is killed
EXPECTED = {200, 201, 302, 303, 409, 410, 422, 429, 502, 503}
REASON = "Say where the number comes from."


@dataclass
class Person:
    """Somebody with a browser. busy: seconds that they need for an item, on average."""

    name: str
    visitor: Visitor
    history: History
    random: random.Random
    busy: float
    texts: int = 0
    last: Answer | None = field(default=None, repr=False)

    async def get(self, path: str) -> Answer | None:
        return await self._asked(path, self.visitor.get(path))

    async def post(self, path: str, **fields: str | list[str]) -> Answer | None:
        return await self._asked(path, self.visitor.post(path, **fields))

    async def _asked(self, path: str, request: Awaitable[Answer]) -> Answer | None:
        """The answer; None where none came in time."""
        try:
            answer = await asyncio.wait_for(request, PATIENCE)
        except BROKEN:
            await self._hang_up()
            self.history.statuses[0] += 1
            return None
        self.history.statuses[answer.status] += 1
        if answer.status not in EXPECTED:
            self.history.unexpected.append(f"{self.name} {path}: {answer.status} {answer.body[-300:]!r}")
        return answer

    async def _hang_up(self) -> None:
        try:
            await self.visitor.leave()
        except OSError:
            self.visitor.streams = None

    async def think(self) -> None:
        await asyncio.sleep(self.busy * (0.5 + self.random.random()))

    def next_text(self, slot: int) -> str:
        """A text that nobody else writes, and this person only once."""
        self.texts += 1
        return f"Text {self.texts} of {self.name} for {slot}: the total is wrong, because gaps count as zero."

    async def act(self, verb: str, page: "Page", text: str, **fields: str | list[str]) -> Answer | None:
        """One step on an item, recorded with what the person was told."""
        began = time.monotonic()
        hidden = {"token": page.token, "revision": page.revision, "confirm": "1"}
        answer = await self.post(f"{page.path}{verb}/", **{**rewritten(text), **hidden, **fields})
        told = outcome(answer)
        step = Operation(self.name, verb, page.slot, page.token, text, began, time.monotonic(), told)
        self.history.operations.append(step)
        return answer


def outcome(answer: Answer | None) -> Outcome:
    if answer is None or answer.status >= 500:
        return Outcome.UNKNOWN
    return Outcome.ACKNOWLEDGED if answer.leads_to else Outcome.REFUSED


@dataclass(frozen=True)
class Page:
    """The page of one item as it was received: what an action on it sends back."""

    path: str
    slot: int
    token: str
    revision: str


async def open_page(person: Person, address: str) -> Page | None:
    """None where no page came, or one of an item that is not this person's any more."""
    path = urlsplit(address).path
    began = time.monotonic()
    answer = await person.get(path)
    if answer is None or answer.status != 200 or not answer.hidden("token"):
        return None
    page = Page(path, int(path.split("/")[-2]), answer.hidden("token"), answer.hidden("revision"))
    seen = Operation(person.name, "open", page.slot, page.token, "", began, time.monotonic(), Outcome.ACKNOWLEDGED)
    person.history.operations.append(seen)
    return page


async def annotate(person: Person, slug: str) -> None:
    """One turn of an annotator: the next item, and one of the things that people do with it."""
    page = await next_page(person, f"/p/{slug}/work/")
    if page is None:
        return
    await person.think()
    text = person.next_text(page.slot)
    if person.random.random() < 0.3:
        await person.act("save", page, text)
        again = await open_page(person, page.path)
        if again is None:
            return
        page, text = again, person.next_text(page.slot)
    await chosen(person, ANNOTATING)(person, page, text)


async def review(person: Person, slug: str) -> None:
    """One turn of a reviewer."""
    page = await next_page(person, f"/p/{slug}/review/")
    if page is None:
        return
    await person.think()
    await chosen(person, REVIEWING)(person, page, person.next_text(page.slot))


async def next_page(person: Person, desk: str) -> Page | None:
    """The next item for this person, opened; None, after a pause, where there is none or no answer came."""
    answer = await person.post(f"{desk}next/")
    address = answer.leads_to if answer else ""
    if urlsplit(address).path in ("", desk):
        await asyncio.sleep(0.5 + person.random.random())
        return None
    return await open_page(person, address)


Turn = Callable[[Person, Page, str], Awaitable[object]]


async def submit(person: Person, page: Page, text: str) -> None:
    await person.act("submit", page, text)


async def submit_twice(person: Person, page: Page, text: str) -> None:
    """A double click: the second is told the same, and stores nothing more."""
    await person.act("submit", page, text)
    await person.act("submit", page, text)


async def submit_and_undo(person: Person, page: Page, text: str) -> None:
    answer = await person.act("submit", page, text)
    if answer is not None and answer.leads_to:
        await person.act("undo", page, "")


async def release(person: Person, page: Page, text: str) -> None:
    await person.act("release", page, text)


async def skip(person: Person, page: Page, text: str) -> None:
    await person.act("skip", page, text, reason="too_hard")


async def leave(person: Person, page: Page, text: str) -> None:
    """Saved and forgotten, until the lease runs out or the person comes back."""
    await person.act("save", page, text)


async def accept(person: Person, page: Page, text: str) -> None:
    await person.act("fix", page, text, fix_note="Clearer.")


async def send_back(person: Person, page: Page, text: str) -> None:
    await person.act("return", page, text, reason_field=["feedback"], reason_text=[REASON])


async def drop(person: Person, page: Page, text: str) -> None:
    await person.act("drop", page, text, drop_reason="duplicate", drop_note="")


ANNOTATING: dict[Turn, float] = {
    submit: 0.66,
    submit_twice: 0.08,
    submit_and_undo: 0.08,
    release: 0.08,
    skip: 0.03,
    leave: 0.07,
}
REVIEWING: dict[Turn, float] = {accept: 0.6, send_back: 0.16, release: 0.1, skip: 0.02, drop: 0.12}


def chosen(person: Person, shares: dict[Turn, float]) -> Turn:
    (turn,) = person.random.choices(list(shares), list(shares.values()))
    return turn
