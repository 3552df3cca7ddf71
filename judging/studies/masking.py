"""Finding and masking text that gives an author away. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MASK = "[…]"  # the same for every name, so that its length says nothing
SHORTEST, SHORTEST_HAN = 3, 2  # letters and digits; shorter names occur in every text
ANYTHING = "…"
# Not names, but phrases in which assistants speak of their origin. … means some words of the same sentence.
PHRASES = (
    "as an AI … developed by …",
    "as an AI … created by …",
    "as an AI … trained by …",
    "as a language model … by …",
    "as a large language model … by …",
    "I am an AI … by …",
    "I'm an AI … by …",
    "I am a language model … by …",
    "I am a large language model … by …",
    "I'm a large language model … by …",
    "I was developed by …",
    "I was created by …",
    "I was trained by …",
    "my developers at …",
    "my creators at …",
    "作为…开发的…",
    "作为…训练的…",
    "我是由…开发的…",
    "我是由…训练的…",
    "我是…研发的…",
)
_BETWEEN, _AFTER = r"[^.!?\n。！？]{0,60}?", r"[^.!?,;:\n。！？，；：]{0,60}"


@dataclass(frozen=True)
class Masked:
    """text: with MASK in place of everything found. words: search term -> number of occurrences."""

    text: str
    words: Counter[str]

    @property
    def is_empty(self) -> bool:
        return not self.text.replace(MASK, "").strip()


@dataclass(frozen=True)
class Telling:
    """Names and phrases to look for. short: names that are too short to be looked for."""

    patterns: Sequence[tuple[str, re.Pattern[str]]]
    short: Sequence[str] = ()

    def found_in(self, text: str) -> Counter[str]:
        return self.mask(text).words

    def mask(self, text: str) -> Masked:
        """The masked text; longest names first, so that no part of a name is left."""
        words: Counter[str] = Counter()
        for word, pattern in self.patterns:
            text, times = pattern.subn(MASK, text)
            if times:
                words[word] += times
        return Masked(text, words)


def telling(names: Iterable[str], phrases: Iterable[str] = ()) -> Telling:
    """names: case, spaces, hyphens, dots and underscores between their parts do not matter: GPT-4 is gpt4 and "Gpt 4".

    Phrases come first because they contain names. Of several spellings of one name the first is kept.
    """
    name_by_pattern: dict[str, str] = {}
    short = []
    for name in sorted(
        {raw_name.strip() for raw_name in names} - {""}, key=lambda spelling: (-len(spelling), spelling)
    ):
        if _is_short(name):
            short.append(name)
        else:
            name_by_pattern.setdefault(_of_name(name), name)
    phrase_patterns = [
        (phrase, _of_phrase(phrase)) for phrase in dict.fromkeys(map(str.strip, phrases)) if phrase.strip("… ")
    ]
    called = [(name, re.compile(pattern, re.IGNORECASE)) for pattern, name in name_by_pattern.items()]
    return Telling([*phrase_patterns, *called], short)


def _is_short(name: str) -> bool:
    letters = [char for char in name if char.isalnum()]
    han = any(char > "\u2e80" for char in letters)
    return len(letters) < (SHORTEST_HAN if han else SHORTEST)


def _of_name(name: str) -> str:
    """Parts are runs of letters and of digits. Chinese has no spaces: only adjacent Latin letters rule out a match."""
    parts = re.findall(r"[^\W\d_]+|\d+", name)
    return r"(?<![0-9A-Za-z])" + r"[\W_]{0,2}".join(map(re.escape, parts)) + r"(?![0-9A-Za-z])"


def _of_phrase(phrase: str) -> re.Pattern[str]:
    """Pattern of a phrase: spaces of any width, or none next to a gap; either apostrophe."""
    first_part, *other_parts = (_words(part) for part in phrase.split(ANYTHING))
    last_part = other_parts.pop() if other_parts and not other_parts[-1] else None
    body = (
        first_part + "".join(rf"\s*{_BETWEEN}\s*{part}" for part in other_parts) + ("" if last_part is None else _AFTER)
    )
    prefix = r"(?<![0-9A-Za-z])" if phrase[0].isascii() else ""
    return re.compile(prefix + body, re.IGNORECASE)


def _words(part: str) -> str:
    return r"\s+".join(re.escape(word).replace("'", "['’]") for word in part.split())
