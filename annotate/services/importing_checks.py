"""What is looked for in a row beyond its shape: its language, and personal data."""

from collections.abc import Iterator, Sequence
from typing import Any

from annotate.kinds.base import Kind
from annotate.kinds.shapes import Finding


class Checks:
    """thorough: whether texts are read at all; without it only a project of one language knows its items' language."""

    def __init__(self, kind: Kind, languages: Sequence[str], *, thorough: bool) -> None:
        self._kind = kind
        self._languages = list(languages)
        self._thorough = thorough

    def language(self, facts: Any) -> str:
        if len(self._languages) == 1:
            return self._languages[0]
        return ""

    def warnings(self, facts: Any) -> Iterator[Finding]:
        return iter(())
