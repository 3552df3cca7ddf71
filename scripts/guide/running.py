"""Runs the commands of the guide, in order, as somebody would who follows it after `make run`."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from annotate.llm.simulated.server import serving
from scripts.guide.pages import ROOT, Block
from scripts.run import free_port
from tests.support.installation import Installation

USUAL = "127.0.0.1:8766"  # where the simulated model of `make run` listens, as the guide writes it
# As config/supervisord-demo.conf starts it, without the wait.
MODEL = {"latency": 0.0, "faults": {"prose": 0.02, "truncates": 0.01}}
CALL = """
import contextlib, io, os
from django.core.management import CommandError, call_command
os.chdir(folder)
out = io.StringIO()
code = 0
with contextlib.redirect_stdout(out):
    try:
        call_command(*words, stdout=out, stderr=out)
    except SystemExit as left:
        code = int(left.code or 0)
    except CommandError as refused:
        code = refused.returncode
        out.write(f"CommandError: {refused}\\n")
result = [code, out.getvalue()]
"""


class Failed(AssertionError):
    """A command of the guide that ends with anything but 0."""


@dataclass
class Follower:
    """folder: where somebody stands while typing: the samples are there, and `var/guide` is made by the guide."""

    installation: Installation
    folder: Path
    port: int

    def run(self, block: Block) -> str:
        """All that the block's commands print. Raises Failed."""
        return "".join(self._one(command, words) for command, words in zip(block.commands, block.words(), strict=True))

    def _one(self, command: str, words: list[str]) -> str:
        if words[0] == "manage":
            given = [word.replace(USUAL, f"127.0.0.1:{self.port}") for word in words[1:]]
            code, said = self.installation.python(CALL, words=given, folder=str(self.folder))
        else:
            done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
            code, said = done.returncode, done.stdout + done.stderr
        if code:
            raise Failed(f"{command}\nends with {code}:\n{said}")
        return re.sub(rf"127\.0\.0\.1:{self.port}\b", USUAL, said)


@contextmanager
def following(installation: Installation, folder: Path) -> Iterator[Follower]:
    """After `make run`: the demo is seeded, the simulated model answers. folder: an empty one."""
    port = int(free_port(0))
    (folder / "fixtures").symlink_to(ROOT / "fixtures")
    follower = Follower(installation, folder, port)
    follower.run(Block("", (f"manage seed_demo --model-port {port}",), None))
    with serving(port, **MODEL):
        yield follower
