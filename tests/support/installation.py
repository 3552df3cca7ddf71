"""A whole installation in a temporary folder: its own data folder and database, and gunicorn on a free port."""

import json
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TextIO

import psutil

from tests.support import fork_server
from tests.support.environments import ROOT, ordinary


@dataclass
class Installation:
    """`environment` is what settings read; `url` is empty until `serve` was called."""

    folder: Path
    database_url: str
    environment: dict[str, str] = field(default_factory=dict)
    url: str = ""
    web: subprocess.Popen[bytes] | fork_server.Forked | None = None

    def __post_init__(self) -> None:
        self.environment = ordinary(self.folder, self.database_url) | self.environment

    def manage(
        self, *arguments: str | Path, check: bool = True, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command of manage.py; a refused one raises unless check is False."""
        done = fork_server.run(["manage.py", *map(str, arguments)], self.environment | environment)
        if check and done.returncode:
            raise AssertionError(f"manage.py {' '.join(map(str, arguments))}: {done.returncode}\n{done.stderr}")
        return done

    def python(self, code: str, **values: Any) -> Any:
        """Run code that knows all models (and the given values) inside the installation; gives its `result`."""
        _console, questions, answers = self._console
        questions.write(json.dumps({"code": code, "values": values}) + "\n")
        questions.flush()
        answer = json.loads(answers.readline())
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer["result"]

    @cached_property
    def _console(self) -> tuple[fork_server.Forked, TextIO, TextIO]:
        """(process, questions, answers)"""
        return fork_server.piped(["-m", "tests.support.console"], self.environment)

    def serve(self, *, workers: int | None = 2, threads: int = 8, forked: bool = True, tree: Path = ROOT) -> None:
        """Start gunicorn; workers None: as many as gunicorn.conf.py gives this machine, and with its threads.

        forked: out of the fork server, with the application loaded once for all its processes, which is there sooner.
        Otherwise as an installation starts it. The socket listens before, so the first request waits instead of
        failing. tree: where the code is that is not forked, for benchmarks that compare two versions.
        """
        with socket.create_server(("127.0.0.1", 0), backlog=512) as listener, self.log.open("ab") as log:
            self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            size = [f"--workers={workers}", f"--threads={threads}"] if workers else []
            options = [*size, "--no-control-socket", "--log-level=warning"]
            if forked:
                command = ["-m", "gunicorn", "config.wsgi", "--bind=fd://0", "--preload", *options]
                files = (listener.fileno(), log.fileno(), log.fileno())
                self.web = fork_server.start(command, self.environment, files)
            else:
                self.web = subprocess.Popen(
                    [sys.executable, "-m", "gunicorn", "config.wsgi", f"--bind=fd://{listener.fileno()}", *options],
                    cwd=tree,
                    env=self.environment | {"PYTHONPATH": str(tree)},
                    pass_fds=[listener.fileno()],
                    stderr=log,
                )

    @property
    def log(self) -> Path:
        """What the web server wrote: warnings, errors, tracebacks."""
        return self.folder / "web.log"

    def stop_serving(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self.web is not None:
            self.web.send_signal(how)
            self.web.wait(timeout=40)
            self.web = None

    def _end_serving(self) -> None:
        """At once: to stop in order takes gunicorn a second, and nobody waits for an answer any more."""
        if self.web is None:
            return
        family: list[psutil.Process] = []
        with suppress(psutil.NoSuchProcess):  # a test may have killed it
            main = psutil.Process(self.web.pid)
            family = [main, *main.children(recursive=True)]
        for process in family:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self.web.wait(timeout=40)
        self.web = None

    def close(self) -> None:
        self._end_serving()
        if "_console" in self.__dict__:
            console, questions, answers = self.__dict__.pop("_console")
            questions.close()
            console.wait()
            answers.close()
