"""One soak: people, leads and faults for so many seconds, then rest, then the two proofs."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from tests.soak import checker
from tests.soak.checker import Stored
from tests.soak.faults import Chaos
from tests.soak.history import History
from tests.soak.leads import Lead
from tests.soak.people import Person, annotate, review
from tests.soak.scene import SLUG, Scene, make_scene
from tests.soak.servers import Broker, Servers, silent_mail_server
from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.model_server import ModelServer, running_model_server
from tests.support.operation import Operation, operated
from tests.support.visitors import Visitor, sessions, together

BETWEEN_FAULTS = 4.0  # seconds, on average
BUSY = 1.5  # seconds that a person needs for an item, on average
ITEMS_A_PERSON_A_MINUTE = 20
REST = 900.0  # seconds within which all that was begun is finished


@dataclass
class Report:
    """What happened in a soak, and every violation that was found."""

    database: str
    seconds: float
    seed: int
    violations: list[str]
    requests: int
    statuses: dict[int, int]
    operations: dict[str, int]
    leads: dict[str, int]
    faults: dict[str, int]
    tables: dict[str, int]
    calls: dict[str, int] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        return not self.violations

    def as_json(self) -> dict[str, Any]:
        return {"ok": self.holds, **vars(self)}

    def as_text(self) -> str:
        lines = [f"{self.database}, {self.seconds:.0f} s, seed {self.seed}: {len(self.violations)} violations"]
        for name in ("statuses", "operations", "leads", "faults", "tables", "calls"):
            counts = ", ".join(f"{key} {count:,}" for key, count in getattr(self, name).items())
            lines.append(f"  {name}: {counts}")
        return "\n".join([*lines, *(f"  ! {violation}" for violation in self.violations)])


def soak(installations: Installations, database: str, *, seconds: float, people: int, seed: int) -> Report:
    """Runs it, and says what was found."""
    chance = random.Random(seed)
    with ExitStack() as opened:
        model = opened.enter_context(running_model_server("--latency=0.1", f"--seed={seed}"))
        broker = Broker() if database == "postgres" else None
        environment = {"DJANGO_SETTINGS_MODULE": "tests.soak.settings", "ALLOWED_HOSTS": "127.0.0.1,testserver"}
        environment["EMAIL_URL"] = opened.enter_context(silent_mail_server())
        if broker:
            opened.callback(broker.close)
            environment["CELERY_BROKER_URL"] = broker.url
        installation = opened.enter_context(installations.migrated(database, **environment))
        items = round(people * ITEMS_A_PERSON_A_MINUTE * seconds / 60)
        scene = make_scene(installation, people=people, items=items, model=model.base_url)
        operation = opened.enter_context(operated(installation))
        postgres = installations.postgres() if database == "postgres" else None
        servers = Servers(installation, operation, model, postgres, broker)
        over = Event()
        chaos = Chaos(servers, chance, BETWEEN_FAULTS, over)
        crowd = Crowd(installation, scene, seconds, seed)
        together(crowd.work(chaos))
        wait_for_rest(installation, operation)
        return _report(database, seconds, seed, installation, scene, crowd, chaos, model)


class Crowd:
    """All people of a soak and what they were told."""

    def __init__(self, installation: Installation, scene: Scene, seconds: float, seed: int) -> None:
        self.history, self.seconds = History(), seconds
        keys = sessions(installation, [*scene.annotators, *scene.reviewers, "lead0"])

        def person(name: str) -> Person:
            visitor = Visitor.of(installation, keys[name])
            return Person(name, visitor, self.history, random.Random(f"{seed}/{name}"), BUSY)

        self.annotators = [person(name) for name in scene.annotators]
        self.reviewers = [person(name) for name in scene.reviewers]
        self.lead = Lead(person("lead0"), scene.token, list(scene.links), random.Random(f"{seed}/lead"))

    async def work(self, chaos: Chaos) -> None:
        """Everybody at once, beside the faults, until the time is over."""
        until = time.monotonic() + self.seconds
        breaking = asyncio.create_task(asyncio.to_thread(chaos.run))
        turns: list[Callable[[], Awaitable[None]]] = [
            *((lambda each=each: annotate(each, SLUG)) for each in self.annotators),
            *((lambda each=each: review(each, SLUG)) for each in self.reviewers),
            self.lead.turn,
        ]
        try:
            await asyncio.gather(*(_again_and_again(turn, until) for turn in turns))
        finally:
            chaos.over.set()
            await breaking
        for each in (*self.annotators, *self.reviewers, self.lead.person):
            await each.visitor.leave()


async def _again_and_again(turn: Callable[[], Awaitable[None]], until: float) -> None:
    while time.monotonic() < until:
        await turn()


def wait_for_rest(installation: Installation, operation: Operation) -> None:
    """Until every import, release, run and erasure that was begun is over. Paused runs are left as they are.

    What is withdrawn is looked through once more a minute later, for what was being written. Here, nobody writes.
    """
    installation.python(HANG_UP)
    until = time.monotonic() + REST
    while waiting := installation.python(WAITING):
        if time.monotonic() > until:
            log = (installation.folder / "operation.log").read_text(errors="replace")[-4000:]
            family = [
                f"{process.name()} {process.pid} {process.status()} {process.cpu_times().user:.1f} s"
                for process in operation.supervisor.children(recursive=True)
            ]
            raise AssertionError(f"not finished after {REST:.0f} s: {waiting}\n{family}\n{log}")
        if set(waiting) == {"erase_withdrawn"}:
            installation.python(SETTLED)
        time.sleep(0.5)


HANG_UP = """
from django.db import connection
connection.close()  # of this console, which has noticed nothing of the restarts
if connection.vendor == "postgresql":
    connection.close_pool()
