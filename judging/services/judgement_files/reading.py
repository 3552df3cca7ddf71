"""One judgement of a file made into what is stored, and what is odd about it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import ngettext

from annotate.formats.rows import printable
from judging.formats.base import Judgement
from judging.models import Part, Verdict
from judging.services.judgement_files.targets import Target
from judging.strategies.base import Opinion, Piece
from judging.strategies.checklist.reading import opinion
from judging.strategies.checklist.told import Given, Verdicts
from lib.texts.said import say as _

SAME_SCORE = 1e-6
SHOWN_OF_A_KEY = 120  # characters


@dataclass(frozen=True)
class Prepared:
    """A judgement with its item. oddity: what people are told of it, at most one sentence; "" for a usual one.

    difference: (the file's own score, ours), where they are not the same. older: for the note of the answer.
    """

    judgement: Judgement
    target: Target
    reading: str
    score: float | None = None
    pieces: Sequence[Piece] = ()
    note: str = ""
    oddity: str = ""
    difference: tuple[float, float] | None = None
    older: str = ""


def prepare(judgement: Judgement, target: Target) -> Prepared:
    """The score comes from what was said about each question, by the rule of the item; the file's own is compared."""
    older = _older_texts(judgement, target)
    if judgement.failed:
        return _failed(judgement, target, older)
    judge_opinion = opinion(_verdicts(judgement), target.judged)
    difference = _difference(judgement.score, judge_opinion.score_first or 0.0)
    return Prepared(
        judgement,
        target,
        Verdict.Reading.OK.value,
        score=judge_opinion.score_first,
        pieces=judge_opinion.pieces,
        note="\n".join(filter(None, [judge_opinion.note, _compared(difference)])),
        oddity=_oddity(judge_opinion),
        difference=difference,
        older=older,
    )


def _failed(judgement: Judgement, target: Target, older: str) -> Prepared:
    message = _("Failed call: “%(instead)s” stands where the judgement should. It is kept and counts 0.")
    return Prepared(
        judgement,
        target,
        Verdict.Reading.FAILED.value,
        note=judgement.failed,
        oddity=message % {"instead": judgement.failed},
        difference=_difference(judgement.score, 0.0),
        older=older,
    )


def _verdicts(judgement: Judgement) -> Verdicts:
    """Without checking again what the format has read."""
    verdict_by_key = {
        key: Given.model_construct(reason=verdict.reason, result=verdict.met, weight=verdict.weight)
        for key, verdict in judgement.said.items()
    }
    return Verdicts.model_construct(verdict_by_key)


def _difference(file: float | None, ours: float) -> tuple[float, float] | None:
    return None if file is None or abs(file - ours) <= SAME_SCORE else (file, ours)


def _compared(difference: tuple[float, float] | None) -> str:
    if difference is None:
        return ""
    message = _("The file's own score is %(file)s; what was said about each question gives %(ours)s.")
    return message % {"file": f"{difference[0]:g}", "ours": f"{difference[1]:g}"}


def _oddity(judge_opinion: Opinion) -> str:
    questions = [piece for piece in judge_opinion.pieces if piece.joined != Part.Joined.SURPLUS]
    missing = sum(piece.joined == Part.Joined.NONE for piece in questions)
    if missing:
        message = ngettext(
            "Collapsed verdict: %(missing)d of %(all)d questions has none of its own. It counts as not met.",
            "Collapsed verdict: %(missing)d of %(all)d questions have none of their own. They count as not met.",
            missing,
        )
        return message % {"missing": missing, "all": len(questions)}
    inexact = [piece.label for piece in judge_opinion.pieces if piece.joined != Part.Joined.EXACT]
    if inexact:
        message = ngettext(
            "Differing keys: “%(key)s” is no question of the checklist word for word. It was joined by likeness.",
            "Differing keys: “%(key)s” and others, %(count)d in all, are no questions of the checklist word for word. "
            "They were joined by likeness.",
            len(inexact),
        )
        return message % {"count": len(inexact), "key": printable(inexact[0], most=SHOWN_OF_A_KEY)}
    unread = sum(piece.score_first is None for piece in questions)
    if unread:
        message = ngettext(
            "Unreadable: %(count)d question is answered with neither yes nor no. It counts as not met.",
            "Unreadable: %(count)d questions are answered with neither yes nor no. They count as not met.",
            unread,
        )
        return message % {"count": unread}
    return ""


def _older_texts(judgement: Judgement, target: Target) -> str:
    """The texts that candidate and judge had where they are not the item's of today."""
    now = [str(message["content"]) for message in target.judged.messages]
    pairs = zip(judgement.texts.items(), now, strict=False)
    changed_texts = [f"{name}:\n{text}" for (name, text), today in pairs if text != today]
    if judgement.checklist is not None and judgement.checklist != [
        question.text for question in target.judged.checklist
    ]:
        changed_texts.append("checklist:\n" + "\n".join(judgement.checklist))
    if not changed_texts:
        return ""
    heading = _("Answered and judged with other texts than the item has today:")
    return "\n\n".join([heading, *changed_texts])
