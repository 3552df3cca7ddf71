"""The address `simulated`: wherever the simulated model of this installation answers at the moment.

A simulated model writes its base URL into DATA_DIR when it starts and removes it when it ends, so that an endpoint can
name it whatever port it got.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings

NAME = "simulated"
FILE = "simulated-model"  # in DATA_DIR; holds the base URL
LOOPBACK = re.compile(r"http://127\.0\.0\.1:\d{1,5}/v1")
STARTED_BY = "`make run`, or `manage.py simulated_model` in a terminal of its own"
_of_this_process: list[str] = []


class NotRunning(ConnectionError):
    """An endpoint names the simulated model, and none answers in this installation."""

    def __init__(self) -> None:
        super().__init__(f"The simulated model is not running: start it with {STARTED_BY}.")


def resolve(base_url: str) -> str:
    """The base URL to call: that of the running model for `simulated`, any other as it is. Raises NotRunning."""
    if base_url != NAME:
        return base_url
    if _of_this_process:
        return _of_this_process[-1]
    address = _read()
    if not LOOPBACK.fullmatch(address):
        raise NotRunning
    return address


def _read() -> str:
    """What stands in the file; empty where there is none."""
    try:
        return _file().read_text("utf-8").strip()
    except OSError:
        return ""


@contextmanager
def announced(base_url: str, folder: Path | None = None) -> Iterator[None]:
    """While the context lasts, `simulated` is this address: in this process first, and for all of the installation.

    folder: DATA_DIR of the installation, where it is not this process's own. The newest model is the one that is found;
    an older one leaves the file of a newer one alone.
    """
    file = folder / FILE if folder else _file()
    written = file.with_name(f"{FILE}.{os.getpid()}")
    written.write_text(base_url, "utf-8")
    written.replace(file)
    _of_this_process.append(base_url)
    try:
        yield
    finally:
        _of_this_process.remove(base_url)
        with suppress(FileNotFoundError):
            if file.read_text("utf-8") == base_url:
                file.unlink()


def _file() -> Path:
    return Path(settings.DATA_DIR) / FILE
