"""One case put to a strategy in one order, and the opinion turned back so that `first` is always the first answer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from annotate.kinds.protocol import Ask, Prompts
from judging.strategies.base import Opinion, Piece, Shown, Strategy, Unparsed
from lib.texts.suspicions import suspicions

OTHER = {"first": "second", "second": "first"}


@dataclass(frozen=True)
class Judgement:
    """What came of one order of one repeat. note: what in the answers looks as if it spoke to the judge."""

    said: Opinion | Unparsed
    repeat: int = 1
    swapped: bool = False
    note: str = ""


@dataclass(frozen=True)
class Judgements:
    """Everything that one job asked: each repeat, in each order."""

    each: Sequence[Judgement]

    def told(self) -> Iterator[tuple[str, str]]:
        """Labelled texts, for whoever compares two wordings of a prompt."""
        for one in self.each:
            texts = _unread(one.said) if isinstance(one.said, Unparsed) else _told(one.said)
            yield from ((f"{label}{_order(one)}", text) for label, text in texts)

    def verdict(self) -> str:
        """The verdict in a few words; of several orders each, where they differ."""
        return "; ".join(dict.fromkeys(map(_verdict, self.each)))


def _verdict(one: Judgement) -> str:
    return _("Not readable") if isinstance(one.said, Unparsed) else _decision(one.said)


def _decision(said: Opinion) -> str:
    scores = [f"{score:g}" for score in (said.score_first, said.score_second) if score is not None]
    words = [word_of(said.preferred)] if said.preferred else []
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


def _order(one: Judgement) -> str:
    repeat = f", {one.repeat}" if one.repeat > 1 else ""
    return repeat + (_(", swapped") if one.swapped else "")


def _unread(said: Unparsed) -> Iterator[tuple[str, str]]:
    yield _("Not readable"), said.reason
    yield _("Reply"), said.said


def _told(said: Opinion) -> Iterator[tuple[str, str]]:
    yield _("Verdict"), _decision(said)
    yield _("Explanation"), said.reason
    for piece in said.pieces:
        given = [f"{score:g}" for score in (piece.score_first, piece.score_second) if score is not None]
        yield piece.label or piece.axis, "\n".join(filter(None, [" : ".join(given) or "–", piece.reason]))


async def judged(
    strategy: Strategy, shown: Shown, prompts: Prompts, ask: Ask, *, repeat: int = 1, swapped: bool = False
) -> Judgement:
    """shown: with the answers as they are stored. swapped: the judge sees the second one first.

    Raises CallFailed where no reply came at all.
    """
    at = f"judge/{repeat}/swapped" if swapped else f"judge/{repeat}"
    seen = replace(shown, at=at)
    if swapped:
        assert shown.second is not None, "there is nothing to swap a single answer with"
        seen = replace(seen, first=shown.second, second=shown.first, swapped=True)
    said = await strategy.judge(seen, prompts, ask)
    if swapped and isinstance(said, Opinion):
        said = turned(said)
    return Judgement(said, repeat, swapped, "\n".join(_suspicious(shown)))


def turned(said: Opinion) -> Opinion:
    """An opinion on (second, first) as one on (first, second)."""
    return replace(
        said,
        score_first=said.score_second,
        score_second=said.score_first,
        choice=OTHER.get(said.choice, said.choice),
        pieces=[_turned(piece) for piece in said.pieces] or said.pieces,
    )


def _turned(piece: Piece) -> Piece:
    return replace(piece, score_first=piece.score_second, score_second=piece.score_first)


def _suspicious(shown: Shown) -> Iterator[str]:
    """The judge was given it as data; people are told, so that they can look whether it held."""
    texts = {"first": shown.first, "second": shown.second, "reference": shown.reference}
    for found in suspicions({name: text for name, text in texts.items() if text is not None}):
        yield _("%(text)s %(what)s: “%(excerpt)s”.") % {
            "text": _called(found.name, alone=shown.second is None),
            "what": _(found.what),
            "excerpt": found.excerpt,
        }


def _called(name: str, *, alone: bool) -> str:
    names = {
        "first": _("The answer") if alone else _("The first answer"),
        "second": _("The second answer"),
        "reference": _("The reference"),
    }
    return names[name]
