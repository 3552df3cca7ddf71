"""Commands of installations in a moment: a process that has imported the large libraries forks for each of them.

Half of the time of a command is spent on importing numpy, scipy, openai and the like, which hold no state of an
installation. A fork has its own environment, its own settings and its own database, as a new process has. What is to be
killed, or has to be timed, is a process of its own: see tests/support/operation.py and tests/faults/workers.py.
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

ROOT = Path(__file__).resolve().parents[2]
# None of these reads Django's settings when it is imported.
LIBRARIES = (
    *("numpy", "scipy.stats", "scipy.special", "scipy.optimize", "openai", "aiohttp", "celery", "kombu", "pydantic"),
    *("django.core.management", "django.db.models", "django.forms", "django.template", "django.views.generic"),
    *("markdown_it", "nh3", "pygments", "pygments.formatters", "diff_match_patch", "regex", "lib.stats.figures"),
)
LONGEST = 2**20  # bytes of a request
_servers: list[subprocess.Popen[bytes]] = []  # so that their standard input stays open


class Forked:
    """A running command, with the part of subprocess.Popen that tests need."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection, self.lines = connection, connection.makefile()
        self.pid = int(self.lines.readline())

    def send_signal(self, which: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, which)

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, negative for a signal. Raises TimeoutError."""
        self.connection.settimeout(timeout)
        with self.connection, self.lines:
            return int(self.lines.readline() or -signal.SIGKILL)


def run(
    arguments: Sequence[str], environment: Mapping[str, str], timeout: float | None = None
) -> subprocess.CompletedProcess[str]:
    """As subprocess.run(["python", *arguments], cwd=ROOT, capture_output=True, text=True). Raises TimeoutError."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors, Path(os.devnull).open() as nothing:
        forked = start(arguments, environment, (nothing.fileno(), out.fileno(), errors.fileno()))
        code = forked.wait(timeout)
        texts = [file.read().decode() for file in (out, errors) if file.seek(0) == 0]
    return subprocess.CompletedProcess([*arguments], code, *texts)


def start(arguments: Sequence[str], environment: Mapping[str, str], files: Sequence[int]) -> Forked:
    """files: descriptors of its standard input, output and errors."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(_server(os.getpid()))
    request = json.dumps([list(arguments), dict(environment)]).encode()
    connection.sendmsg([request + b"\n"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))])
    return Forked(connection)


@cache
def _server(_process: int) -> str:
    """The address of this process's server, which ends with it, also where it is killed."""
    address = str(Path(tempfile.mkdtemp(prefix="fork-server-")) / "socket")
    environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.support.fork_server", address],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert server.stdout is not None
    server.stdout.readline()  # it listens
    _servers.append(server)
    return address


# The server.


def main() -> None:
    for name in LIBRARIES:
        import_module(name)
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
                    _serve(connection)
                os._exit(0)
            connection.close()
    shutil.rmtree(Path(sys.argv[1]).parent)


def _serve(connection: socket.socket) -> None:
    """Fork once more, say its number, and then how it ended.

    The child leaves by SystemExit, or by the error that a command raised.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    arguments, environment, files = _received(connection)
    child = os.fork()
    if child == 0:
        connection.close()
        _become(arguments, environment, files)
    connection.sendall(f"{child}\n".encode())
    for file in files:
        os.close(file)
    _child, status = os.waitpid(child, 0)
    connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())


def _received(connection: socket.socket) -> tuple[list[str], dict[str, str], list[int]]:
    content, ancillary, _flags, _address = connection.recvmsg(LONGEST, socket.CMSG_SPACE(3 * 4))
    files = array.array("i")
    for _level, _sort, data in ancillary:
        files.frombytes(data)
    while not content.endswith(b"\n"):
        content += connection.recv(LONGEST)
    arguments, environment = json.loads(content)
    return arguments, environment, list(files)


def _become(arguments: list[str], environment: dict[str, str], files: Sequence[int]) -> None:
    """Be the process that `python <arguments>` would have started, up to the end of the interpreter."""
    for target, file in enumerate(files):
        os.dup2(file, target)
        os.close(file)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = [folder for folder in environment.get("PYTHONPATH", "").split(os.pathsep) if folder not in sys.path]
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        runpy.run_path(arguments[0], run_name="__main__")
    sys.exit()


if __name__ == "__main__":
    main()
