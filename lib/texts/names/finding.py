"""The names of one conversation, wherever they stand in it. Pure.

A heuristic, and no recogniser: it finds names that are given where people give names, in English and Chinese, and
then every other place of the same name. Names that only a reader recognises stay.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from lib.texts.names import chinese, english
from lib.texts.personal_data import Finding

LONGEST = 50_000  # characters of a text in which introductions are looked for
MOST = 200  # names of one conversation; a directory is no conversation
_HAN = re.compile("[\u4e00-\u9fff]")
_LETTER = r"[^\W\u4e00-\u9fff]"


class Names:
    """Known from all texts of a conversation: who says `I am Anna Berg` in one is `Anna` in the others."""

    def __init__(self, texts: Sequence[str]) -> None:
        names = dict.fromkeys(name for text in texts for name in _spoken(text))
        whole = sorted(islice(names, MOST), key=lambda name: (-len(name), name))
        self._bearer: dict[str, str] = {}
        for name in whole:
            bearer = self._bearer.setdefault(name, name)
            for part in (*english.parts(name), *chinese.parts(name)):
                self._bearer.setdefault(part, bearer)
        self._found = re.compile("|".join(map(_alone, sorted(self._bearer, key=len, reverse=True)))) if whole else None

    def findings(self, text: str) -> list[Finding]:
        """In order, without overlaps."""
        matches = self._found.finditer(text) if self._found else ()
        return [Finding("name", match.start(), match.end(), f"{match.group()[0]}•••") for match in matches]

    def bearer(self, name: str) -> str:
        """Whose name it is, as the longest form in which the conversation has it."""
        return self._bearer.get(name, name)


def _spoken(text: str) -> Iterator[str]:
    beginning = text[:LONGEST]
    for look in (english.spoken, chinese.spoken):
        for start, end in look(beginning):
            yield beginning[start:end]


def _alone(name: str) -> str:
    """A name of Latin letters is a word of its own, also between Chinese characters."""
    escaped = re.escape(name)
    return escaped if _HAN.search(name) else rf"(?<!{_LETTER}){escaped}(?!{_LETTER})"
