"""One case put to a strategy in one order, and the opinion turned back so that `first` is always the first answer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from annotate.llm.asking import Ask, Prompts
from annotate.texts.suspicions import suspicions
from judging.strategies.base import Opinion, Piece, Shown, Strategy, Unparsed

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
            if isinstance(one.said, Unparsed):
                yield _("Not readable"), one.said.reason
            else:
                yield from _told(one.said)


def _told(said: Opinion) -> Iterator[tuple[str, str]]:
    scores = [f"{score:g}" for score in (said.score_first, said.score_second) if score is not None]
    yield _("Score"), " : ".join(scores) or said.choice
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
