"""The broker for an installation without a broker server: a file for each message, in the data folder.

Any process may be killed at any moment, and the others go on.
"""

import time
from contextlib import suppress
from pathlib import Path
from queue import Empty
from typing import Any
from uuid import uuid4

from kombu.transport import filesystem, virtual
from kombu.utils.json import dumps, loads

BETWEEN = 0.2  # seconds between two looks of a worker into the folder


class Channel(filesystem.Channel):
    """A message appears in the folder as a whole, and is removed before it is delivered.

    kombu's own channel writes into the file that others already read. It also keeps the names of the queues in files
    that it overwrites, and one that a killed process left half written makes every later ring fail. Here each process
    knows the queues by itself.
    """

    supports_fanout = False
    get_table = virtual.Channel.get_table
    _delete = virtual.Channel._delete

    def _put(self, queue: str, payload: Any, **_options: Any) -> None:  # type: ignore[override]  # as its base
        path = Path(self.data_folder_out) / f"{time.time_ns()}_{uuid4()}.{queue}.msg"
        unfinished = path.with_suffix(".new")
        unfinished.write_text(dumps(payload))
        unfinished.rename(path)

    def _get(self, queue: str, timeout: Any = None) -> Any:
        """The oldest message. A file that cannot be read, as a power cut may leave it, is removed and skipped."""
        for path in sorted(Path(self.data_folder_in).glob(f"*.{queue}.msg")):
            with suppress(FileNotFoundError, ValueError):  # another process was first, or it is no JSON
                content = path.read_bytes()
                path.unlink()
                return loads(content)
        raise Empty


class Transport(filesystem.Transport):
    """Workers look into the folder from their event loop, as they listen to a broker server.

    Without an event loop, Celery gives all children of a worker one pipe with a lock. A child that is killed while it
    waits for a task takes the lock along, and the worker lives on without ever working again.
    """

    Channel = Channel
    implements = filesystem.Transport.implements.extend(asynchronous=True, exchange_type=frozenset(["direct"]))

    def register_with_event_loop(self, connection: Any, loop: Any) -> None:
        loop.call_repeatedly(BETWEEN, self._deliver_waiting)

    def _deliver_waiting(self) -> None:
        """Deliver all messages for which the worker has a place."""
        cycle: Any = self.cycle
        with suppress(Empty):
            while True:
                cycle.get(self._deliver)
