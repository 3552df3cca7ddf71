"""A replacement with the words around it, as a page shows it before anything is stored."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from annotate.formats.chatlog.choosing import Chosen
from annotate.formats.chatlog.tallying import Example
from annotate.services.importing.checks import LOOKS_LIKE
from lib.texts.anonymising import Replacement

AROUND = 60  # characters


@dataclass(frozen=True)
class Shown:
    """place: as the form names it. before, was, after: the text; stays: somebody took the replacement back."""

    place: str
    line: int
    turn: int
    what: str | Promise
    before: str
    was: str
    placeholder: str
    after: str
    stays: bool


def in_context(found: tuple[Example, int, Replacement], chosen: Chosen) -> Shown:
    example, at, one = found
    text, place = example.talk.turns[at]["content"], (example.line, at, one.no)
    before, after = text[max(0, one.start - AROUND) : one.start], text[one.end : one.end + AROUND]
    return Shown(
        place=".".join(map(str, place)),
        line=example.line,
        turn=at + 1,
        what=_(LOOKS_LIKE[one.kind]),
        before=f"…{before}" if one.start > AROUND else before,
        was=text[one.start : one.end],
        placeholder=one.placeholder,
        after=f"{after}…" if one.end + AROUND < len(text) else after,
        stays=place in chosen.stays,
    )
