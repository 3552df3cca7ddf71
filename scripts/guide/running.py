"""Runs the commands of the guide, in order, as somebody would who follows it after `make run`."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from annotate.engine.addresses import announced
from lib.simulated.server import serving
from scripts.guide.pages import ROOT, Block
from tests.support.installation import Installation

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

    def run(self, block: Block) -> str:
        """All that the block's commands print. Raises Failed."""
        return "".join(self._one(command, words) for command, words in zip(block.commands, block.words(), strict=True))

    def _one(self, command: str, words: list[str]) -> str:
        if words[0] == "manage":
            code, said = self.installation.python(CALL, words=words[1:], folder=str(self.folder))
        else:
            done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
            code, said = done.returncode, done.stdout + done.stderr
        if code:
            raise Failed(f"{command}\nends with {code}:\n{said}")
        return str(said)


@contextmanager
def following(installation: Installation, folder: Path) -> Iterator[Follower]:
    """After `make run`: the demo is seeded, the simulated model answers. folder: an empty one."""
    (folder / "fixtures").symlink_to(ROOT / "fixtures")
    follower = Follower(installation, folder)
    follower.run(Block("", ("manage seed_demo",), None))
    with serving(**MODEL) as model, announced(model.base_url, installation.folder):
        yield follower
