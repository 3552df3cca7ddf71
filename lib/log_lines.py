"""Log lines: the ids of the work in hand, and lines of JSON for programs that collect logs. Pure."""

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import partial

_ids: ContextVar[dict[str, str]] = ContextVar("ids", default={})  # noqa: B039  # never changed, only replaced


@contextmanager
def bound(**ids: object) -> Iterator[None]:
    """While the context lasts, log lines of this thread or task carry these ids beside those bound before."""
    release = bind(**ids)
    try:
        yield
    finally:
        release()


def bind(**ids: object) -> Callable[[], None]:
    """As `bound`, until the returned function is called. If nobody calls it, the ids stay until others replace them.

    Use this where the end is not certain. The garbage collector would end an abandoned `bound`, possibly while other
    ids are being set, and that crashes Python 3.11.
    """
    token = _ids.set(_ids.get() | {name: str(value) for name, value in ids.items()})
    return partial(_ids.reset, token)


def bound_ids() -> dict[str, str]:
    """name -> id, as `bound`; such as {"request": "4f1c…", "run": "12"}."""
    return dict(_ids.get())


class JsonLine(logging.Formatter):
    """One JSON object a line: time (UTC, ISO 8601), level, logger, message, the bound ids, and the traceback if any."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
            **bound_ids(),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        if record.stack_info:
            line["stack"] = self.formatStack(record.stack_info)
        return json.dumps(line, ensure_ascii=False, default=str)
