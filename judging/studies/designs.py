"""Designs of draws: the plan of a draw (source, design, blinding), stratified sampling, and choice by design."""

import random
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from math import ceil, comb
from typing import Any, TypeVar

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.errors import Refused
from annotate.kinds.contract import Kind
from annotate.models import Project
from judging.studies.masking import PHRASES
from lib.stats.designs import FLOOR, PairCandidate, at_random, balanced

GROUP = "group"  # without a division, strata are the items' groups
ALL, RANDOM, BALANCED, ADAPTIVE = "all", "random", "balanced", "adaptive"
DESIGNS: Mapping[str, str | Promise] = {
    ALL: gettext_lazy("All pairs of all drawn items"),
    RANDOM: gettext_lazy("Random"),
    BALANCED: gettext_lazy("Balanced: every pair of models equally often, overall and in each group"),
    ADAPTIVE: gettext_lazy("Adaptive: in waves, where the ranking is still uncertain"),
}
MASKED, SET_ASIDE = "mask", "set_aside"
NAMES: Mapping[str, str | Promise] = {
    MASKED: gettext_lazy("mask the names"),
    SET_ASIDE: gettext_lazy("exclude the pair"),
}


@dataclass(frozen=True)
class Design:
    """overlap: people per vote item. budget: the most votes ever requested, repeats included; None for all.

    repeats: share of the votes that the same person is asked for again with the sides exchanged, at least `apart` other
    items later. For adaptive designs: floor, the share of a wave for the pairs that met least; wave, pairs drawn at a
    time, 0 for a twentieth of all. For random draws: per_item, the most pairs of one item; 0 for any number.
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
        """How many of `item_count` vote items are repeated: a share of their votes, at most one per item."""
        return min(round(self.repeats * item_count * self.overlap), item_count)

    def votes_of(self, item_count: int) -> int:
        return item_count * self.overlap + self.repeats_of(item_count)

    @property
    def room(self) -> int | None:
        """Number of vote items that the budget allows; None without a budget."""
        if self.budget is None:
            return None
        item_count = self.budget // self.overlap
        while item_count and self.votes_of(item_count) > self.budget:
            item_count -= 1
        return item_count


@dataclass(frozen=True)
class Blinding:
    """names: how to treat texts that name a model. also: further names to look for; never: names of authors that are
    not looked for, because they are ordinary words; phrases: how assistants speak of their origin."""

    names: str = MASKED
    also: Sequence[str] = ()
    never: Sequence[str] = ()
    phrases: Sequence[str] = PHRASES


@dataclass(frozen=True)
class DrawPlan:
    """The parameters of a draw. by: a division of what judges see, such as `task`, or `group`."""

    source: Project
    kind: Kind
    authors: Sequence[str]
    items: int
    seed: int
    by: str = GROUP
    target: Project | None = None  # None if it is still to be created
    design: Design = field(default_factory=Design)
    blinding: Blinding = field(default_factory=Blinding)

    def stored(self) -> dict[str, Any]:
        """The options as a study stores them, next to the names of its authors."""
        options = {"items": self.items, "by": self.by, "kind": self.kind.slug, "overlap": self.design.overlap}
        return options | {"design": asdict(self.design), "blinding": _lists(asdict(self.blinding))}


def design_of(options: Mapping[str, Any]) -> Design:
    """The design of a study; studies from before designs existed ask about everything."""
    return Design(**({"overlap": options.get("overlap", 1)} | options.get("design", {})))


def blinding_of(options: Mapping[str, Any]) -> Blinding:
    """The blinding of a study; texts of older studies are unchanged, and a scan of them uses today's defaults."""
    return Blinding(**options.get("blinding", {}))


def _lists(options: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in options.items()}


# Stratified sampling, reproducible from its seed. Pure.


T = TypeVar("T", bound=Hashable)


def allocate(sizes: Mapping[str, int], sample_size: int) -> dict[str, int]:
    """The part of `sample_size` for each stratum: proportional to its size, rounded by the largest remainder method.

    sizes: stratum -> its size. The parts add up to the smaller of `sample_size` and the total; none is larger than its
    stratum. For equal remainders the larger stratum, then the earlier name, comes first.
    """
    total = sum(sizes.values())
    sample_size = min(sample_size, total)
    if sample_size <= 0:
        return dict.fromkeys(sizes, 0)
    exact = {name: Fraction(sample_size * size, total) for name, size in sizes.items()}
    quotas = {name: int(share) for name, share in exact.items()}
    order = sorted(sizes, key=lambda name: (quotas[name] - exact[name], -sizes[name], name))
    for name in order[: sample_size - sum(quotas.values())]:
        quotas[name] += 1
    return quotas


