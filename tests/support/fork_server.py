"""Programs of installations in a moment: a process that has loaded the application forks for each of them.

Most of the time of a command is spent on importing Django, numpy, openai and the application itself. A fork has its own
environment, its own settings and its own database, as a new process has: settings are read anew, and where one of them
differs that was read while the application was loaded, the fork becomes a new process after all.
What has to be timed is started as an installation starts it, see Installation.serve.
"""

import array
import gc
import json
import os
import runpy
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from select import select
from typing import Any, TextIO

from tests.support.environments import ROOT, ordinary

LIBRARIES = (
    *("numpy", "scipy.stats", "scipy.special", "scipy.optimize", "openai", "aiohttp", "pydantic"),
    *("markdown_it", "nh3", "pygments", "pygments.formatters", "diff_match_patch", "regex", "lib.stats.figures"),
)
# As scripts/supervise.py loads them, but for config.wsgi: that holds the files of one installation.
APPLICATION = (
    *("config.urls", "config.worker", "config.clock", "config.broker", "annotate.tasks", "whitenoise.middleware"),
    *("celery.apps.beat", "celery.apps.worker", "celery.bin.celery", "celery.concurrency.prefork"),
    *("gunicorn.app.wsgiapp", "django.core.handlers.wsgi"),
)
RENEWED = {"DATABASES", "LOGGING"}  # what has read these is renewed in each process
LONGEST = 2**20  # bytes of a request
_servers: list[subprocess.Popen[bytes]] = []  # so that their standard input stays open


class Forked:
    """A running command, with the part of subprocess.Popen that tests need."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection, self.lines = connection, connection.makefile()
        self.pid = int(self.lines.readline())
        self.returncode: int | None = None

    def send_signal(self, which: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, which)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def poll(self) -> int | None:
        """Its exit code; None while it runs."""
        return self.wait() if self.returncode is not None or select([self.connection], [], [], 0)[0] else None

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, negative for a signal. Raises TimeoutError."""
        if self.returncode is None:
            if not select([self.connection], [], [], timeout)[0]:
                raise TimeoutError(f"process {self.pid} still runs after {timeout} s")
            with self.connection, self.lines:
                self.returncode = int(self.lines.readline() or -signal.SIGKILL)
        return self.returncode


def run(
    arguments: Sequence[str], environment: Mapping[str, str], timeout: float | None = None
) -> subprocess.CompletedProcess[str]:
    """As subprocess.run(["python", *arguments], cwd=ROOT, capture_output=True, text=True). Raises TimeoutError."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors, Path(os.devnull).open() as nothing:
        forked = start(arguments, environment, (nothing.fileno(), out.fileno(), errors.fileno()))
        code = forked.wait(timeout)
        texts = [file.read().decode() for file in (out, errors) if file.seek(0) == 0]
    return subprocess.CompletedProcess([*arguments], code, *texts)


def start(
    arguments: Sequence[str], environment: Mapping[str, str], files: Sequence[int], *, group: bool = False
) -> Forked:
    """files: descriptors of its standard input, output and errors. group: whether it leads a process group."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(_server(os.getpid()))
    request = json.dumps([list(arguments), dict(environment), group]).encode()
    connection.sendmsg([request + b"\n"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))])
    return Forked(connection)


