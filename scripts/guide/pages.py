"""What the pages of the guide tell people to type, and what they say comes back."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "guide"
LANGUAGES = ("en", "zh")
# A block of commands, and the block of text right behind it, if there is one.
BLOCK = re.compile(r"```sh\n(?P<commands>.*?)```\n(?:\n```text\n(?P<shown>.*?)```\n)?", re.DOTALL)
PICTURE = re.compile(r"!\[[^\]]+\]\((?P<path>[^)]+)\)")
# Typed once, before the first command, or in another window: a demo of its own stands for them.
SET_UP = ("make run", "alias ", "git clone", "cd ")


@dataclass(frozen=True)
class Block:
    """commands: one a line, as typed. shown: what they print together, None where the page does not say; `…` stands for
    anything inside a line, and on a line of its own for any lines."""

    page: str
    commands: tuple[str, ...]
    shown: str | None

    def words(self) -> list[list[str]]:
        return [shlex.split(command) for command in self.commands]


def pages(language: str) -> list[Path]:
    return sorted((GUIDE / language).glob("*.md"))


def blocks(language: str) -> list[Block]:
    return [block for page in pages(language) for block in blocks_of(page)]


def blocks_of(page: Path) -> list[Block]:
    found = []
    for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
        lines = match["commands"].replace("\\\n", " ").splitlines()
        commands = tuple(line for line in map(_bare, lines) if line and not line.startswith(SET_UP))
        if commands:
            found.append(Block(page.name, commands, match["shown"]))
    return found


def pictures(language: str) -> list[Path]:
    found = (PICTURE.finditer(page.read_text(encoding="utf-8")) for page in pages(language))
    return [(GUIDE / language / match["path"]).resolve() for matches in found for match in matches]


def pattern(shown: str) -> re.Pattern[str]:
    """What a page shows, as an expression for what a command prints. Blanks at the ends of lines do not count."""
    lines = [re.escape(line.rstrip()).replace("…", ".*?") for line in shown.strip("\n").splitlines()]
    joined = "\n".join(lines)
    return re.compile(re.sub(r"(?m)^\.\*\?(?:\n|\Z)", r"(?:[^\\n]*\\n|[^\\n]+\\Z)*?", joined) + r"\s*")


def _bare(line: str) -> str:
    return " ".join(line.split("  #")[0].split())
