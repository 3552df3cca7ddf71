"""The units in which two texts are compared: words, numbers, single CJK characters, code names."""

import re
from functools import lru_cache

import regex

_INSIDE_GRAPHEME = r"[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]"
_CJK = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}"
_UNSPACED = _CJK + r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_LETTER = rf"[\p{{L}}_--{_UNSPACED}]"

# Every alternative takes whole graphemes: either \X after a look-ahead, or plain characters with
# a check that no combining character follows.
_TOKEN = regex.compile(
    rf"""
      (?:(?=\s)\X)++
    | [A-Za-z_][A-Za-z0-9_]*+(?:['’-][A-Za-z][A-Za-z0-9_]*+)*+(?![\p{{L}}\p{{N}}]|{_INSIDE_GRAPHEME})
    | (?:(?={_LETTER})\X(?:(?=[{_LETTER}\p{{N}}])\X)*+)(?:['’‐-](?:(?={_LETTER})\X(?:(?=[{_LETTER}\p{{N}}])\X)*+))*+
    | 0[xX][0-9a-fA-F]++(?!\w|{_INSIDE_GRAPHEME})
    | (?:(?<![\p{{L}}\p{{N}}_)\]}}])[+\-−])?
      (?:\d{{1,3}}(?:\.\d{{3}})++,\d++|\d{{1,3}}(?:,\d{{3}})++(?!\d)(?:\.\d++)?|\d++(?:\.\d++)*+|(?<![\p{{L}}\p{{N}}_)\]}}])\.\d++)
      (?:[eE][+\-−]?\d++)?[%％‰]?(?!{_INSIDE_GRAPHEME})
    | \\[A-Za-z]++\*?(?!{_INSIDE_GRAPHEME})
    | \\(?=[\p{{P}}\p{{S}}])\X
    | \X
    """,
    regex.VERBOSE | regex.VERSION1 | regex.DOTALL,
)
# The same for texts in ASCII, where every character but a line break of two is a grapheme; three times as fast.
_ASCII_TOKEN = re.compile(
    r"""
      \s++
    | [A-Za-z_][A-Za-z0-9_]*+(?:['-][A-Za-z][A-Za-z0-9_]*+)*+
    | 0[xX][0-9a-fA-F]++(?!\w)
    | (?:(?<![A-Za-z0-9_)\]}])[+\-])?
      (?:\d{1,3}(?:\.\d{3})++,\d++|\d{1,3}(?:,\d{3})++(?!\d)(?:\.\d++)?|\d++(?:\.\d++)*+|(?<![A-Za-z0-9_)\]}])\.\d++)
      (?:[eE][+\-]?\d++)?%?
    | \\[A-Za-z]++\*?
    | \\[!-/:-@\[-`{-~]
    | .
    """,
    re.VERBOSE | re.ASCII | re.DOTALL,
)
_WORDLIKE = regex.compile(r"[\p{L}\p{N}]")
_CHARACTER = regex.compile(rf"[{_UNSPACED}]")


def tokens(text: str) -> list[str]:
    """The text cut into units that are never split by a mark; joining them gives the text again.

    One token each: a run of white space, a word or code name, a number with its sign, separators,
    exponent and per-cent sign, a LaTeX command, and any other grapheme (a CJK character, an emoji,
    a punctuation mark).
    """
    return (_ASCII_TOKEN if text.isascii() else _TOKEN).findall(text)


@lru_cache(maxsize=8192)
def is_word(token: str) -> bool:
    """Whether people would count this token as a word: a word, a number or a CJK character."""
    return _WORDLIKE.search(token) is not None


@lru_cache(maxsize=8192)
def is_character(token: str) -> bool:
    """Whether this token is a character of a script that is written without spaces, such as Chinese."""
    return _CHARACTER.match(token) is not None
