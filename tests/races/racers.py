"""People who run at the same time: several processes with a thread per person, inside one installation."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from tests.support.installation import ROOT, Installation

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
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    answers = [_run(racer) for racer in _all_off(racers)]
    return [received for answer in answers for received in answer]


def _start(installation: Installation, runs: Sequence[Run]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.races.racer", json.dumps([asdict(run) for run in runs])],
        cwd=ROOT,
        env=installation.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _all_off(racers: list[subprocess.Popen[str]]) -> list[subprocess.Popen[str]]:
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    return racers


def _run(racer: subprocess.Popen[str]) -> list[dict[str, Any]]:
    said, _errors = racer.communicate()
    assert racer.returncode == 0, said
    return json.loads(said)
