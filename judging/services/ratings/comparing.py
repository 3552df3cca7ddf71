"""How far raters of a project agree, people and judges by the same code over the same units."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations

from annotate.models import Project
from judging.services.ratings import CHECKLIST, PREFERENCE, SCORE, Found, Rater, Rating
from judging.services.ratings.labels import TIE, UNREADABLE, counted_as_ties, first_said, majorities, word
from judging.services.ratings.orders import groups_of
from lib.stats import agreement
from lib.stats.agreement import RESAMPLES, SEED, Coefficient, Level
from lib.stats.agreement.names import RESAMPLED_PAIRS
from lib.stats.labels import Hits, hits

LEVELS: Mapping[str, Level] = {PREFERENCE: "nominal", CHECKLIST: "nominal", SCORE: "ordinal"}
DIVISIONS = ("group", "language", "axis")
Said = Mapping[tuple[Rater, str], Rating]
# Rater -> place among all, unit, rating: to look through everything for each of thousands of pairs takes minutes.
Given = Mapping[Rater, Sequence[tuple[int, str, Rating]]]


@dataclass(frozen=True)
class Compared:
    """Coefficients of some raters over the units that at least two of them have rated.

    group: None for all units. skipped: reason -> ratings that are none. sources: raters' votes or verdicts, by unit.
    """

    raters: Sequence[Rater]
    group: str | None
    units: Sequence[str]
    coefficients: Mapping[str, Coefficient]
    skipped: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Against:
    """A judge against the majority of people. unreadable: its ratings without a value, as_ties of them counted so."""

    judge: Rater
    hits: Hits
    unreadable: int
    as_ties: int


@dataclass(frozen=True)
class Agreement:
    """pairs: each two raters in each group; groups: all raters in each group, where there are several.

    majority: label -> units on which most people said it, "" where they were split; judges: against that majority.
    axes: the criteria that are mixed in the coefficients of everybody.
    """

    what: str
    level: Level
    pairs: Sequence[Compared]
    groups: Sequence[Compared]
    everybody: Compared
    people: Compared
    judges: Sequence[Against]
    majority: Mapping[str, int]
    left_out: Mapping[str, Mapping[str, int]]
    resamples: int
    axes: Collection[str] = ()


def compare(
    project: Project,
    what: str,
    given: Found,
    *,
    by: str = "",
    level: Level | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    clusters: Mapping[str, str] | None = None,
) -> Agreement:
    """given: the project's ratings of this sort; by: one of DIVISIONS, or "" for all in one.

    clusters: unit -> what is resampled whole; None where each unit is its own.
    Of a rater who was asked several times the first answer counts, in the first order.
    """
    said = first_said(given)
    raters = sorted({rater for rater, _unit in said}, key=lambda each: (each.sort != "person", each.name))
    chosen = level or LEVELS[what]
    divided = _divided(project, said, by)
    two = list(combinations(raters, 2))
    drawn = resamples if len(two) * len(divided) <= RESAMPLED_PAIRS else 0

    def compared(among: Sequence[Rater], group: str | None, part: Given, draws: int) -> Compared:
        return _compared(among, group, part, chosen, draws, seed, clusters or {})

    parts, whole = {group: _of_each(part) for group, part in divided.items()}, _of_each(said)
    return Agreement(
        what=what,
        level=chosen,
        pairs=[compared(pair, group, part, drawn) for group, part in parts.items() for pair in two if _met(part, pair)],
        groups=[compared(raters, group, part, resamples) for group, part in parts.items()] if by else [],
        everybody=compared(raters, None, whole, resamples),
        people=compared([each for each in raters if each.sort == "person"], None, whole, resamples),
        judges=list(_against(said, what)) if what != SCORE else [],
        majority=_majority(said, what) if what != SCORE else {},
        left_out=given.left_out,
        resamples=drawn,
        axes={one.axis for one in given} if what == SCORE else (),
    )


def _divided(project: Project, said: Said, by: str) -> dict[str | None, Said]:
    if not by:
        return {None: said}
    groups = groups_of(project, by) if by != "axis" else None
    found: dict[str | None, dict[tuple[Rater, str], Rating]] = defaultdict(dict)
    for key, one in said.items():
        found[one.axis if groups is None else groups[one.item]][key] = one
    return {group: found[group] for group in sorted(found, key=lambda name: name or "")}


def _of_each(said: Said) -> Given:
    found: dict[Rater, list[tuple[int, str, Rating]]] = defaultdict(list)
    for place, ((rater, unit), one) in enumerate(said.items()):
        found[rater].append((place, unit, one))
    return found


def _met(given: Given, pair: tuple[Rater, Rater]) -> bool:
    """Whether both have rated some unit."""
    one, other = ({unit for _place, unit, each in given.get(rater, ()) if each.value is not None} for rater in pair)
    return not one.isdisjoint(other)


def _compared(
    raters: Collection[Rater],
    group: str | None,
    given: Given,
    level: Level,
    resamples: int,
    seed: int,
    clusters: Mapping[str, str],
) -> Compared:
    by_unit: dict[str, list[Rating]] = defaultdict(list)
    in_order = sorted(chain.from_iterable(given.get(rater, ()) for rater in raters), key=lambda each: each[0])
    for _place, unit, one in in_order:
        by_unit[unit].append(one)
    met = {unit: ratings for unit, ratings in by_unit.items() if sum(one.value is not None for one in ratings) > 1}
    alone = {unit: ratings for unit, ratings in by_unit.items() if unit not in met}
    # Where no two have met, all of them: the note of a coefficient then says whether one rater is alone.
    rows = [(unit, one.rater.name, one.value) for unit, ratings in (met or by_unit).items() for one in ratings]
    table = agreement.ratings(rows, level).clustered(clusters)
    found = agreement.coefficients(table, resamples=resamples, seed=seed)
    skipped = dict(table.skipped) if met else {}
    if single := sum(one.value is not None for ratings in alone.values() for one in ratings):
        skipped["rated by one"] = single
    if missing := sum(one.value is None for ratings in alone.values() for one in ratings):
        skipped["missing"] = skipped.get("missing", 0) + missing
    return Compared(list(raters), group, list(met), found, skipped)


def _against(said: Said, what: str) -> Iterator[Against]:
    right = majorities(said.values(), what)
    judges = sorted({rater for rater, _unit in said if rater.sort == "judge"}, key=lambda each: each.name)
    ties = counted_as_ties(judges)
    for judge in judges:
        given = {unit: one.value for (rater, unit), one in said.items() if rater == judge and unit in right}
        labels = [word(value, what) or (UNREADABLE if judge.pk in ties else None) for value in given.values()]
        unread = sum(value is None for value in given.values())
        found = hits([right[unit] for unit in given], labels, counts_as={UNREADABLE: TIE})
        yield Against(judge, found, unread, unread if judge.pk in ties else 0)


def _majority(said: Said, what: str) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for label in majorities(said.values(), what).values():
        counts[label or ""] += 1
    return dict(sorted(counts.items()))
