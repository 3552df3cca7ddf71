"""supervisord as `make run` starts it. The programs come out of one process that has loaded the application already.

A program of Python is not started anew: it continues in the process that supervisord forks for it. What all of them
load is in memory once, and a program that was killed is back at once. Changed code is loaded by the next `make run`.

By itself supervisord notices a signal, and the end of a program, up to a second late. Somebody waits for it at Ctrl+C,
so it looks ten times a second.
"""

import atexit
import gc
import os
import runpy
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from supervisor import poller, supervisord
from supervisor.options import ServerOptions

from annotate.engine import concurrency

LONGEST = 0.1  # seconds
# What the programs use: pages and their addresses, tasks, and what celery and gunicorn load late.
LOADED = (
    "config.wsgi",
    "config.urls",
    "config.worker",
    "config.clock",
    "config.broker",
    "annotate.tasks",
    "annotate.management.commands.simulated_model",
    "celery.app.amqp",
    "celery.app.events",
    "celery.app.log",
    "celery.apps.beat",
    "celery.apps.worker",
    "celery.bin.celery",
    "celery.concurrency.prefork",
    "gunicorn.app.wsgiapp",
)


class AttentivePoller(poller.Poller):  # type: ignore[misc]  # supervisor has no types
    def poll(self, timeout: float) -> Any:
        return super().poll(min(timeout, LONGEST))


class ForkingOptions(ServerOptions):  # type: ignore[misc]
    """Runs programs of this Python in the forked process; others are started as usual."""

    def execve(self, filename: str, argv: Sequence[str], env: Mapping[str, str]) -> None:
        script = script_of(argv)
        if script is None:
            super().execve(filename, argv, env)
        os.environ.clear()
        os.environ.update(env)
        with suppress(OSError):  # only Linux has it
            Path("/proc/self/comm").write_text(env["SUPERVISOR_PROCESS_NAME"])
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            with suppress(OSError, ValueError):  # those that the C library keeps for itself
                signal.signal(number, signal.SIG_DFL)
        concurrency.mark.renew()  # or one program that is told to stop would stop the work of all others, for good
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # as Python does at its start
        os._exit(run(script))


def script_of(argv: Sequence[str]) -> list[str] | None:
    """The arguments of a program that this Python runs, its file first; None for other programs."""
    beside = Path(sys.executable).parent
    if Path(argv[0]) == beside / "python":
        return list(argv[1:])
    path = Path(argv[0])
    is_ours = path.parent == beside and path.read_bytes().startswith(b"#!") and b"python" in path.read_bytes()[:200]
    return list(argv) if is_ours else None


def run(script: Sequence[str]) -> int:
    """Runs it to its end. Returns the code with which its process ends."""
    sys.argv[:] = script
    code = 0
    try:
        runpy.run_path(script[0], run_name="__main__")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:  # as Python itself does with what nobody caught
        sys.excepthook(*sys.exc_info())
        code = 1
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    return code


def load() -> None:
    """Loads the application, without opening anything, and leaves what is loaded alone for good."""
    for name in LOADED:
        import_module(name)
    gc.collect()
    gc.freeze()


def main(options: Sequence[str]) -> None:
    """Runs supervisord with these options until it is told to stop."""
    poller.Poller = AttentivePoller
    supervisord.ServerOptions = ForkingOptions
    load()
    supervisord.main(options)


if __name__ == "__main__":
    main(sys.argv[1:])
