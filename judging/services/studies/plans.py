"""What a draw would take, as a lead looks at it and as a study keeps it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from annotate.models import Item
from judging.models import Author
from judging.services.studies import naming
from judging.services.studies.naming import Named
from judging.services.studies.wishes import ADAPTIVE, Wish

LISTED = 500  # answers in which a model is named that a study keeps a list of
LEFT_OUT: dict[str, str | Promise] = {
    "unreadable": gettext_lazy("their texts do not read any more"),
    "unanswered": gettext_lazy("one of the authors has no answer with a text"),
    "nothing_to_ask": gettext_lazy("there is nothing to vote on, such as an empty checklist"),
    "named": gettext_lazy("their answers name a model"),
    "drawn_before": gettext_lazy("all that would be asked about them was drawn into this project before"),
    "not_drawn": gettext_lazy("chance did not draw them"),
}


@dataclass(frozen=True)
class Vote:
    """One vote item to be: its facts, and the answers in the order in which they show them."""

    item: Item
    stratum: str
    facts: dict[str, Any]
    first: int
    second: int | None = None

    @property
    def answers(self) -> frozenset[int]:
        return frozenset(answer for answer in (self.first, self.second) if answer is not None)


@dataclass(frozen=True)
class Plan:
    """votes: in the order in which they will stand; repeats: places of those that are asked once more.

    strata: name -> (items there are, items drawn). left_out: reason -> items of the source, all of them accepted ones.
    found: answers in which a model is named, of the votes and of the pairs that are set aside; aside: how many pairs
    are. short: names that are too short to be looked for. pool: items of which further waves take pairs.
    """

    wish: Wish
    authors: Sequence[Author]
    votes: Sequence[Vote]
    items: int
    answers: int
    strata: Mapping[str, tuple[int, int]]
    left_out: Mapping[str, int] = field(default_factory=dict)
    repeats: Sequence[int] = ()
    found: Sequence[Named] = ()
    aside: int = 0
    short: Sequence[str] = ()
    pool: Sequence[int] = ()

    @property
    def asked(self) -> int:
        """Votes of people that the plan asks for: of an adaptive design all of its budget."""
        design = self.wish.design
        if design.name == ADAPTIVE and design.room is not None:
            return design.votes_of(design.room)
        return len(self.votes) * design.overlap + len(self.repeats)

    @property
    def repeats_too_far(self) -> bool:
        """Whether even somebody who votes on everything is never far enough from a pair to be asked about it again."""
        design = self.wish.design
        pairs = design.room if design.name == ADAPTIVE and design.room is not None else len(self.votes)
        return bool(self.repeats) and pairs <= design.apart

    @property
    def counts(self) -> dict[str, Any]:
        """As a study keeps it."""
        return {
            "items": self.items,
            "answers": self.answers,
            "votes": len(self.votes),
            "repeats": len(self.repeats),
            "asked": self.asked,
            "strata": {name: list(sizes) for name, sizes in self.strata.items()},
            "left_out": dict(self.left_out),
            "named": {"answers": len(self.found), "aside": self.aside, "too_short": list(self.short)},
        }

    @property
    def listed(self) -> list[dict[str, Any]]:
        """Answers in which a model is named, as a study keeps them."""
        return [naming.listed(mention) for mention in self.found[:LISTED]]
