"""The prompts that Touchstone ships: a file for each step and language, in the folder of a kind or of strategies."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from lib.texts.own import shipped_texts

LANGUAGES = ("en", "zh")
PACKAGES = ("annotate.kinds", "judging.strategies", "judging.purposes")
NAME = re.compile(r"(?P<step>[a-z][a-z0-9_-]*)\.(?P<language>[a-z]+)\.md")
SCOPE = re.compile(r"[a-z][a-z0-9_]*")


class BadPromptFile(ValueError):
    """A shipped file whose name says no step and language; the message names it."""


@dataclass(frozen=True)
class Shipped:
    """One file, read. scope: the slug of the kind, or the family of strategies."""

    scope: str
    step: str
    language: str
    text: str


def folders(scope: str) -> Iterator[Path]:
    """Where the prompts of a kind or family may lie: `<package>/<scope>/prompts`."""
    for package in PACKAGES:
        spec = find_spec(package)
        for location in (spec.submodule_search_locations or ()) if spec else ():
            yield Path(location) / scope / "prompts"


def shipped(scope: str) -> dict[tuple[str, str], Shipped]:
    """(step, language) -> file, in the order of their names; empty where nothing is shipped. Raises BadPromptFile."""
    if not SCOPE.fullmatch(scope):
        return {}
    paths = sorted(path for folder in folders(scope) for path in folder.glob("*.md"))
    return _composed(scope) | {(file.step, file.language): file for file in (_read(scope, path) for path in paths)}


def _composed(scope: str) -> dict[tuple[str, str], Shipped]:
    """What a kind composes of its data, such as a prompt for each category, and texts of tables such as rubrics."""
    from annotate.kinds import all_kinds  # which import what asks models

    kind = all_kinds().get(scope)
    wordings = {**(kind.wordings() if kind else {}), **shipped_texts(scope)}
    return {(step, language): Shipped(scope, step, language, text) for (step, language), text in wordings.items()}


def _read(scope: str, path: Path) -> Shipped:
    match = NAME.fullmatch(path.name)
    if match is None or match["language"] not in LANGUAGES:
        raise BadPromptFile(f"{path}: call it <step>.<language>.md, with one of {', '.join(LANGUAGES)}.")
    return Shipped(scope, match["step"], match["language"], path.read_text("utf-8").strip())
