"""Start the demo on this machine: database, sample data, then web server, worker, clock and simulated model.

This process loads Django once. Each step is a command of manage.py in a forked process, which needs no second to start
and leaves no memory behind; then this process becomes the supervisor, out of which the programs are forked.
"""

import getpass
import json
import os
import socket
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from http.client import HTTPConnection, HTTPException
from importlib import import_module
from pathlib import Path
from typing import Any

import environ

from config.environment import KEPT_KEY, kept_key
from lib.simulated.server import DEFAULT_PORT, HOST, base_url
from scripts import compile_messages, supervise

ROOT = Path(__file__).resolve().parent.parent
STEPS = 6  # the first one, the packages, is in the Makefile
COLLECT = ["collectstatic", "--noinput", "--verbosity=0"]
MIGRATE = ["migrate", "--verbosity=0", "--skip-checks"]
SEED = ["seed_demo", "--json"]
STAMP = "static-collected"  # in DATA_DIR: which files were collected
# What the steps and the programs use; the addresses of pages are loaded later, when the files of the pages are there.
LOADED_FIRST = ("annotate.tasks", "annotate.management.commands.seed_demo")
LONGEST_START = 300  # seconds until the web server answers; 3 on a machine at rest


def main() -> None:
    os.chdir(ROOT)
    prepare_environment()
    web, model = reserved("PORT"), reserved_for_model()
    accounts = make_demo()
    port = model.getsockname()[1]
    os.environ["MODEL_PORT"] = str(port)
    # Held as long as the demo was in the making, so that nobody took them meanwhile.
    web.close()
    model.close()
    announce(summary(os.environ["SITE_URL"], base_url(port), accounts), int(os.environ["PORT"]))
    supervise.main(["--nodaemon", "--configuration", "config/supervisord-demo.conf"])


def prepare_environment() -> None:
    """What settings read, with answers for one person's machine where .env and the environment say nothing."""
    environ.Env.read_env(str(ROOT / ".env"))
    given = os.environ
    given.setdefault("DATA_DIR", str(ROOT / "var"))
    given.setdefault("PORT", "8000")
    given.setdefault("SITE_URL", f"http://127.0.0.1:{given['PORT']}")
    # Loopback without a certificate; a real installation leaves HTTPS at its default.
    given.setdefault("HTTPS", "false")
    # The lines of every run would push address and password out of sight.
    given.setdefault("LOG_LEVEL", "WARNING")
    folder = Path(given["DATA_DIR"])
    folder.mkdir(parents=True, exist_ok=True)
    given.setdefault("SECRET_KEY", kept_key(folder / KEPT_KEY))
    given["BIN"] = str(Path(sys.executable).parent)
    given["RUN_AS"] = getpass.getuser()
    given["PYTHONUNBUFFERED"] = "1"


def make_demo() -> dict[str, Any]:
    """Database and sample data, step by step. Returns what the last step says about the accounts.

    The files of the pages are collected and compressed meanwhile: a machine has two processors.
    """
    with step(2, "Load the application"):
        compile_messages.main()
        load()
    listed = static_files()
    stamp = Path(os.environ["DATA_DIR"]) / STAMP
    is_collected = stamp.exists() and stamp.read_text() == listed
    files = None if is_collected else Forked(COLLECT)
    with step(3, "Prepare the database"):
        Forked(MIGRATE).result()
    with step(4, "Load the sample data"):
        accounts = Forked(SEED).result()
    with step(5, "Collect the files of the pages"):
        if files:
            files.result()
            stamp.write_text(listed)
    return dict(json.loads(accounts))


@contextmanager
def step(number: int, name: str) -> Iterator[None]:
    """Says its name before, and the seconds it took after."""
    print(f"{number}/{STEPS} {name} … ", end="", flush=True)
    started = time.monotonic()
    yield
    print(f"{time.monotonic() - started:.1f} s", flush=True)


def load() -> None:
    import django
    from django.core.exceptions import ImproperlyConfigured

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        django.setup()
    except ImproperlyConfigured as fault:
        sys.exit(f"Touchstone cannot start: {fault}")
    for name in LOADED_FIRST:
        import_module(name)


def static_files() -> str:
    """A checksum of the files of the pages, by name, size and time, and of how they are stored."""
    from django.conf import settings
    from django.contrib.staticfiles.finders import get_finders

    digest = sha256(f"{settings.STORAGES['staticfiles']} {settings.STATIC_ROOT}".encode())
    for path, storage in (entry for finder in get_finders() for entry in finder.list([])):
        status = Path(storage.path(path)).stat()
        digest.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


