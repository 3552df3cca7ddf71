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
        return [question_index for question_index in range(len(self.questions)) if question_index not in self.joints]

    def free(self) -> list[int]:
        return [key_index for key_index in range(len(self.said)) if key_index not in self.used]

    def take(self, question: int, key_index: int, how: str) -> None:
        if question not in self.joints and key_index not in self.used:
            self.joints[question] = Joint(question, key_index, how)
            self.used.add(key_index)


def join(questions: Sequence[str], keys: Sequence[str]) -> list[Joint]:
    """One joint for every question, in their order, then one for every key that fits none.

    In turn: the same text; the same but for blanks, quotes, case and full-width signs (`close`); a number or `Q2`
    that names the place (`position`); alike in most of it (`close`); somewhat alike and in the same place of a list
    of the same length (`position`). Every key is used once at most. Order of equal texts decides among them.
    """
    pending = _Open(questions, keys)
    _equal(pending, str, "exact")
    if pending.left() and pending.free():
        _equal(pending, plain, "close")
        _numbered(pending)
        _alike(pending)
        _in_place(pending)
    none = [
        pending.joints.get(question_index, Joint(question_index, None, "none"))
        for question_index in range(len(questions))
    ]
    return none + [Joint(None, key_index, "surplus") for key_index in pending.free()]


def plain(text: str) -> str:
    """Without what judges change when they repeat a question: blanks, kinds of quotes, case, full-width signs."""
    one_form = unicodedata.normalize("NFKC", text.translate(LIKE_ASCII)).casefold().translate(QUOTES)
    return "".join(one_form.split()).strip("'.?:;,")


def _equal(pending: _Open, form: Callable[[str], str], how: str) -> None:
    indexes_by_form: dict[str, list[int]] = {}
    for key_index in pending.free():
        indexes_by_form.setdefault(form(pending.said[key_index]), []).append(key_index)
    for question in pending.left():
        key_indexes = indexes_by_form.get(form(pending.questions[question]))
        if key_indexes:
            pending.take(question, key_indexes.pop(0), how)


def _numbered(pending: _Open) -> None:
    for key_index in pending.free():
        label_match = LABEL.fullmatch(unicodedata.normalize("NFKC", pending.said[key_index]).strip())
        if label_match and 0 < int(label_match[1]) <= len(pending.questions):
            pending.take(int(label_match[1]) - 1, key_index, "position")


def _alike(pending: _Open) -> None:
    """The most alike pair first; of equally alike ones that in the nearest places."""
    pairs = [
        (-ratio, abs(question - key_index), question, key_index)
        for ratio, question, key_index in _ratios(pending, CLOSE)
    ]
    for _ratio, _distance, question, key_index in sorted(pairs):
        pending.take(question, key_index, "close")


def _in_place(pending: _Open) -> None:
    if len(pending.questions) != len(pending.said):
        return
    for _ratio, question, key_index in list(_ratios(pending, SAME_PLACE)):
        if question == key_index:
            pending.take(question, key_index, "position")


def _ratios(pending: _Open, least: float) -> Iterator[tuple[float, int, int]]:
    """Of every open question and key that are at least so much alike."""
    questions = [
        (question_index, plain(pending.questions[question_index])[:COMPARED]) for question_index in pending.left()
    ]
    for key_index in pending.free()[:MOST]:
        matcher = SequenceMatcher(None, autojunk=False)
        matcher.set_seq2(plain(pending.said[key_index])[:COMPARED])
        for question, text in questions:
            matcher.set_seq1(text)
            if matcher.real_quick_ratio() >= least and matcher.quick_ratio() >= least and matcher.ratio() >= least:
                yield matcher.ratio(), question, key_index
