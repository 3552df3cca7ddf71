"""What is broken during a soak, in an order that the seed decides, and how often each of it happened."""

import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event

import psutil

from tests.soak.servers import Servers, frozen, kill, locked

PROGRAMS = ("web", "worker", "engine", "clock")
FORWARD = 2 * 3600.0  # seconds that the clock leaps ahead: further than any lease
MISBEHAVIOURS = ("server_error", "never_answers", "resets", "resets_midway", "rate_limited", "truncates", "prose")


@dataclass
class Chaos:
    """pause: seconds between the end of a fault and the beginning of the next, on average."""

    servers: Servers
    random: random.Random
    pause: float
    over: Event
    done: Counter[str] = field(default_factory=Counter)

    def run(self) -> None:
        """One fault after the other, until it is over; everything is put right at the end."""
        faults = [fault for fault in FAULTS if self._is_possible(fault)]
        while not self.over.wait(self.random.expovariate(1 / self.pause)):
            fault = self.random.choice(faults)
            self.done[fault(self)] += 1
        self.servers.clock(0)

    def _is_possible(self, fault: "Fault") -> bool:
        if fault in (restart_database, freeze_database, lose_database):
            return self.servers.postgres is not None
        if fault is lock_database:
            return self.servers.postgres is None
        return self.servers.broker is not None or fault not in (restart_broker, freeze_broker, lose_broker)

    def while_it_lasts(self, longest: float = 4.0) -> None:
        """Time passes, from half a second to `longest`."""
        time.sleep(self.random.uniform(0.5, longest))


Fault = Callable[[Chaos], str]


def kill_program(chaos: Chaos) -> str:
    """With all its children, as when the memory runs out."""
    name = chaos.random.choice(PROGRAMS)
    kill(chaos.servers.family(name)[::-1])
    return f"kill {name}"


def kill_one_process(chaos: Chaos) -> str:
    """One child of a program; the program itself goes on."""
    name = chaos.random.choice(PROGRAMS[:3])
    children = chaos.servers.family(name)[1:]
    if children:
        kill([chaos.random.choice(children)])
    return f"kill a process of {name}"


def freeze_program(chaos: Chaos) -> str:
    name = chaos.random.choice(PROGRAMS)
    with frozen(chaos.servers.family(name)):
        chaos.while_it_lasts()
    return f"freeze {name}"


def restart_database(chaos: Chaos) -> str:
    """In order, or as when its machine loses power; it stays away for a while."""
    assert chaos.servers.postgres is not None
    mode = chaos.random.choice(["fast", "immediate"])
    chaos.servers.postgres.stop(mode)
    chaos.while_it_lasts()
    chaos.servers.postgres.start()
    return f"restart the database ({mode})"


def freeze_database(chaos: Chaos) -> str:
    with frozen(chaos.servers.database_processes()):
        chaos.while_it_lasts()
    return "freeze the database"


def lock_database(chaos: Chaos) -> str:
    with locked(chaos.servers.installation.folder / "touchstone.sqlite3"):
        chaos.while_it_lasts()
    return "lock the database"


def lose_database(chaos: Chaos) -> str:
    """As when the network is gone: it does not answer, and in the end all connections are dead."""
    assert chaos.servers.postgres is not None
    with frozen(chaos.servers.database_processes()):
        chaos.while_it_lasts()
    chaos.servers.postgres.stop("immediate")
    chaos.servers.postgres.start()
    return "lose the database"


def restart_broker(chaos: Chaos) -> str:
    assert chaos.servers.broker is not None
    chaos.servers.broker.restart(chaos.random.uniform(0.2, 3.0))
    return "restart the broker"


def freeze_broker(chaos: Chaos) -> str:
    assert chaos.servers.broker is not None
    chaos.servers.broker.process.send_signal(signal.SIGSTOP)
    chaos.while_it_lasts()
    chaos.servers.broker.process.send_signal(signal.SIGCONT)
    return "freeze the broker"


def lose_broker(chaos: Chaos) -> str:
    """Frozen, and then not the same any more: connections that stood still are dead."""
    assert chaos.servers.broker is not None
    chaos.servers.broker.process.send_signal(signal.SIGSTOP)
    chaos.while_it_lasts()
    chaos.servers.broker.restart(0)
    return "lose the broker"


def break_the_model(chaos: Chaos) -> str:
    what = chaos.random.choice(MISBEHAVIOURS)
    chaos.servers.model.misbehave(what, times=chaos.random.randint(1, 12))
    return f"model: {what}"


def freeze_model(chaos: Chaos) -> str:
    """It accepts calls, and answers them late."""
    assert chaos.servers.model.process is not None
    with frozen([psutil.Process(chaos.servers.model.process.pid)]):
        chaos.while_it_lasts()
    return "freeze the model"


def leap_ahead(chaos: Chaos) -> str:
    """The clock leaps two hours ahead and back: leases run out early, and are then too long."""
    chaos.servers.clock(FORWARD)
    chaos.while_it_lasts()
    chaos.servers.clock(0)
    return "leap of the clock"


FAULTS: list[Fault] = [
    kill_program,
    kill_one_process,
    freeze_program,
    restart_database,
    freeze_database,
    lose_database,
    lock_database,
    restart_broker,
    freeze_broker,
    lose_broker,
    break_the_model,
    freeze_model,
    leap_ahead,
]
