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


def in_context(match: tuple[Example, int, Replacement], selection: Chosen) -> Shown:
    example, turn_index, replacement = match
    text, position = example.talk.turns[turn_index]["content"], (example.line, turn_index, replacement.no)
    text_before, text_after = (
        text[max(0, replacement.start - AROUND) : replacement.start],
        text[replacement.end : replacement.end + AROUND],
    )
    return Shown(
        place=".".join(map(str, position)),
        line=example.line,
        turn=turn_index + 1,
        what=_(LOOKS_LIKE[replacement.kind]),
        before=f"…{text_before}" if replacement.start > AROUND else text_before,
        was=text[replacement.start : replacement.end],
        placeholder=replacement.placeholder,
        after=f"{text_after}…" if replacement.end + AROUND < len(text) else text_after,
        stays=position in selection.stays,
    )
