"""Matching of a judge's keys to the questions of a checklist, and the opinion made from them. Pure.

Judges repeat questions imperfectly: another quote, a word less, a number instead of the text. Imports of external
judgements use this module too.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from django.utils.translation import gettext as _

from annotate.kinds.protocol import JudgedItem
from judging.strategies.checklist.checklist_replies import Given, Verdicts
from judging.strategies.strategy import Opinion, OpinionPart
from lib.stats.checklists import score

CLOSE = 0.6  # of SequenceMatcher.ratio: published records that lost a third of a question still reach it
SAME_PLACE = 0.3  # sufficient similarity if the place agrees too
COMPARED = 600  # characters of each text that are compared
MOST = 200  # keys without an immediate match; more of them are not compared
LABEL = re.compile(r"(?:q|no|nr|question|item|问题|第)?[\s.:_#-]*(\d{1,4})(?:[\s.:)、]|题|个问题|问)*", re.IGNORECASE)
QUOTES = {ord(sign): "'" for sign in '"`´‘’‚“”„«»「」『』〝〞'}
LIKE_ASCII = {ord(sign): plain for sign, plain in zip("。、，；：？！（）【】《》", ".,,;:?!()[]<>", strict=True)}


@dataclass(frozen=True)
class Joint:
    """One question with the key that answers it. question, said: places in the two lists, from 0.

    question None: a key that fits no question (`surplus`); said None: a question without an answer (`none`).
    how: `exact`, `close` or `position` for the others; everything but `exact` is flagged.
    """

    question: int | None
    said: int | None
    how: str


@dataclass
class _Open:
    """Questions and keys that are not matched yet."""

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

    In turn: the same text; the same except for blanks, quotes, case and full-width signs (`close`); a number or `Q2`
    that gives the place (`position`); similar in most of it (`close`); somewhat similar and at the same place of a list
    of the same length (`position`). Every key is used once at most. Equal texts are matched in order.
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
    """The text without what judges change when they repeat it: blanks, kinds of quotes, case, full-width signs."""
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
    """Match the most similar pair first; of equally similar ones the one with the nearest places."""
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
    """(ratio, question, key) for every open question and key of at least this similarity."""
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


# Opinion: the verdicts matched to the questions, scored, with their oddities named.


SAME_WEIGHT = 1e-6


def opinion(verdicts: Verdicts, judged: JudgedItem) -> Opinion:
    """The score uses the checklist's own weights and rule. A question without a yes or no is not met."""
    entries = list(verdicts.root.items())
    joints = join([question.text for question in judged.checklist], [key for key, _value in entries])
    weights = [question.weight for question in judged.checklist]
    pieces = [_piece(index, joint, entries, weights) for index, joint in enumerate(joints)]
    met = {index for index, piece in enumerate(pieces[: len(weights)]) if piece.score_first}
    note = "\n".join(_odd_weights(joints, entries, weights))
    return Opinion(score(met, weights, judged.rule), pieces=pieces, note=note)


def unanswered(opinion: Opinion) -> int:
    """Number of questions without any verdict."""
    return sum(piece.score_first is None for piece in opinion.pieces if piece.joined != "surplus")


def _piece(
    index: int, joint: Joint, entries: Sequence[tuple[str, Given]], weights: Sequence[float | None]
) -> OpinionPart:
    """The part of a joint: for a question by its number, else for a key that fits none."""
    axis = str(index + 1) if joint.question is not None else f"surplus/{index - len(weights) + 1}"
    weight = weights[joint.question] if joint.question is not None else None
    if joint.said is None:
        return OpinionPart(axis, weight=weight, joined=joint.how)
    label, value = entries[joint.said]
    result = None if value.result is None else float(value.result)
    return OpinionPart(axis, label, result, weight=weight, reason=value.reason, joined=joint.how)


def _odd_weights(
    joints: Sequence[Joint], entries: Sequence[tuple[str, Given]], weights: Sequence[float | None]
) -> list[str]:
    """Weights that the judge repeated wrongly: a sign of a careless judge, without effect on the score."""
    notes = []
    for joint in joints:
        if joint.question is None or joint.said is None:
            continue
        preset, judge_weight = weights[joint.question], entries[joint.said][1].weight
        if preset is not None and judge_weight is not None and abs(judge_weight - preset) > SAME_WEIGHT:
            words = _("Question %(no)d has weight %(preset)s; the judge wrote %(told)s.")
            notes.append(words % {"no": joint.question + 1, "preset": f"{preset:g}", "told": f"{judge_weight:g}"})
    return notes
