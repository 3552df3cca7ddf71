"""Start the demo on this machine: database, sample data, then web server, worker, clock and simulated model."""

import getpass
import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import environ

from config.environment import KEPT_KEY, kept_key
from lib.simulated.server import DEFAULT_PORT, HOST, base_url

ROOT = Path(__file__).resolve().parent.parent
SEED = ["seed_demo", "--json"]
# What is printed before each; the last one prints the accounts.
STEPS: Sequence[tuple[str, list[str]]] = (
    ("the database", ["migrate", "--verbosity=0"]),
    ("the files of the pages", ["collectstatic", "--noinput", "--verbosity=0"]),
    ("the sample data", SEED),
    ("the work of the simulated model", [*SEED, "--model-port", "0"]),
)


def main() -> None:
    os.chdir(ROOT)
    prepare_environment()
    web, model = reserved("PORT"), reserved_for_model()
    accounts = make_demo()
    port = model.getsockname()[1]
    os.environ["MODEL_PORT"] = str(port)
    print(summary(os.environ["SITE_URL"], base_url(port), accounts), flush=True)
    # Held as long as the demo was in the making, so that nobody took them meanwhile.
    web.close()
    model.close()
    command = ["-m", "scripts.supervise", "--nodaemon", "--configuration", "config/supervisord-demo.conf"]
    os.execv(sys.executable, [sys.executable, *command])  # noqa: S606


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
    """Database and sample data, step by step. Returns what the last step says about the accounts."""
    said = ""
    for number, (about, command) in enumerate(STEPS, 1):
        print(f"{number}/{len(STEPS)} {about} …", flush=True)
        call = [sys.executable, "manage.py", *command]
        said = subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True).stdout
    return dict(json.loads(said))


def summary(address: str, model: str, seeded: dict[str, Any]) -> str:
    """What somebody needs who has just started the demo."""
    rows = [
        ("Address", address),
        *((f"Sign in as {role}", username) for username, role in seeded["accounts"].items()),
        ("Password of all", seeded["password"]),
        ("Simulated model", f"{model}, for endpoints: simulated"),
        ("To stop", "Ctrl+C"),
    ]
    width = max(len(name) for name, _value in rows)
    lines = [f"  {name:<{width}}  {value}" for name, value in rows]
    return "\n".join(["", "Touchstone runs.", *lines, ""])


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
    except subprocess.CalledProcessError as fault:
        sys.exit(fault.returncode)
    except KeyboardInterrupt:
        sys.exit(130)
