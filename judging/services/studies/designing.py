"""Which of all that could be asked is asked, by the design."""

from collections.abc import Sequence
from math import ceil, comb

from django.utils.translation import gettext as _

from annotate.services.errors import Refused
from judging.services.studies.sampling import chance
from judging.services.studies.wishes import ADAPTIVE, ALL, DESIGNS, RANDOM, Design, Wish
from lib.stats.designs.choosing import Candidate, at_random, balanced

LEAST_WAVES = 20


def checked(wish: Wish) -> None:
    """Raises Refused where a design does not go together with the votes or with itself."""
    design = wish.design
    if design.name not in DESIGNS:
        raise Refused(
            _("“%(design)s” is no design. Choose one of: %(known)s.")
            % {"design": design.name, "known": ", ".join(DESIGNS)}
        )
    if design.overlap < 1:
        raise Refused(_("At least one person has to vote on each item."))
    if not 0 <= design.repeats <= 1 or not 0 <= design.floor <= 1:
        raise Refused(_("A share lies between 0 and 1."))
    if design.apart < 1 or design.wave < 0:
        raise Refused(_("At least one other item lies between a pair and its repetition."))
    if wish.kind.answers_shown != 2 and (design.repeats or design.name == ADAPTIVE):
        raise Refused(_("Only pairs have sides to exchange, and a ranking to be uncertain about."))
    if design.per_item < 0 or (design.per_item and design.name != RANDOM):
        raise Refused(_("Only a draw at random takes a number of pairs of one item, and it is 1 or more."))
    if design.name == ADAPTIVE and design.budget is None:
        raise Refused(_("An adaptive design asks until its budget of votes is used up. Say how many votes."))
    if design.room == 0:
        raise Refused(_("%(budget)d votes are not enough for one pair.") % {"budget": design.budget})


def chosen(wish: Wish, candidates: Sequence[Candidate]) -> list[int]:
    """Places of what is asked about now, ascending. Raises Refused where everything is more than the budget."""
    design = wish.design
    room = len(candidates) if design.room is None else design.room
    if design.name == ALL:
        if room < len(candidates):
            message = _(
                "Everything about these items takes %(votes)d votes, more than the budget. Choose another design."
            )
            raise Refused(message % {"votes": design.votes_of(len(candidates))})
        return list(range(len(candidates)))
    rng = chance(wish.seed, "design")
    if design.name == RANDOM:
        return at_random(candidates, room, rng, design.per_item)
    return balanced(candidates, first_wave(design, len(wish.authors)) if design.name == ADAPTIVE else room, rng)


def wave_size(design: Design, authors: int) -> int:
    """Pairs of a wave; the last one is smaller where the budget ends."""
    return design.wave or max(comb(authors, 2), ceil((design.room or 0) / LEAST_WAVES))


def first_wave(design: Design, authors: int) -> int:
    """Before there are votes every pair is worth the same: one of each at least."""
    return min(max(wave_size(design, authors), comb(authors, 2)), design.room or 0)


def repeated(design: Design, seed: int, keys: Sequence[frozenset[int | None]], wave: int = 0) -> list[int]:
    """Places, ascending, of the vote items that are asked once more."""
    rng = chance(seed, "repeats", wave)
    return sorted(rng.sample(range(len(keys)), design.repeats_of(len(keys))))