def piped(arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[Forked, TextIO, TextIO]:
    """The command, and the other ends of its standard input and output; its errors are those of the tests."""
    (theirs_in, ours_in), (ours_out, theirs_out) = os.pipe(), os.pipe()
    files = theirs_in, theirs_out, sys.__stderr__.fileno() if sys.__stderr__ else theirs_out
    forked = start(arguments, environment, files)
    os.close(theirs_in)
    os.close(theirs_out)
    return forked, os.fdopen(ours_in, "w", encoding="utf-8"), os.fdopen(ours_out, encoding="utf-8")


@cache
def _server(_process: int) -> str:
    """The address of this process's server, which ends with it, also where it is killed."""
    folder = Path(tempfile.mkdtemp(prefix="fork-server-"))
    address = str(folder / "socket")
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.support.fork_server", address],
        cwd=ROOT,
        env=ordinary(folder, "sqlite://:memory:"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert server.stdout is not None
    server.stdout.readline()  # it listens
    _servers.append(server)
    return address


# The server.


def main() -> None:
    loaded_with = load()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that serve a request
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(sys.argv[1])
        listener.listen(64)
        gc.freeze()  # what is shared stays shared
        sys.stdout.write("listening\n")
        sys.stdout.flush()
        while sys.stdin not in select([listener, sys.stdin], [], [])[0]:  # it ends with whoever holds the other end
            connection, _address = listener.accept()
            if os.fork() == 0:
                listener.close()
                with suppress(BrokenPipeError):
                    _serve(connection, loaded_with)
                os._exit(0)
            connection.close()
    shutil.rmtree(Path(sys.argv[1]).parent)


def load() -> dict[str, Any]:
    """Load the application without opening anything. Returns the settings that were read meanwhile, name -> value."""
    from django.conf import LazySettings, settings

    names, plain = {"TIME_ZONE"}, LazySettings.__getattr__

    def noted(lazy: LazySettings, name: str) -> Any:
        names.add(name)
        return plain(lazy, name)

    LazySettings.__getattr__ = noted  # type: ignore[method-assign]
    gc.disable()
    for name in LIBRARIES:
        import_module(name)
    import_module("django").setup()
    for name in APPLICATION:
        import_module(name)
    _prepare()
    gc.enable()
    LazySettings.__getattr__ = plain  # type: ignore[method-assign]
    return {name: getattr(settings, name, None) for name in names - RENEWED}


def _prepare() -> None:
    """What every process does before it answers: addresses, templates, translations. Passwords of tests are cheap."""
    from django.contrib.auth.hashers import PBKDF2PasswordHasher
    from django.core.management import get_commands
    from django.template import engines
    from django.urls import get_resolver
    from django.utils import translation

    PBKDF2PasswordHasher.iterations = 1_000
    get_commands()
    for language in ("en", "zh-hans"):
        with translation.override(language):
            get_resolver()._populate()
    for engine in engines.all():
        for folder in engine.template_dirs:
            for path in Path(folder).rglob("*.html"):
                engine.get_template(str(path.relative_to(folder)))


def _serve(connection: socket.socket, loaded_with: Mapping[str, Any]) -> None:
    """Fork once more, say its number, and then how it ended.

    The child leaves by SystemExit, or by the error that a command raised.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    arguments, environment, group, files = _received(connection)
    child = os.fork()
    if group:  # both, so that it leads its group before anybody knows it
        with suppress(PermissionError, ProcessLookupError):
            os.setpgid(child, child)
    if child == 0:
        connection.close()
        _become(arguments, environment, files, loaded_with)
    connection.sendall(f"{child}\n".encode())
    for file in files:
        os.close(file)
    _child, status = os.waitpid(child, 0)
    connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())


def _received(connection: socket.socket) -> tuple[list[str], dict[str, str], bool, list[int]]:
    content, ancillary, _flags, _address = connection.recvmsg(LONGEST, socket.CMSG_SPACE(3 * 4))
    files = array.array("i")
    for _level, _sort, data in ancillary:
        files.frombytes(data)
    while not content.endswith(b"\n"):
        content += connection.recv(LONGEST)
    arguments, environment, group = json.loads(content)
    return arguments, environment, group, list(files)


def _become(
    arguments: list[str], environment: dict[str, str], files: Sequence[int], loaded_with: Mapping[str, Any]
) -> None:
    """Be the process that `python <arguments>` would have started, up to the end of the interpreter."""
    for target, file in enumerate(files):
        os.dup2(file, target)
        os.close(file)
    os.environ.clear()
    os.environ.update(environment)
    if not _is_loaded(loaded_with):
        os.execve(sys.executable, [sys.executable, *arguments], environment)
    sys.path[:0] = [folder for folder in environment.get("PYTHONPATH", "").split(os.pathsep) if folder not in sys.path]
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        runpy.run_path(arguments[0], run_name="__main__")
    sys.exit()


def _is_loaded(loaded_with: Mapping[str, Any]) -> bool:
    """Read the settings anew; whether the application would have been loaded alike with them."""
    from django.conf import settings
    from django.db import connections

    from annotate.engine import concurrency

    if os.environ.get("DJANGO_SETTINGS_MODULE") != "config.settings":
        return False
    names = set(filter(str.isupper, vars(sys.modules.pop("config.settings"))))
    try:
        module = import_module("config.settings")
    except Exception:  # a new process says what is wrong with them
        return False
    for name in names - set(vars(module)):  # that only this environment leaves out
        delattr(settings, name)
    for name in filter(str.isupper, vars(module)):
        setattr(settings, name, getattr(module, name))
    os.environ["TZ"] = settings.TIME_ZONE  # as Django does when it reads settings
    connections.__dict__.pop("settings", None)
    connections._settings = None
    with suppress(AttributeError):
        del connections["default"]
    concurrency.mark.renew()  # as in scripts/supervise.py
    return all(getattr(settings, name, None) == value for name, value in loaded_with.items())


if __name__ == "__main__":
    main()
