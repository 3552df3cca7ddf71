"""Shipped prompts, and the texts inside prompts (rubrics, axes, rules, criteria, the system's rule).

A prompt is a file for each step and language, in the folder of a kind or of strategies.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from annotate.engine import discovery
from annotate.models import Project, PromptVersion, Run
from lib.texts import prompt_texts
from lib.texts.fencing import RULE_NAME, is_protecting
from lib.texts.fencing import SCOPE as SYSTEM
from lib.texts.prompt_texts import shipped_texts

LANGUAGES = ("en", "zh")
PACKAGES = ("kinds", "strategies", "purposes")  # of an app, whose folders may bring prompts
NAME = re.compile(r"(?P<step>[a-z][a-z0-9_-]*)\.(?P<language>[a-z]+)\.md")
SCOPE = re.compile(r"[a-z][a-z0-9_]*")


class BadPromptFile(ValueError):
    """A shipped file whose name gives no step and language; the message names it."""


@dataclass(frozen=True)
class ShippedPrompt:
    """One file, read. scope: the slug of the kind, or the family of strategies."""

    scope: str
    step: str
    language: str
    text: str


def folders(scope: str) -> Iterator[Path]:
    """The folders for prompts of a kind or family: `<app>/<package>/<scope>/prompts`."""
    for package in _packages():
        spec = find_spec(package)
        for location in (spec.submodule_search_locations or ()) if spec else ():
            yield Path(location) / scope / "prompts"


@cache
def _packages() -> list[str]:
    """Those of PACKAGES that an installed app has."""
    return [package for folder in PACKAGES for package in discovery.packages(folder)]


def shipped(scope: str) -> dict[tuple[str, str], ShippedPrompt]:
    """(step, language) -> file, ordered by name; empty if nothing is shipped. Raises BadPromptFile."""
    if not SCOPE.fullmatch(scope):
        return {}
    paths = sorted(path for folder in folders(scope) for path in folder.glob("*.md"))
    return _composed(scope) | {(file.step, file.language): file for file in (_read_file(scope, path) for path in paths)}


def _composed(scope: str) -> dict[tuple[str, str], ShippedPrompt]:
    """Prompts that a kind composes of its data, such as one for each category, and texts of tables such as rubrics."""
    from annotate.kinds import all_kinds  # which import what asks models

    kind = all_kinds().get(scope)
    wordings = {**(kind.wordings() if kind else {}), **shipped_texts(scope)}
    return {(step, language): ShippedPrompt(scope, step, language, text) for (step, language), text in wordings.items()}


def _read_file(scope: str, path: Path) -> ShippedPrompt:
    match = NAME.fullmatch(path.name)
    if match is None or match["language"] not in LANGUAGES:
        raise BadPromptFile(f"{path}: call it <step>.<language>.md, with one of {', '.join(LANGUAGES)}.")
    return ShippedPrompt(scope, match["step"], match["language"], path.read_text("utf-8").strip())


# Texts inside prompts: rubrics, axes, rules, criteria and the system's rule that a run is planned with.


def scopes(project: Project) -> list[str]:
    """The scopes whose texts a project can edit: those of every purpose that suits it."""
    from annotate.engine.purposes import purposes  # which import prompts

    suiting = (purpose for purpose in purposes().values() if purpose.offered and purpose.suits(project))
    return list(dict.fromkeys(scope for purpose in suiting for scope in purpose.text_scopes(project)))


def is_part(scope: str) -> bool:
    return prompt_texts.is_registered(scope)


def of_run(run: Run) -> dict[tuple[str, str, str], str]:
    """(scope, name, language) -> text; empty for a run planned before texts were kept, which uses the files."""
    return {(version.scope, version.step, version.language): version.text for version in run.texts.all()}


def changed(versions: Collection[PromptVersion]) -> list[PromptVersion]:
    """The versions whose text differs from the one shipped first, in a fixed order."""
    originals = PromptVersion.objects.filter(project=None, number=1, scope__in={version.scope for version in versions})
    hash_by_key = {(original.scope, original.step, original.language): original.sha256 for original in originals}
    changed_versions = [
        version
        for version in versions
        if hash_by_key.get((version.scope, version.step, version.language)) != version.sha256
    ]
    return sorted(changed_versions, key=lambda version: (version.scope, version.step, version.language))


def is_unprotected(scope: str, name: str, language: str, text: str) -> bool:
    """Whether this is a system rule that lets a model take the content of blocks for instructions."""
    return (scope, name) == (SYSTEM, RULE_NAME) and not is_protecting(text, language)
