"""People who run at the same time: several processes with a thread per person, inside one installation."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TextIO

from tests.support import fork_server
from tests.support.installation import Installation

PROCESSES = 4


@dataclass(frozen=True)
class Run:
    """One person and the action of tests/races/actions.py that they perform."""

    person: str
    action: str
    values: dict[str, Any] = field(default_factory=dict)


def everybody(people: Sequence[str], action: str, **values: Any) -> list[Run]:
    return [Run(person, action, values) for person in people]


def race(installation: Installation, runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Let everybody run at once; gives what they say they received. Nobody starts before all are ready.

    An error in one of them fails the test.
    """
    shares = [runs[start::PROCESSES] for start in range(PROCESSES) if runs[start::PROCESSES]]
    racers = [_start(installation, share) for share in shares]
    for _racer, _signal, answers in racers:
        assert answers.readline() == "ready\n"
    for _racer, signal, _answers in racers:
        signal.write("go\n")
        signal.flush()
    return [received for racer in racers for received in _received(racer)]


Racer = tuple[fork_server.Forked, TextIO, TextIO]


def _start(installation: Installation, runs: Sequence[Run]) -> Racer:
    command = ["-m", "tests.races.racer", json.dumps([asdict(run) for run in runs])]
    return fork_server.piped(command, installation.environment)


def _received(racer: Racer) -> list[dict[str, Any]]:
    process, signal, answers = racer
    with signal, answers:
        text = answers.read()
    assert process.wait() == 0, text
    return json.loads(text)
