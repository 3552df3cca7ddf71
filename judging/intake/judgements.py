"""Lookup of the items that imported judgements are about, and conversion of a judgement into what is stored.

Items are looked up in chunks and kept in memory while a file is read.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import ngettext

from annotate.formats.rows import printable
from annotate.kinds.protocol import JudgedItem
from annotate.models import Item, Project
from judging.answers.cases import cases, judgeable
from judging.formats.format import Judgement, PairJudgement
from judging.models import Part, Verdict
from judging.strategies.checklist.checklist_replies import Given, Verdicts
from judging.strategies.checklist.joints import opinion
from judging.strategies.strategy import Opinion, OpinionPart
from lib.texts.stored_sentences import say as _

REMEMBERED = 5000  # items; of a larger project the oldest are looked up again


@dataclass(frozen=True)
class JudgedTarget:
    """One decided item as a judge would see it today. answers: author -> (sort, text) of those that it holds."""

    item_id: int
    judged: JudgedItem
    sha256: str
    answers: Mapping[str, tuple[str, str]] = field(default_factory=dict)


class JudgedTargets:
    """`find` for a part of a file, then ask for each judgement's item with `of`."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._by_key: dict[str, JudgedTarget] = {}
        self._keys: dict[bytes, str] | None = None  # digest of the first message -> key; "" if several items have it
        self._undecided: set[str] = set()

    def find(self, judgements: Iterable[Judgement | PairJudgement]) -> None:
        """Load the items of these: two queries at most, and once one over all items if texts identify them."""
        new_keys = {self._key(judgement) for judgement in judgements} - {""} - self._by_key.keys()
        if not new_keys:
            return
        if len(self._by_key) + len(new_keys) > REMEMBERED:
            self._by_key.clear()
        for case in cases(judgeable(self._project).filter(key__in=new_keys)):
            self._by_key[case.item.key] = JudgedTarget(case.item.pk, case.judged, case.judged.sha256, case.answers)
        missing = new_keys - self._by_key.keys()
        undecided_items = Item.objects.filter(project=self._project, key__in=missing)
        self._undecided = set(undecided_items.values_list("key", flat=True))

    def of(self, judgement: Judgement | PairJudgement) -> JudgedTarget | str:
        """The item, or why there is none for the judgement."""
        key = self._key(judgement)
        if key in self._by_key:
            return self._by_key[key]
        if key in self._undecided:
            return _("The item “%(key)s” is not accepted yet. Accept it, then import again.") % {"key": key}
        if judgement.key:
            return _unknown(judgement.key)
        if self._digest(judgement) in (self._keys or {}):
            return _("Several items begin with this message, so the match is not clear.")
        return _("No accepted item of this project begins with this message.")

    def _key(self, judgement: Judgement | PairJudgement) -> str:
        if judgement.key:
            return judgement.key
        if self._keys is None:
            self._keys = self._read_keys()
        return self._keys.get(self._digest(judgement), "")

    def _read_keys(self) -> dict[bytes, str]:
        key_by_digest: dict[bytes, str] = {}
        for case in cases(judgeable(self._project)):
            digest = _digest(str(case.judged.messages[0]["content"]))
            key_by_digest[digest] = "" if digest in key_by_digest else case.item.key
        return key_by_digest

    def _digest(self, judgement: Judgement | PairJudgement) -> bytes:
        return _digest(next(iter(judgement.texts.values()), ""))


def _unknown(key: str) -> str:
    message = _(
        "There is no item with the key “%(key)s” in this project. Import the items first. For a published "
        "dataset use its own format (--format), which sets these keys."
    )
    return message % {"key": key}


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


# Conversion: one judgement of a file into what is stored, with its oddities.


SAME_SCORE = 1e-6
SHOWN_OF_A_KEY = 120  # characters


@dataclass(frozen=True)
class PreparedJudgement:
    """A judgement with its item. oddity: a warning for people, at most one sentence; "" if there is none.

    difference: (the file's own score, ours), if they differ. older: for the note of the answer.
    """

    judgement: Judgement
    target: JudgedTarget
    reading: str
    score: float | None = None
    pieces: Sequence[OpinionPart] = ()
    note: str = ""
    oddity: str = ""
    difference: tuple[float, float] | None = None
    older: str = ""


