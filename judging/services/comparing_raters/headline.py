"""The headline of agreement: pooled over all units, people among themselves and each judge against them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from judging.services.comparing_raters.material import Material, Somebody
from judging.services.ratings.people import TURNED
from judging.services.remembering import remembered
from lib.stats import agreement
from lib.stats.agreement import RESAMPLES, SEED, Level
from lib.stats.agreement.notes import ONE_SIDED
from lib.stats.agreement.pooled import Pooled, PooledBeside, against, among, clusters_that_count, coefficient_at


@dataclass(frozen=True)
class JudgeHeadline:
    """people: among themselves on the units of this judge; what stands on all units is the headline's own."""

    judge: Somebody
    both: PooledBeside


@dataclass(frozen=True)
class Headline:
    """resampled_by: what is resampled whole; `clusters` of them hold a unit that two people have rated.

    raters: the people, as the page has them; chosen: whether they are a choice. The intervals have RESAMPLES resamples
    and the seed SEED wherever they stand.
    """

    coefficient: str
    level: Level
    resampled_by: str
    clusters: int
    people: Pooled
    judges: Sequence[JudgeHeadline]
    raters: Sequence[Somebody]
    chosen: bool


def headline(found: Material, level: Level) -> Headline:
    """Remembered as long as nothing has changed. A preference is read as the names of the two authors stand in the
    alphabet, so that every pair has the same first and second whoever saw it in whatever order."""
    if not found.state:
        return _headline(found, level)
    return remembered("headline", f"{found.state}:{level}", lambda: _headline(found, level))


def _headline(found: Material, level: Level) -> Headline:
    rows = (
        (unit, key, _as_named(one.value, turned=unit in found.turned))
        for unit, said in found.said.items()
        for key, one in said.items()
    )
    table = agreement.ratings(rows, level).clustered(found.clusters)
    keys = [one.key for one in found.people]
    drawn = {"resamples": RESAMPLES, "seed": SEED}
    return Headline(
        coefficient_at(level),
        level,
        found.resampled_by,
        clusters_that_count(table, keys),
        among(table, keys, **drawn),
        [JudgeHeadline(judge, against(table, keys, judge.key, **drawn)) for judge in found.judges],
        found.people,
        bool(found.chosen),
    )


def _as_named(value: float | str | None, *, turned: bool) -> float | str | None:
    return TURNED.get(value, value) if turned and isinstance(value, str) else value


def as_json(found: Headline) -> dict[str, Any]:
    """The shape that scripts rely on; what is undefined is null with a note. difference: judge less people, on the
    judge's units. remark: what the value cannot say by itself."""
    return {
        "coefficient": found.coefficient,
        "level": found.level,
        "resampled_by": found.resampled_by,
        "clusters": found.clusters,
        "resamples": RESAMPLES,
        "seed": SEED,
        "raters": [one.name for one in found.raters],
        "chosen": found.chosen,
        "people": _side(found.people),
        "judges": [_judge(one) for one in found.judges],
    }


def _judge(one: JudgeHeadline) -> dict[str, Any]:
    less = one.both.difference
    told = {"name": one.judge.name, **_side(one.both.judge)}
    told |= {"difference": less.value, "difference_low": less.low, "difference_high": less.high}
    return told | {"difference_note": less.note, "people": _side(one.both.people)}


def _side(one: Pooled) -> dict[str, Any]:
    told = {name: getattr(one, name) for name in ("value", "low", "high", "note", "units", "pairs", "equal", "chance")}
    return told | {"remark": ONE_SIDED if one.one_sided else ""}


def rows_of(found: Headline) -> list[dict[str, Any]]:
    """A row for people and one for each judge: the cells of a table."""
    said = {"coefficient": found.coefficient, "level": found.level, "resampled_by": found.resampled_by}
    said |= {"clusters": str(found.clusters), "people_chosen": "yes" if found.chosen else "all"}
    people = {"rater": "people", **_cells(found.people), **dict.fromkeys(DIFFERENCE)}
    judges = [
        {"rater": one["name"], **{name: one[name] for name in (*CELLS, *DIFFERENCE)}}
        for one in map(_judge, found.judges)
    ]
    return [row | said for row in (people, *judges)]


CELLS = ("value", "low", "high", "units", "pairs", "equal", "note")
DIFFERENCE = ("difference", "difference_low", "difference_high")


def _cells(one: Pooled) -> dict[str, Any]:
    return {name: getattr(one, name) for name in CELLS}
