"""Rankings by people and by each judge, whole and by a division of the items."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from annotate.models import Project
from judging.services.rankings.fights import Fight, Side, battles_of, sides
from judging.services.ratings.orders import groups_of
from judging.services.remembering import remembered
from lib.stats.bootstrap import DRAWS
from lib.stats.ranking.battles import Battles
from lib.stats.ranking.beside import Beside, beside, scores
from lib.stats.ranking.standings import Ranking, ranking

DIVISIONS = ("group", "language")


@dataclass(frozen=True)
class Ranked:
    """side: whose preferences they are. group: None for all items. people: how this list goes together with that of
    people in the same group; None of people themselves and where they rank nobody. fights: of the group."""

    side: Side
    group: str | None
    ranking: Ranking
    people: Beside | None = None
    fights: Sequence[Fight] = ()


def rankings(
    project: Project,
    by: str = "",
    *,
    given: Sequence[Side] | None = None,
    davidson: bool = False,
    count: int = DRAWS,
) -> list[Ranked]:
    """People first, then judges. by: one of DIVISIONS, or "" for all items in one. davidson: ties as an outcome of
    their own."""
    groups = groups_of(project, by)
    ranked_sides = [
        Ranked(
            side,
            group,
            _kept(battles_of(side, fights), count, davidson=davidson),
            fights=side.fights if fights is None else fights,
        )
        for side in (sides(project) if given is None else given)
        for group, fights in _divided(side, groups).items()
    ]
    peoples = {ranked.group: ranked.ranking for ranked in ranked_sides if ranked.side.rater is None}
    return [_beside_people(ranked, peoples.get(ranked.group)) for ranked in ranked_sides]


def without_recognised(ranked: Ranked, *, davidson: bool = False, count: int = DRAWS) -> tuple[int, Ranking] | None:
    """How many votes were given by somebody who believes to know a model, and the ranking without them; None where
    nobody does."""
    blind = [fight for fight in ranked.fights if not fight.recognised]
    if len(blind) == len(ranked.fights):
        return None
    return len(ranked.fights) - len(blind), _kept(battles_of(ranked.side, blind), count, davidson=davidson)


def _divided(side: Side, groups: Mapping[int, str] | None) -> Mapping[str | None, Sequence[Fight] | None]:
    if groups is None:
        return {None: None}
    fights_by_group: dict[str, list[Fight]] = defaultdict(list)
    for fight in side.fights:
        fights_by_group[groups[fight.item]].append(fight)
    return {group: fights_by_group[group] for group in sorted(fights_by_group)}


def _kept(battles: Battles, count: int, *, davidson: bool) -> Ranking:
    """The same battles are not drawn again for every look at a page."""
    key_parts = [
        battles.names,
        battles.left_won,
        battles.right_won,
        battles.unordered,
        sorted(battles.skipped.items()),
        count,
        davidson,
    ]
    state = sha256(repr(key_parts).encode("utf-8", "surrogatepass") + battles.wins.tobytes() + battles.ties.tobytes())
    if battles.alike is not None:
        for column in (battles.alike.item, battles.alike.left, battles.alike.right, battles.alike.outcome):
            state.update(column.tobytes())
    return remembered("ranking", state.hexdigest(), lambda: ranking(battles, davidson=davidson, count=count))


def _beside_people(ranked: Ranked, people: Ranking | None) -> Ranked:
    if ranked.side.rater is None or people is None or people.fit is None:
        return ranked
    return replace(ranked, people=beside(ranked.ranking, scores(people)))