result = None
"""
WAITING = """
from annotate.engine import chores
every = {name: chore.leases for name, chore in chores.all_chores().items()}
open_rows = {name: leases.model.objects.filter(leases.unfinished).count() for name, leases in every.items()}
open_rows["runs"] = Run.objects.filter(state__in=["planning", "running"]).count()
result = {name: count for name, count in open_rows.items() if count}
"""
SETTLED = """
from datetime import timedelta
from django.utils.timezone import now
a_minute_ago = now() - timedelta(minutes=1)
Withdrawal.objects.filter(ended_at=None, created_at__gt=a_minute_ago).update(created_at=a_minute_ago)
result = None
"""
AUDIT = """
from tests.soak.audit import violations
result = violations()
"""
STORED = """
texts = Annotation.objects.filter(slot__project__slug=slug, author__isnull=False)
result = [
    [text.slot_id, text.author.username, text.draft.get("feedback", ""), text.submitted_at is not None,
     [aside.draft.get("feedback", "") for aside in text.set_aside.all()]]
    for text in texts.select_related("author").prefetch_related("set_aside")
]
"""
TABLES = """
from annotate.models import Event
tables = {"items": Item, "slots": Slot, "annotations": Annotation, "events": Event, "runs": Run, "calls": Call,
          "releases": Release, "imports": Batch}
result = {name: table.objects.count() for name, table in tables.items()}
"""
LEDGER = """
result = {"ledger": Call.objects.count(), "read": Call.objects.filter(cause="").count(),
          "open": Call.objects.filter(cause=None).count()}
"""
WORDS = """
from tests.support.withdrawn import search
result = [f"{place} holds “{word}” of a participant who has withdrawn" for word in words for place in search(word)]
"""


def _report(
    database: str,
    seconds: float,
    seed: int,
    installation: Installation,
    scene: Scene,
    crowd: Crowd,
    chaos: Chaos,
    model: ModelServer,
) -> Report:
    history = crowd.history
    stored = [Stored(*row) for row in installation.python(STORED, slug=SLUG)]
    calls = installation.python(LEDGER) | {"received": model.calls.requests}
    violations = [
        *history.unexpected,
        *checker.violations(history.operations, stored),
        *installation.python(AUDIT),
        *installation.python(WORDS, words=[scene.word_of(link) for link in crowd.lead.withdrawn]),
    ]
    if calls["received"] > calls["ledger"]:
        violations.append(f"the service received {calls['received']} calls, the ledger has {calls['ledger']}")
    outcomes = Counter({f"{verb} {told}": count for (verb, told), count in sorted(history.outcomes().items())})
    return Report(
        database,
        seconds,
        seed,
        violations,
        history.requests,
        dict(sorted(history.statuses.items())),
        dict(outcomes),
        dict(crowd.lead.acknowledged),
        dict(sorted(chaos.done.items())),
        installation.python(TABLES),
        calls,
    )
