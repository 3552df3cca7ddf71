"""Texts of a definition: one for every language or one for each; names and values without invisible characters."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Annotated, Any

from django.utils.functional import Promise, lazystr
from django.utils.translation import get_language
from pydantic import AfterValidator, Field, StringConstraints

from lib.texts.stored_sentences import say as _

LONGEST_NAME, LONGEST_VALUE, LONGEST_TEXT = 60, 200, 4000
# They change the order in which a line is read, so that two values that look alike may differ.
DIRECTION_MARKS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
OVERRIDES = DIRECTION_MARKS - frozenset("\u061c\u200e\u200f")
RESERVED = frozenset({"key", "suggestion", "final", "provenance", "purpose", "rater", "unit"})


def _printable(text: str) -> str:
    for character in text:
        if character in DIRECTION_MARKS or unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp"):
            message = _("contains the invisible character %(code)s; remove it.")
            raise ValueError(message % {"code": f"U+{ord(character):04X}"})
    return text


def _readable(text: str) -> str:
    """Several lines, and the marks that texts in Arabic or Hebrew need; nothing that turns other texts around."""
    for character in text:
        if character in OVERRIDES or (unicodedata.category(character) in ("Cc", "Cs") and character not in "\n\t"):
            message = _("contains the invisible character %(code)s; remove it.")
            raise ValueError(message % {"code": f"U+{ord(character):04X}"})
    return text


def _trimmed(text: str) -> str:
    if text != text.strip():
        raise ValueError(_("begins or ends with a space; remove it."))
    return text


def _name(name: str) -> str:
    begins_well = name[0].isalpha() or name[0] == "_"
    if not begins_well or not all(character.isalnum() or character in "_-" for character in name):
        message = _("“%(name)s” is not a name: use letters, digits, _ and -, beginning with a letter.")
        raise ValueError(message % {"name": name})
    if name in RESERVED:
        raise ValueError(_("“%(name)s” has a meaning in files of rows; choose another name.") % {"name": name})
    return name


def _language(code: str) -> str:
    if not re.fullmatch(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}", code, re.ASCII):
        raise ValueError(_("is not the code of a language, such as en or zh."))
    return code


_Line = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_VALUE), AfterValidator(_printable)]
Name = Annotated[
    str, StringConstraints(min_length=1, max_length=LONGEST_NAME), AfterValidator(_printable), AfterValidator(_name)
]
Column = Annotated[_Line, AfterValidator(_trimmed)]
Value = Annotated[_Line, AfterValidator(_trimmed)]
Language = Annotated[str, AfterValidator(_language)]
_Words = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TEXT), AfterValidator(_readable)]
LocalText = _Words | Annotated[dict[Language, _Words], Field(min_length=1)]


def in_language(text: LocalText | None, language: str | None = None) -> str:
    """The text in this language, else in English, else in the first one it has; "" for None. Default: the reader's."""
    if text is None or isinstance(text, str):
        return text or ""
    wanted = (language or get_language() or "en").partition("-")[0]
    by_language: Mapping[str, str] = {code.partition("-")[0]: words for code, words in reversed(text.items())}
    return by_language.get(wanted) or by_language.get("en") or next(iter(text.values()))


def for_reader(text: LocalText | None) -> str | Promise:
    """The text in the language of whoever reads it, when it is shown."""
    return text if isinstance(text, str) else lazystr(_Local(text))


class _Local:
    """Its str() is the text in the reader's language at that moment."""

    def __init__(self, text: LocalText | None) -> None:
        self._text = text

    def __str__(self) -> str:
        return in_language(self._text)


def one_line(value: Any, most: int = 160) -> str:
    """A value as one line of at most `most` characters."""
    line = " ".join(str(value).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def signed(points: float) -> str:
    """A number with its sign, as shown beside a criterion."""
    return f"{points:+g}".replace("-", "−")
