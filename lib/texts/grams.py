"""Search in texts of any language: folding, the grams of a text and of a query, and the excerpt around a match.

A gram is a piece of one to three characters, as one number of at most 63 bits; different grams have different numbers.
Chinese, Japanese and Korean have no blanks between words, and a word is often one or two characters: there a text has
its characters and their pairs as grams. Of other text it has pieces of one, two and three characters, blanks included.
A text that contains a query has all grams of the query; the reverse holds only for a query that is itself one gram.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, groupby

LONGEST = 20_000  # characters of a folded text
MOST_GRAMS = 12  # of a query, so that a long one does not read a hundred lists; the check of the text does the rest
SHIFT = 21  # bits of a code point
# First code point of each block and the first one after it: Hangul, kana, Han with extensions, compatibility forms.
CJK = [
    *(0x1100, 0x1200, 0x2E80, 0x2FE0, 0x3005, 0x3008, 0x3021, 0x302A, 0x3031, 0x3036, 0x3041, 0x3099, 0x309D, 0x30A0),
    *(0x30A1, 0x30FB, 0x30FC, 0x3100, 0x3105, 0x3130, 0x3131, 0x318F, 0x31A0, 0x31C0, 0x31F0, 0x3200, 0x3400, 0x4DC0),
    *(0x4E00, 0xA000, 0xA960, 0xA97D, 0xAC00, 0xD7FC, 0xF900, 0xFB00, 0x1B000, 0x1B170, 0x20000, 0x323B0),
]
ACCENTS = dict.fromkeys(range(0x300, 0x370))


def folded(text: str) -> str:
    """The text as it is compared: without case, accents and forms of width, with one blank for any white space."""
    if text.isascii():
        return " ".join(text.lower().split())
    bare = unicodedata.normalize("NFKD", text).translate(ACCENTS)
    return " ".join(unicodedata.normalize("NFKC", bare.casefold()).split())


def grams(text: str) -> list[int]:
    """The distinct grams of a folded text, ascending."""
    import numpy as np  # only the indexer needs it; processes that only search stay light

    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int64)
    is_cjk = np.searchsorted(CJK, points, side="right") % 2 == 1
    pairs = (points[:-1] << SHIFT | points[1:])[is_cjk[:-1] == is_cjk[1:]]
    triples = (points[:-2] << 2 * SHIFT | points[1:-1] << SHIFT | points[2:])[
        ~(is_cjk[:-2] | is_cjk[1:-1] | is_cjk[2:])
    ]
    return np.unique(np.concatenate([points, pairs, triples])).tolist()


@dataclass(frozen=True)
class Query:
    """A folded query. grams: all of them are in every text that contains it. exact: and in no other text."""

    text: str
    grams: list[int]
    exact: bool


def query(words: str) -> Query:
    """The query of what a person typed; its text is empty if nothing of it can be searched for."""
    text = folded(words)
    runs = ["".join(run) for _is_cjk, run in groupby(text, key=_is_cjk_character)]
    pieces = {piece for run in runs for piece in _longest_pieces(run)}
    if len(pieces) > 1:
        pieces.discard(" ")
    numbers = sorted(map(_number, pieces), reverse=True)  # the longest first: they are the rarest
    step = max(1, -(-len(numbers) // MOST_GRAMS))
    return Query(text, numbers[::step], exact=pieces == {text})


def _is_cjk_character(character: str) -> bool:
    return bisect_right(CJK, ord(character)) % 2 == 1


def _longest_pieces(run: str) -> set[str]:
    size = min(len(run), 2 if _is_cjk_character(run[0]) else 3)
    ends = len(run) - size
    # Pieces of three side by side are as rare as all that overlap, and a third as many; the last one ends the run.
    return {run[start : start + size] for start in [*range(0, ends, 3 if size == 3 else 1), ends]}


def _number(piece: str) -> int:
    number = 0
    for character in piece:
        number = number << SHIFT | ord(character)
    return number


# The excerpt: a match is found in the folded text, and shown in the text as it was written.


AROUND = 60  # characters before and after a match


@dataclass(frozen=True)
class Excerpt:
    """A piece of a text in three parts, as written; the cut ends have an ellipsis."""

    before: str
    match: str
    after: str


def excerpt(text: str, words: str) -> Excerpt | None:
    """The first place in the text that contains the folded words; None if there is none."""
    line = folded(text)
    start = line.find(words) if words else -1
    if start < 0:
        return None
    if _keeps_places(text, line):
        return _parted(text, start, start + len(words))
    spans = [match.span() for match in re.finditer(r"\S+", text)]
    pieces = [folded(text[begin:end]) for begin, end in spans]
    offsets = list(accumulate((len(piece) + 1 for piece in pieces), initial=0))
    first, last = (bisect_right(offsets, offset) - 1 for offset in (start, start + len(words) - 1))
    if last >= len(spans):  # a letter whose folded form contains a blank: the positions do not correspond
        return None
    begin = _position(text, spans[first], start - offsets[first])
    end = _position(text, spans[last], start + len(words) - offsets[last], is_end=True)
    return _parted(text, begin, end)


def _parted(text: str, begin: int, end: int) -> Excerpt:
    return Excerpt(_tail(text[:begin]), text[begin:end], _head(text[end:]))


def _keeps_places(text: str, line: str) -> bool:
    """Whether each character of the text became one character of the folded line, and so has its place there.

    Nothing of the text can become longer, so that nothing has become shorter either if the length is the same.
    """
    return len(text) == len(line) and all(map(_folds_to_one, set(text)))


@lru_cache(maxsize=20_000)
def _folds_to_one(character: str) -> bool:
    return character.isspace() or (len(folded(character)) == 1 and not unicodedata.combining(character))


def _position(text: str, span: tuple[int, int], length: int, *, is_end: bool = False) -> int:
    """Where in a word, as written, so many characters of the folded word have passed.

    By bisection: Chinese has no blanks, so that a word may be a whole text.
    """
    begin, end = span
    places = range(begin, end + 1)

    def passed(place: int) -> int:
        return len(folded(text[begin:place]))

    if is_end:
        index = bisect_left(places, length, key=passed)
        return _with_accents(text, places[index]) if index < len(places) else end
    index = bisect_right(places, length, key=passed)
    return places[index] - 1 if index < len(places) else begin


def _with_accents(text: str, position: int) -> int:
    while position < len(text) and unicodedata.combining(text[position]):
        position += 1
    return position


def _tail(text: str) -> str:
    line = " ".join(text[-4 * AROUND :].split())
    blank = " " if text[-1:].isspace() else ""
    return ("…" if len(line) > AROUND or len(text) > 4 * AROUND else "") + line[-AROUND:] + blank


def _head(text: str) -> str:
    line = " ".join(text[: 4 * AROUND].split())
    blank = " " if text[:1].isspace() else ""
    return blank + line[:AROUND] + ("…" if len(line) > AROUND or len(text) > 4 * AROUND else "")
