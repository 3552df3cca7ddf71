"""Judging in both orders: a case is shown in one order, and the opinion is mapped back to the stored order."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from annotate.kinds.protocol import Ask, Prompts
from judging.strategies.strategy import Opinion, OpinionPart, ShownCase, Strategy, Unparsed
from lib.texts.suspicions import suspicions

OTHER = {"first": "second", "second": "first"}


@dataclass(frozen=True)
class OrderJudgement:
    """The result of one order of one repeat. note: parts of the answers that seem to address the judge."""

    said: Opinion | Unparsed
    repeat: int = 1
    swapped: bool = False
    note: str = ""


@dataclass(frozen=True)
class OrderJudgements:
    """All results of one job: each repeat, in each order."""

    each: Sequence[OrderJudgement]

    def told(self) -> Iterator[tuple[str, str]]:
        """Labelled texts, for the page that compares two wordings of a prompt."""
        for judgement in self.each:
            texts = _unread(judgement.said) if isinstance(judgement.said, Unparsed) else _shown_lines(judgement.said)
            yield from ((f"{label}{_order(judgement)}", text) for label, text in texts)

    def verdict(self) -> str:
        """The verdict in a few words; one for each order if they differ."""
        return "; ".join(dict.fromkeys(map(_verdict, self.each)))


def _verdict(judgement: OrderJudgement) -> str:
    return _("Not readable") if isinstance(judgement.said, Unparsed) else _decision(judgement.said)


def _decision(opinion: Opinion) -> str:
    scores = [f"{score:g}" for score in (opinion.score_first, opinion.score_second) if score is not None]
    words = [word_of(opinion.preferred)] if opinion.preferred else []
    return " · ".join([*words, " : ".join(scores)] if scores else words) or _("no overall verdict")


def word_of(choice: str) -> str:
    words = {
        "first": _("First answer better"),
        "second": _("Second answer better"),
        "tie": _("Equal"),
        "both_good": _("Both good"),
        "both_bad": _("Both bad"),
    }
    return words.get(choice, choice)


def _order(judgement: OrderJudgement) -> str:
    repeat = f", {judgement.repeat}" if judgement.repeat > 1 else ""
    return repeat + (_(", swapped") if judgement.swapped else "")


def _unread(unparsed: Unparsed) -> Iterator[tuple[str, str]]:
    yield _("Not readable"), unparsed.reason
    yield _("Reply"), unparsed.said


def _shown_lines(opinion: Opinion) -> Iterator[tuple[str, str]]:
    yield _("Verdict"), _decision(opinion)
    yield _("Explanation"), opinion.reason
    for piece in opinion.pieces:
        scores = [f"{score:g}" for score in (piece.score_first, piece.score_second) if score is not None]
        yield piece.label or piece.axis, "\n".join(filter(None, [" : ".join(scores) or "–", piece.reason]))


async def judged(
    strategy: Strategy, case: ShownCase, prompts: Prompts, ask: Ask, *, repeat: int = 1, swapped: bool = False
) -> OrderJudgement:
    """case: with the answers as they are stored. swapped: the judge sees the second one first.

    Raises CallFailed if no reply came at all.
    """
    path = f"judge/{repeat}/swapped" if swapped else f"judge/{repeat}"
    case_in_order = replace(case, at=path, repeat=repeat)
    if swapped:
        assert case.second is not None, "there is nothing to swap a single answer with"
        case_in_order = replace(case_in_order, first=case.second, second=case.first, swapped=True)
    opinion = on_scale(await strategy.judge(case_in_order, prompts, ask), strategy, case.options)
    if swapped and isinstance(opinion, Opinion):
        opinion = turned(opinion)
    return OrderJudgement(opinion, repeat, swapped, "\n".join(_suspicious(strategy, case)))


def on_scale(opinion: Opinion | Unparsed, strategy: Strategy, options: Any) -> Opinion | Unparsed:
    """The opinion, or Unparsed if a score is not a finite number on the strategy's scale: judges write anything.

    Raises ValueError for a score of a strategy that names no scale, which is a fault of the strategy.
    """
    if isinstance(opinion, Unparsed):
        return opinion
    scores = _known(opinion.score_first, opinion.score_second)
    scale = strategy.scale_of(options)
    if scores and scale is None and not strategy.answers_checklist:
        raise ValueError(f"{type(strategy).__name__} gives a score and names no scale: set `scale`.")
    off = [score for score in scores if scale is not None and not scale.holds(score)]
    if scale is not None and off:
        words = _("The score %(score)s is not on the scale from %(low)d to %(top)d.")
        return Unparsed(words % {"score": f"{off[0]:g}", "low": scale.low, "top": scale.top}, opinion.reason)
    parts = (_known(piece.score_first, piece.score_second, piece.weight) for piece in opinion.pieces)
    if not all(map(math.isfinite, (*scores, *(score for part in parts for score in part)))):
        return Unparsed(_("A score is not a finite number."), opinion.reason)
    return opinion


def _known(*numbers: float | None) -> list[float]:
    return [number for number in numbers if number is not None]


def turned(opinion: Opinion) -> Opinion:
    """An opinion on (second, first) as one on (first, second)."""
    return replace(
        opinion,
        score_first=opinion.score_second,
        score_second=opinion.score_first,
        choice=OTHER.get(opinion.choice, opinion.choice),
        pieces=[_turned(piece) for piece in opinion.pieces] or opinion.pieces,
    )


def _turned(piece: OpinionPart) -> OpinionPart:
    return replace(piece, score_first=piece.score_second, score_second=piece.score_first)


def _suspicious(strategy: Strategy, case: ShownCase) -> Iterator[str]:
    """Suspicious parts of the texts. The judge got them as data; people are told, to check the verdict."""
    for suspicion in suspicions(strategy.judged_texts(case)):
        yield _("%(text)s %(what)s: “%(excerpt)s”.") % {
            "text": _answer_label(suspicion.name, alone=case.second is None),
            "what": _(suspicion.what),
            "excerpt": suspicion.excerpt,
        }


def _answer_label(name: str, *, alone: bool) -> str:
    names = {
        "first": _("The answer") if alone else _("The first answer"),
        "second": _("The second answer"),
        "reference": _("The reference"),
        "material": _("The material"),
    }
    return names[name]