def stratified(units: Sequence[tuple[T, str]], sample_size: int, seed: int) -> list[T]:
    """The drawn units, in their original order. units: (unit, stratum).

    The same units in the same order with the same seed give the same sample; the sample of a stratum depends on the
    others only by the number of units that it has to give.
    """
    strata: dict[str, list[T]] = defaultdict(list)
    for unit, stratum in units:
        strata[stratum].append(unit)
    shares = allocate({name: len(members) for name, members in strata.items()}, sample_size)
    sample = {
        unit for name, members in strata.items() for unit in chance(seed, "items", name).sample(members, shares[name])
    }
    return [unit for unit, _stratum in units if unit in sample]


def chance(seed: int, *key_parts: object) -> random.Random:
    """A random generator for one decision of a draw, independent of those for other decisions."""
    return random.Random("/".join(map(str, (seed, *key_parts))))  # noqa: S311 - a reproducible draw, not a secret


# Choice by design: the pairs or answers of all candidates that people are asked about.


LEAST_WAVES = 20


def checked(wish: DrawPlan) -> None:
    """Raises Refused if a design does not fit the votes or contradicts itself."""
    design = wish.design
    if design.name not in DESIGNS:
        raise Refused(
            _("“%(design)s” is not a design. Choose one of: %(known)s.")
            % {"design": design.name, "known": ", ".join(DESIGNS)}
        )
    if design.overlap < 1:
        raise Refused(_("At least one person has to vote on each item."))
    if not 0 <= design.repeats <= 1 or not 0 <= design.floor <= 1:
        raise Refused(_("A share must be between 0 and 1."))
    if design.apart < 1 or design.wave < 0:
        raise Refused(_("At least one other item must come between a pair and its repetition."))
    if wish.kind.answers_shown != 2 and (design.repeats or design.name == ADAPTIVE):
        raise Refused(_("Repetitions and the adaptive design need pairs of answers."))
    if design.per_item < 0 or (design.per_item and design.name != RANDOM):
        raise Refused(_("The limit of pairs per item is for the random design only, and must be 1 or more."))
    if design.name == ADAPTIVE and design.budget is None:
        raise Refused(_("An adaptive design runs until its vote budget is used up. Enter the number of votes."))
    if design.room == 0:
        raise Refused(_("%(budget)d votes are not enough for one pair.") % {"budget": design.budget})


def chosen_candidates(wish: DrawPlan, candidates: Sequence[PairCandidate]) -> list[int]:
    """Ascending indexes of the candidates drawn now. Raises Refused if the full set exceeds the budget."""
    design = wish.design
    room = len(candidates) if design.room is None else design.room
    if design.name == ALL:
        if room < len(candidates):
            message = _("All pairs of these items take %(votes)d votes, more than the budget. Choose another design.")
            raise Refused(message % {"votes": design.votes_of(len(candidates))})
        return list(range(len(candidates)))
    rng = chance(wish.seed, "design")
    if design.name == RANDOM:
        return at_random(candidates, room, rng, design.per_item)
    return balanced(candidates, first_wave(design, len(wish.authors)) if design.name == ADAPTIVE else room, rng)


def wave_size(design: Design, authors: int) -> int:
    """Pairs of a wave; the last one is smaller if the budget ends."""
    return design.wave or max(comb(authors, 2), ceil((design.room or 0) / LEAST_WAVES))


def first_wave(design: Design, authors: int) -> int:
    """Size of the first wave: without votes all pairs are equally useful, so at least one of each."""
    return min(max(wave_size(design, authors), comb(authors, 2)), design.room or 0)


def repeated(design: Design, seed: int, keys: Sequence[frozenset[int | None]], wave: int = 0) -> list[int]:
    """Ascending indexes of the vote items that are repeated."""
    rng = chance(seed, "repeats", wave)
    return sorted(rng.sample(range(len(keys)), design.repeats_of(len(keys))))
