"""Which of a judge's keys belongs to which question of the checklist. Pure; imports of others' judgements use it too.

Judges repeat questions imperfectly: another quote, a word less, a number instead of the text.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

CLOSE = 0.6  # of SequenceMatcher.ratio: published records that lost a third of a question still reach it
SAME_PLACE = 0.3  # what is likeness enough where the place says the same
COMPARED = 600  # characters of each text that are compared
MOST = 200  # keys that fit no question at once; more of them are not compared
LABEL = re.compile(r"(?:q|no|nr|question|item|问题|第)?[\s.:_#-]*(\d{1,4})(?:[\s.:)、]|题|个问题|问)*", re.IGNORECASE)
QUOTES = {ord(sign): "'" for sign in '"`´‘’‚“”„«»「」『』〝〞'}
LIKE_ASCII = {ord(sign): plain for sign, plain in zip("。、，；：？！（）【】《》", ".,,;:?!()[]<>", strict=True)}


@dataclass(frozen=True)
class Joint:
    """One question with the key that answers it. question, said: places in the two lists, from 0.

    question None: a key that fits no question (`surplus`); said None: a question that nobody answered (`none`).
    how: `exact`, `close` or `position` for the others; everything but `exact` is to be flagged.
    """

    question: int | None
    said: int | None
    how: str


@dataclass
class _Open:
    """What is not joined yet."""

    questions: Sequence[str]
    said: Sequence[str]
    joints: dict[int, Joint] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)

    def left(self) -> list[int]:
        return [place for place in range(len(self.questions)) if place not in self.joints]

    def free(self) -> list[int]:
        return [place for place in range(len(self.said)) if place not in self.used]

    def take(self, question: int, said: int, how: str) -> None:
        if question not in self.joints and said not in self.used:
            self.joints[question] = Joint(question, said, how)
            self.used.add(said)


def join(questions: Sequence[str], said: Sequence[str]) -> list[Joint]:
    """One joint for every question, in their order, then one for every key that fits none.

    In turn: the same text; the same but for blanks, quotes, case and full-width signs (`close`); a number or `Q2`
    that names the place (`position`); alike in most of it (`close`); somewhat alike and in the same place of a list
    of the same length (`position`). Every key is used once at most. Order of equal texts decides among them.
    """
    found = _Open(questions, said)
    _equal(found, str, "exact")
    if found.left() and found.free():
        _equal(found, plain, "close")
        _numbered(found)
        _alike(found)
        _in_place(found)
    none = [found.joints.get(place, Joint(place, None, "none")) for place in range(len(questions))]
    return none + [Joint(None, place, "surplus") for place in found.free()]


def plain(text: str) -> str:
    """Without what judges change when they repeat a question: blanks, kinds of quotes, case, full-width signs."""
    one_form = unicodedata.normalize("NFKC", text.translate(LIKE_ASCII)).casefold().translate(QUOTES)
    return "".join(one_form.split()).strip("'.?:;,")


def _equal(found: _Open, form: Callable[[str], str], how: str) -> None:
    waiting: dict[str, list[int]] = {}
    for place in found.free():
        waiting.setdefault(form(found.said[place]), []).append(place)
    for question in found.left():
        places = waiting.get(form(found.questions[question]))
        if places:
            found.take(question, places.pop(0), how)


def _numbered(found: _Open) -> None:
    for place in found.free():
        named = LABEL.fullmatch(unicodedata.normalize("NFKC", found.said[place]).strip())
        if named and 0 < int(named[1]) <= len(found.questions):
            found.take(int(named[1]) - 1, place, "position")


def _alike(found: _Open) -> None:
    """The most alike pair first; of equally alike ones that in the nearest places."""
    pairs = [(-ratio, abs(question - place), question, place) for ratio, question, place in _ratios(found, CLOSE)]
    for _ratio, _distance, question, place in sorted(pairs):
        found.take(question, place, "close")


def _in_place(found: _Open) -> None:
    if len(found.questions) != len(found.said):
        return
    for _ratio, question, place in list(_ratios(found, SAME_PLACE)):
        if question == place:
            found.take(question, place, "position")


def _ratios(found: _Open, least: float) -> Iterator[tuple[float, int, int]]:
    """Of every open question and key that are at least so much alike."""
    questions = [(place, plain(found.questions[place])[:COMPARED]) for place in found.left()]
    for place in found.free()[:MOST]:
        matcher = SequenceMatcher(None, autojunk=False)
        matcher.set_seq2(plain(found.said[place])[:COMPARED])
        for question, text in questions:
            matcher.set_seq1(text)
            if matcher.real_quick_ratio() >= least and matcher.quick_ratio() >= least and matcher.ratio() >= least:
                yield matcher.ratio(), question, place