def prepare(judgement: Judgement, target: JudgedTarget) -> PreparedJudgement:
    """The score is computed from each question by the rule of the item, and compared with the file's own score."""
    older = _older_texts(judgement, target)
    if judgement.failed:
        return _failed(judgement, target, older)
    judge_opinion = opinion(_verdicts(judgement), target.judged)
    difference = _difference(judgement.score, judge_opinion.score_first or 0.0)
    return PreparedJudgement(
        judgement,
        target,
        Verdict.Reading.OK.value,
        score=judge_opinion.score_first,
        pieces=judge_opinion.pieces,
        note="\n".join(filter(None, [judge_opinion.note, _difference_note(difference)])),
        oddity=_oddity(judge_opinion),
        difference=difference,
        older=older,
    )


def _failed(judgement: Judgement, target: JudgedTarget, older: str) -> PreparedJudgement:
    message = _("Failed call: the judgement is “%(instead)s”. It is kept and counts as 0.")
    return PreparedJudgement(
        judgement,
        target,
        Verdict.Reading.FAILED.value,
        note=judgement.failed,
        oddity=message % {"instead": judgement.failed},
        difference=_difference(judgement.score, 0.0),
        older=older,
    )


def _verdicts(judgement: Judgement) -> Verdicts:
    """The verdicts, without validating again what the format has parsed."""
    verdict_by_key = {
        key: Given.model_construct(reason=verdict.reason, result=verdict.met, weight=verdict.weight)
        for key, verdict in judgement.said.items()
    }
    return Verdicts.model_construct(verdict_by_key)


def _difference(file: float | None, ours: float) -> tuple[float, float] | None:
    return None if file is None or abs(file - ours) <= SAME_SCORE else (file, ours)


def _difference_note(difference: tuple[float, float] | None) -> str:
    if difference is None:
        return ""
    message = _("The file's own score is %(file)s; the verdicts on the questions give %(ours)s.")
    return message % {"file": f"{difference[0]:g}", "ours": f"{difference[1]:g}"}


def _oddity(judge_opinion: Opinion) -> str:
    questions = [piece for piece in judge_opinion.pieces if piece.joined != Part.Joined.SURPLUS]
    missing = sum(piece.joined == Part.Joined.NONE for piece in questions)
    if missing:
        message = ngettext(
            "Collapsed verdict: %(missing)d of %(all)d questions has no verdict of its own. It counts as not met.",
            "Collapsed verdict: %(missing)d of %(all)d questions have no verdict of their own. They count as not met.",
            missing,
        )
        return message % {"missing": missing, "all": len(questions)}
    inexact = [piece.label for piece in judge_opinion.pieces if piece.joined != Part.Joined.EXACT]
    if inexact:
        message = ngettext(
            "Differing keys: “%(key)s” is not on the checklist word for word. It was matched by similarity.",
            "Differing keys: “%(key)s” and others, %(count)d in all, are not on the checklist word for "
            "word. They were matched by similarity.",
            len(inexact),
        )
        return message % {"count": len(inexact), "key": printable(inexact[0], most=SHOWN_OF_A_KEY)}
    unread = sum(piece.score_first is None for piece in questions)
    if unread:
        message = ngettext(
            "Not readable: %(count)d question is answered with neither yes nor no. It counts as not met.",
            "Not readable: %(count)d questions are answered with neither yes nor no. They count as not met.",
            unread,
        )
        return message % {"count": unread}
    return ""


def _older_texts(judgement: Judgement, target: JudgedTarget) -> str:
    """The texts that candidate and judge had, if they differ from the item's of today."""
    now = [str(message["content"]) for message in target.judged.messages]
    pairs = zip(judgement.texts.items(), now, strict=False)
    changed_texts = [f"{name}:\n{text}" for (name, text), today in pairs if text != today]
    if judgement.checklist is not None and judgement.checklist != [
        question.text for question in target.judged.checklist
    ]:
        changed_texts.append("checklist:\n" + "\n".join(judgement.checklist))
    if not changed_texts:
        return ""
    heading = _("The item had other texts when it was answered and judged:")
    return "\n\n".join([heading, *changed_texts])
