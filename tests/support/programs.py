"""Programs of the system that tests start: found here, or the test says loudly why it cannot run."""

import os
import secrets
import socket
from contextlib import suppress
from pathlib import Path

import pytest

PORTS = range(10_000, 32_768)  # below those that Linux gives to clients


def program(pattern: str, package: str) -> str:
    """The newest path that matches a pattern such as /usr/lib/postgresql/*/bin/initdb."""
    found = sorted(Path("/").glob(pattern.lstrip("/")))
    if not found:
        _give_up(f"{pattern} is not installed: run scripts/system_packages as root, or install {package}")
    return str(found[-1])


def _give_up(reason: str) -> None:
    """Only somebody who cannot install packages may go on without; a server or root never may."""
    if os.environ.get("CI") == "true" or os.getuid() == 0:
        pytest.fail(reason, pytrace=False)
    pytest.skip(f"NOT TESTED, {reason}")


def free_port() -> int:
    """It is still free when a server that listened there comes back: the kernel gives it to no client meanwhile."""
    while True:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", secrets.choice(PORTS)))
            return probe.getsockname()[1]
