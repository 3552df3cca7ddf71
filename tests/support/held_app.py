"""A WSGI application in which requests compute for as long as a test wants: the file of their name says until when."""

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from config.wsgi import LimitedApplication


def process_number(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """/NAME is held while there is a file NAME in the folder HELD.

    NAME.begun says in which process, each line of NAME.waiting how many waited behind it.
    """
    name = environ["PATH_INFO"].strip("/")
    folder = Path(os.environ["HELD"])
    number = str(os.getpid()).encode()
    if name:
        (folder / f"{name}.begun").write_bytes(number)
        while (folder / name).exists():
            with (folder / f"{name}.waiting").open("a") as lines:
                lines.write(f"{application.places.waiting}\n")
            time.sleep(0.01)
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(number)))])
    return [number]


application = LimitedApplication(process_number, places=int(os.environ["PLACES"]))