class Forked:
    """A command of manage.py in a process of its own, which has loaded what this process has."""

    def __init__(self, command: Sequence[str]) -> None:
        self.command = command
        self._output, theirs = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            os.dup2(theirs, 1)
            sys.stdout = os.fdopen(1, "w", encoding="utf-8")
            os._exit(executed(command))
        os.close(theirs)

    def result(self) -> str:
        """What the command printed. Exits with its code if it failed; it has said why on stderr."""
        with os.fdopen(self._output, encoding="utf-8") as output:
            text = output.read()
        _pid, status = os.waitpid(self.pid, 0)
        if code := os.waitstatus_to_exitcode(status):
            sys.exit(abs(code))
        return text


def executed(command: Sequence[str]) -> int:
    """Executes the command and returns its exit code."""
    from django.core.management import execute_from_command_line

    from annotate.management.command import collect_garbage_rarely

    collect_garbage_rarely()  # a quarter of the time of migrations
    try:
        execute_from_command_line(["manage.py", *command])
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except KeyboardInterrupt:
        return 130
    except BaseException:  # as Python itself does with what nobody caught
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
    return 0


def announce(text: str, port: int) -> None:
    """Prints the text when the web server answers at this port, from another process: this one becomes the supervisor.

    Returns at once. The process is a grandchild, so that the supervisor has no child that it did not start itself.
    """
    supervisor = os.getpid()
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    if os.fork():
        os._exit(0)
    with suppress(BaseException):  # Ctrl+C reaches this process too, and the supervisor says what there is to say
        print_when_it_answers(text, port, supervisor)
    os._exit(0)


def print_when_it_answers(text: str, port: int, supervisor: int) -> None:
    """Prints nothing if this supervisor ends first, and the text with a warning if that takes too long."""
    last = time.monotonic() + LONGEST_START
    with step(STEPS, "Start web server and worker"):
        while not answers(port):
            os.kill(supervisor, 0)
            if time.monotonic() > last:
                text += f"The web server does not answer yet after {LONGEST_START} s. What it says stands above.\n"
                break
            time.sleep(0.1)
    print(text, flush=True)


def answers(port: int) -> bool:
    connection = HTTPConnection(HOST, port, timeout=LONGEST_START)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def summary(address: str, model: str, seeded: dict[str, Any]) -> str:
    """What somebody needs who has just started the demo, in a frame."""
    rows = [
        ("Address", address),
        *((f"Sign in as {role}", username) for username, role in seeded["accounts"].items()),
        ("Password of all", seeded["password"]),
        ("Simulated model", f"{model}, for endpoints: simulated"),
        ("To begin", "open the address, sign in as lead, then New project"),
        ("To stop", "Ctrl+C"),
    ]
    width = max(len(name) for name, _value in rows)
    return "\n" + framed("Touchstone runs", [f"{name:<{width}}  {value}" for name, value in rows]) + "\n"


def framed(title: str, lines: Sequence[str]) -> str:
    width = max(len(line) for line in lines)
    top = f"┌─ {title} {'─' * (width - len(title) - 1)}┐"
    return "\n".join([top, *(f"│ {line:<{width}} │" for line in lines), f"└{'─' * (width + 2)}┘"])


def reserved(variable: str) -> socket.socket:
    """Holds the port in this variable. Exits where it cannot be had, with the variable to set."""
    text = os.environ[variable]
    try:
        return socket.create_server((HOST, int(text)))
    except (ValueError, OverflowError):
        sys.exit(f"{variable} must be a port, not {text!r}. Choose another: {variable}=9000 make run")
    except OSError:
        other = int(text) % 65535 + 1
        sys.exit(f"Port {text} is taken or closed to you. Choose another: {variable}={other} make run")


def reserved_for_model(wished: int = DEFAULT_PORT) -> socket.socket:
    """Holds MODEL_PORT where it is set, else the wished port or any free one: endpoints find the model by its name."""
    if os.environ.get("MODEL_PORT"):
        return reserved("MODEL_PORT")
    for port in (wished, 0):
        with suppress(OSError):
            return socket.create_server((HOST, port))
    sys.exit("No free port is left on this machine for the simulated model.")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
