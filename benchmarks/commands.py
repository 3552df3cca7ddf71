"""A command of manage.py as a process of its own: how long it takes and how much memory it needs."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tests.support.installation import ROOT, Installation


@dataclass(frozen=True)
class Ran:
    """seconds: from start to end, Python's start included. peak: most resident memory, in MB. processor: s of CPU."""

    seconds: float
    peak: float
    said: str
    processor: float


def run(place: Installation, *arguments: str | Path) -> Ran:
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "manage.py", *map(str, arguments)],
        cwd=ROOT,
        env=place.environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    said = process.stdout.read()
    _pid, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"manage.py {' '.join(map(str, arguments))}: {process.returncode}\n{said}")
    return Ran(time.perf_counter() - began, used.ru_maxrss / 1024, said, used.ru_utime + used.ru_stime)
