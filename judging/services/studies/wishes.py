"""What somebody wants to have drawn: from where, by which design, and how blind."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from annotate.kinds.base import Kind
from annotate.models import Project
from judging.services.studies.masking import PHRASES
from lib.stats.designs.adaptive import FLOOR

GROUP = "group"  # strata are the items' groups where nobody names a division
ALL, RANDOM, BALANCED, ADAPTIVE = "all", "random", "balanced", "adaptive"
DESIGNS: Mapping[str, str | Promise] = {
    ALL: gettext_lazy("Everything about the drawn items"),
    RANDOM: gettext_lazy("At random"),
    BALANCED: gettext_lazy("Balanced: every pair of authors, and every group of each, equally often"),
    ADAPTIVE: gettext_lazy("Adaptive: in waves, where the ranking is still uncertain"),
}
MASKED, SET_ASIDE = "mask", "set_aside"
NAMES: Mapping[str, str | Promise] = {
    MASKED: gettext_lazy("are masked"),
    SET_ASIDE: gettext_lazy("set the pair aside"),
}


@dataclass(frozen=True)
class Design:
    """overlap: people on each. budget: most votes that are ever asked for, repeats included; None: all there are.

    repeats: share of the votes that are asked of the same person once more with the sides exchanged, at least `apart`
    other items later. Of an adaptive design: floor, the share of a wave for the pairs that met least; wave, pairs drawn
    at a time, 0: a twentieth of them all. Of a draw at random: per_item, most pairs of one item; 0: any number.
    """

    name: str = ALL
    overlap: int = 1
    budget: int | None = None
    repeats: float = 0.0
    apart: int = 10
    floor: float = FLOOR
    wave: int = 0
    per_item: int = 0

    def repeats_of(self, item_count: int) -> int:
        """How many of so many vote items are asked once more: a share of their votes, of each item at most one."""
        return min(round(self.repeats * item_count * self.overlap), item_count)

    def votes_of(self, item_count: int) -> int:
        return item_count * self.overlap + self.repeats_of(item_count)

    @property
    def room(self) -> int | None:
        """How many vote items the budget is enough for; None without one."""
        if self.budget is None:
            return None
        item_count = self.budget // self.overlap
        while item_count and self.votes_of(item_count) > self.budget:
            item_count -= 1
        return item_count


@dataclass(frozen=True)
class Blinding:
    """names: what becomes of texts in which a model is named. also: further names to look for; never: names of authors
    that are not looked for, because they are ordinary words; phrases: how assistants speak of where they come from."""

    names: str = MASKED
    also: Sequence[str] = ()
    never: Sequence[str] = ()
    phrases: Sequence[str] = PHRASES


@dataclass(frozen=True)
class Wish:
    """What somebody wants to have drawn. by: a division of what judges see, such as `task`, or `group`."""

    source: Project
    kind: Kind
    authors: Sequence[str]
    items: int
    seed: int
    by: str = GROUP
    target: Project | None = None  # None while it is still to be made
    design: Design = field(default_factory=Design)
    blinding: Blinding = field(default_factory=Blinding)

    def stored(self) -> dict[str, Any]:
        """As a study keeps it, beside the names of its authors."""
        options = {"items": self.items, "by": self.by, "kind": self.kind.slug, "overlap": self.design.overlap}
        return options | {"design": asdict(self.design), "blinding": _lists(asdict(self.blinding))}


def design_of(options: Mapping[str, Any]) -> Design:
    """Of a study; one from before designs could be chosen asks about everything."""
    return Design(**({"overlap": options.get("overlap", 1)} | options.get("design", {})))


def blinding_of(options: Mapping[str, Any]) -> Blinding:
    """Of a study; the texts of an older one are as they were, and a scan of it looks for what it would today."""
    return Blinding(**options.get("blinding", {}))


def _lists(options: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in options.items()}
