"""Fifty people over HTTP: two thousand claims on each database, and the question who held what.

Of every tenth item its page is opened as a browser does; of the others only the hidden fields are fetched, from the
database: to render thousands of pages takes longer than all that is claimed and handed in. `make soak` makes as many
claims as there is time for, while servers are killed.
"""

import asyncio
import math
import time
from collections.abc import Iterator

import pytest

from tests.races.holding import Received, overlapping
from tests.races.scenes import import_work, people_and_work
from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.samples import rewritten
from tests.support.visitors import Visitor, sessions, together

pytestmark = [pytest.mark.slow, pytest.mark.long]

PEOPLE, CLAIMS = 50, 40
RELEASED = 10  # every so many claims one is handed back unfinished
OPENED = 10  # and of every so many the page is opened


@pytest.fixture
def installation(installations: Installations, database: str) -> Iterator[Installation]:
    with installations.serving(database, workers=2) as made:
        yield made


def test_the_claims_of_fifty_people_never_meet(installation: Installation) -> None:
    people = people_and_work(installation, people=PEOPLE, items=0)
    import_work(installation, PEOPLE * CLAIMS)
    visitors = [Visitor.of(installation, key) for key in sessions(installation, people).values()]
    holds = together(everybody_works(visitors, installation))
    assert len(holds) == PEOPLE * CLAIMS
    assert overlapping(holds) == []
    handed_in = {hold["slot"]: hold["text"] for hold in holds if hold["text"]}
    stored = installation.python(STORED)
    assert {f"/p/race/work/{slot}/": text for slot, text in stored.items()} == handed_in
    assert installation.log.read_text() == ""


async def everybody_works(visitors: list[Visitor], installation: Installation) -> Received:
    each = await asyncio.gather(*(works(visitor, installation) for visitor in visitors))
    return [hold for one in each for hold in one]


async def works(visitor: Visitor, installation: Installation) -> Received:
    holds: Received = []
    address = (await visitor.post("/p/race/work/next/")).leads_to
    for claim in range(CLAIMS):
        began, slot = time.monotonic(), address.partition("?")[0]
        form = await opened(visitor, address) if claim % OPENED == 0 else installation.python(HIDDEN, slot=slot)
        text = "" if claim % RELEASED == 0 else f"Written by {visitor.cookies['sessionid'][:8]}, item {claim}."
        ended = math.inf if text else time.monotonic()
        holds.append({"slot": slot, "from": began, "until": ended, "text": text})
        answer = await visitor.post(f"{slot}{'submit' if text else 'release'}/", **rewritten(text), **form)
        assert answer.leads_to, f"{answer.status} {answer.body!r}"
        address = answer.leads_to if text else (await visitor.post("/p/race/work/next/")).leads_to
    await visitor.leave()
    return holds


async def opened(visitor: Visitor, address: str) -> dict[str, str]:
    page = await visitor.get(address)
    assert page.status == 200, page.body
    return {name: page.hidden(name) for name in ("token", "revision")}


HIDDEN = """
held = Slot.objects.select_related("holder").get(pk=slot.split("/")[-2], state="held")
result = {"token": str(held.token), "revision": str(held.annotations.get(author=held.holder).revision)}
"""
STORED = """
handed_in = Annotation.objects.filter(submitted_at__isnull=False, author__isnull=False)
result = {slot: draft["feedback"] for slot, draft in handed_in.values_list("slot_id", "draft")}
"""
