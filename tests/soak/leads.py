"""What leads do while people work: imports, releases, runs, bulk actions; and participants who withdraw."""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count

from tests.soak.people import Person
from tests.soak.scene import CASES, SLUG
from tests.support.samples import samples
from tests.support.visitors import Answer

ROWS = 40  # in a file that is imported
BUDGET = "0.05"
FIRST_NUMBER = 1_000_000  # of imported samples, far from those that are there at the beginning


@dataclass
class Lead:
    """person: with a session, for pages. links: of participants who have not withdrawn yet."""

    person: Person
    token: str
    links: list[str]
    random: random.Random
    withdrawn: list[str] = field(default_factory=list)
    acknowledged: Counter[str] = field(default_factory=Counter)
    numbers: "count[int]" = field(default_factory=lambda: count(FIRST_NUMBER, ROWS))

    async def turn(self) -> None:
        (act,) = self.random.choices(list(TURNS), list(TURNS.values()))
        name = act.__name__
        answer = await act(self)
        if answer is not None and answer.status < 400:
            self.acknowledged[name] += 1
        await asyncio.sleep(0.5 + 2 * self.random.random())

    async def call(self, path: str, value: object = None, *, body: bytes = b"", content: str = "") -> Answer | None:
        """A request to the API; without anything to send, a GET."""
        sent = body or (b"" if value is None else json.dumps(value).encode())
        kind = content or "application/json"
        visitor, verb = self.person.visitor, "POST" if sent else "GET"
        headers = f"Authorization: Bearer {self.token}\r\n"
        if sent:
            headers += f"Content-Type: {kind}\r\nContent-Length: {len(sent)}\r\n"
        return await self.person._asked(path, visitor._ask(visitor._head(verb, path, headers) + sent))


async def import_file(lead: Lead) -> Answer | None:
    rows = samples(ROWS, next(lead.numbers), brief=True)
    body = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path = f"/api/v1/projects/{SLUG}/imports/?checks=false&file_name=more.jsonl"
    return await lead.call(path, body=body, content="application/jsonl")


async def make_release(lead: Lead) -> Answer | None:
    state = lead.random.choice(["accepted", "any"])
    return await lead.call(f"/api/v1/projects/{SLUG}/releases/", {"state": state, "note": "made in a soak"})


async def release_cases(lead: Lead) -> Answer | None:
    return await lead.person.post(f"/p/{CASES}/releases/", state="any", licence="CC0-1.0")


async def start_run(lead: Lead) -> Answer | None:
    asked = {"purpose": "preannotate", "endpoint": "model", "limit": 20, "budget": BUDGET}
    answer = await lead.call(f"/api/v1/projects/{SLUG}/runs/", asked)
    if answer is None or answer.status != 201:
        return answer
    run = json.loads(answer.body)["id"]
    return await lead.call(f"/api/v1/projects/{SLUG}/runs/{run}/start/", {})


async def act_on_many(lead: Lead) -> Answer | None:
    """One of the bulk actions, on all items that are in one state and were imported with one priority."""
    verb, state, fields = lead.random.choice(BULK)
    filters = f"state={state}&priority={lead.random.choice([0, 0, 3])}"
    return await lead.person.post(f"/p/{SLUG}/items/bulk/", verb=verb, scope="all", filter=filters, sure="1", **fields)


async def withdraw(lead: Lead) -> Answer | None:
    """A participant takes everything back that they reported."""
    if not lead.links:
        return None
    own = lead.links[-1]
    answer = await lead.person.post(f"{own}withdraw/", sure="1")
    if answer is not None and answer.status < 400:
        lead.withdrawn.append(lead.links.pop())
    return answer


BULK: list[tuple[str, str, dict[str, str]]] = [
    ("priority", "ready", {"priority": "3"}),
    ("priority", "ready", {"priority": "0"}),
    ("requeue", "reviewing", {"note": "again"}),
    ("restore", "dropped", {"note": "after all"}),
    ("reopen", "accepted", {"note": "once more"}),
]
TURNS: dict[Callable[[Lead], Awaitable[Answer | None]], float] = {
    import_file: 0.25,
    make_release: 0.2,
    start_run: 0.2,
    act_on_many: 0.2,
    withdraw: 0.1,
    release_cases: 0.05,
}
