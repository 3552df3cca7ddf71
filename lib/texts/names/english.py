"""Names in English texts, and in Latin letters: what stands where people put a name. Pure.

No list knows all names, and any word can be one; so the words around it decide. words.toml lists what stands there and
is no name.
"""

import re
from collections.abc import Iterator

from lib.texts.names.words import words

_LETTER = "A-Za-zÀ-ÖØ-öø-ÿ"
WORD = rf"[A-ZÀ-ÖØ-Þ](?:[{_LETTER}]|['’-](?!s\b)(?=[{_LETTER}])){{1,24}}"
FULL = rf"{WORD}(?:[ \t]+(?:(?:[A-Z]\.|van|von|der|de|da|la|bin|al)[ \t]+){{0,2}}{WORD}){{0,2}}"
_TITLE = r"(?:(?:Mr|Mrs|Ms|Miss|Dr|Prof|Professor|Doctor)\b\.?[ \t]+)?"
_KIN = (
    r"friend|colleague|boss|manager|teacher|student|wife|husband|son|daughter|brother|sister|mother|father|girlfriend"
    r"|boyfriend|roommate|neighbou?r"
)
_REGARDS = (
    r"(?:best|kind|warm|kindest|warmest) (?:regards|wishes)|regards|yours (?:sincerely|faithfully|truly)"
    r"|sincerely(?: yours)?"
)
_THANKS = r"thanks|many thanks|thank you|cheers|best|love|with love|respectfully|cordially|warmly"

_SURE = (
    re.compile(
        rf"\b(?i:(?:my|his|her|their)(?: full| first| last| real)? name(?: is|['’]s|:)|(?:i am|i['’]m) (?:called|named)"
        rf"|(?:people|please|you can|you may|just|everyone) calls? me|(?:{_KIN}),? (?:named|called))[ \t]+{_TITLE}"
        rf"(?P<name>{FULL})"
    ),
    re.compile(
        r"\b(?i:my name(?: is|['’]s)) (?P<name>[a-z]{3,15}(?: [a-z]{3,15})?)"
        r"(?=[ \t]*(?:[,.!?;\n]|\Z|and i\b|i am\b|i'm\b))"
    ),
    re.compile(rf"(?:^|[\"“:][ \t]*)(?i:dear)[ \t]+{_TITLE}(?P<name>{FULL})(?=[ \t]*(?:[,:!—–\n]|\Z))", re.MULTILINE),
    re.compile(
        rf"^[ \t>\"“]*(?i:hi|hello|hey|good (?:morning|afternoon|evening))[ \t]*,?[ \t]+{_TITLE}(?P<name>{FULL})"
        r"(?=[ \t]*(?:[,:!.—–\n]|\Z))",
        re.MULTILINE,
    ),
    re.compile(
        rf"^[ \t>*_]*(?i:{_REGARDS})(?:[,.!]?[ \t]*\n\s*|,[ \t]+){_TITLE}(?P<name>{FULL})(?=[ \t]*(?:[,*_\n]|\Z))",
        re.MULTILINE,
    ),
    re.compile(
        rf"^[ \t>*_]*(?i:{_THANKS})[,.!]?[ \t]*\n\s*{_TITLE}(?P<name>{FULL})(?=[ \t]*(?:[,*_\n]|\Z))", re.MULTILINE
    ),
)
# These are followed by much else: only what begins or ends like a name is taken for one.
_PERHAPS = (
    re.compile(
        rf"\b(?i:i am|i['’]m|this is) (?P<name>{FULL})(?=[ \t]*(?:[,.!\n]|\Z| and\b| from\b| speaking\b| here\b))"
    ),
    re.compile(
        r"^[ \t>*_-]*(?i:(?:full |patient |customer |student )?name|patient|contact(?: person)?)[*_]*[:：][*_ \t]*"
        rf"(?P<name>{FULL})(?=[ \t]*(?:\n|\Z))",
        re.MULTILINE,
    ),
)

NO_NAMES = words("no_names")
WORDS_TOO = words("words_too")
GIVEN = words("given")
SURNAMES = words("surnames")


def spoken(text: str) -> Iterator[tuple[int, int]]:
    """Where names stand; each as long as it is surely a name."""
    for pattern in _SURE:
        for match in pattern.finditer(text):
            yield from _trimmed(text, match.start("name"), match.end("name"))
    for pattern in _PERHAPS:
        for match in pattern.finditer(text):
            name_words = match["name"].split()
            if name_words[0] in GIVEN or (
                len(name_words) > 1 and not SURNAMES.isdisjoint((name_words[0], name_words[-1]))
            ):
                yield from _trimmed(text, match.start("name"), match.end("name"))


def parts(name: str) -> Iterator[str]:
    """By what else its bearer is called: each of its words that is no everyday word, lower-case ones with a capital."""
    for word in (candidate for candidate in re.findall(rf"[{_LETTER}'’-]+", name) if len(candidate) > 2):
        if word.casefold() not in NO_NAMES and word.capitalize() not in WORDS_TOO:
            yield word
            if word.islower():
                yield word.capitalize()


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Without words behind it that are no names; nothing where the first one is none."""
    spans = [(start + match.start(), start + match.end()) for match in re.finditer(r"\S+", text[start:end])]
    count = 0
    while count < len(spans) and text[slice(*spans[count])].casefold() not in NO_NAMES:
        count += 1
    if count == len(spans) or (count and not text[start:end].islower()):
        yield start, spans[count - 1][1]
