"""Start the demo on this machine: database, sample data, then web server, worker, clock and simulated model."""

import getpass
import os
import socket
import subprocess
import sys
from pathlib import Path

import environ

from annotate.llm.simulated.server import DEFAULT_PORT
from config.environment import KEPT_KEY, kept_key

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    os.chdir(ROOT)
    prepare_environment()
    refuse_a_busy_port(int(os.environ["PORT"]))
    os.environ["MODEL_PORT"] = model_port = free_port(DEFAULT_PORT)
    seed = ["seed_demo", "--model-port", model_port]
    for command in (["migrate", "--verbosity=0"], ["collectstatic", "--noinput", "--verbosity=0"], seed):
        subprocess.run([sys.executable, "manage.py", *command], check=True)
    print(f"\nTouchstone runs on {os.environ['SITE_URL']} (Ctrl+C stops it)\n", flush=True)
    supervisor = str(Path(sys.executable).with_name("supervisord"))
    os.execv(supervisor, [supervisor, "--nodaemon", "--configuration", "config/supervisord-demo.conf"])  # noqa: S606


def prepare_environment() -> None:
    """What settings read, with answers for one person's machine where .env and the environment say nothing."""
    environ.Env.read_env(str(ROOT / ".env"))
    given = os.environ
    given.setdefault("DATA_DIR", str(ROOT / "var"))
    given.setdefault("PORT", "8000")
    given.setdefault("SITE_URL", f"http://127.0.0.1:{given['PORT']}")
    # Loopback without a certificate; a real installation leaves HTTPS at its default.
    given.setdefault("HTTPS", "false")
    folder = Path(given["DATA_DIR"])
    folder.mkdir(parents=True, exist_ok=True)
    given.setdefault("SECRET_KEY", kept_key(folder / KEPT_KEY))
    given["BIN"] = str(Path(sys.executable).parent)
    given["RUN_AS"] = getpass.getuser()
    given["PYTHONUNBUFFERED"] = "1"


def refuse_a_busy_port(port: int) -> None:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        sys.exit(f"Port {port} is taken or closed to you. Choose another: PORT={port + 1} make run")


def free_port(wished: int) -> str:
    """The wished port of the simulated model, or any free one: the endpoint is told at every start."""
    for port in (wished, 0):
        try:
            with socket.create_server(("127.0.0.1", port)) as probe:
                return str(probe.getsockname()[1])
        except OSError:
            continue
    sys.exit("No free port is left on this machine for the simulated model.")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as fault:
        sys.exit(fault.returncode)
    except KeyboardInterrupt:
        sys.exit(130)
