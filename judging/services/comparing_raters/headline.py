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


def headline(material: Material, level: Level) -> Headline:
    """Remembered as long as nothing has changed. A preference is read as the names of the two authors stand in the
    alphabet, so that every pair has the same first and second whoever saw it in whatever order."""
    if not material.state:
        return _headline(material, level)
    return remembered("headline", f"{material.state}:{level}", lambda: _headline(material, level))


def _headline(material: Material, level: Level) -> Headline:
    rows = (
        (unit, key, _as_named(rating.value, turned=unit in material.turned))
        for unit, unit_ratings in material.said.items()
        for key, rating in unit_ratings.items()
    )
    table = agreement.ratings(rows, level).clustered(material.clusters)
    keys = [person.key for person in material.people]
    resampling = {"resamples": RESAMPLES, "seed": SEED}
    return Headline(
        coefficient_at(level),
        level,
        material.resampled_by,
        clusters_that_count(table, keys),
        among(table, keys, **resampling),
        [JudgeHeadline(judge, against(table, keys, judge.key, **resampling)) for judge in material.judges],
        material.people,
        bool(material.chosen),
    )


def _as_named(value: float | str | None, *, turned: bool) -> float | str | None:
    return TURNED.get(value, value) if turned and isinstance(value, str) else value


def as_json(headline: Headline) -> dict[str, Any]:
    """The shape that scripts rely on; what is undefined is null with a note. difference: judge less people, on the
    judge's units. remark: what the value cannot say by itself."""
    return {
        "coefficient": headline.coefficient,
        "level": headline.level,
        "resampled_by": headline.resampled_by,
        "clusters": headline.clusters,
        "resamples": RESAMPLES,
        "seed": SEED,
        "raters": [rater.name for rater in headline.raters],
        "chosen": headline.chosen,
        "people": _side(headline.people),
        "judges": [_judge(judge_headline) for judge_headline in headline.judges],
    }


def _judge(judge_headline: JudgeHeadline) -> dict[str, Any]:
    less = judge_headline.both.difference
    row = {"name": judge_headline.judge.name, **_side(judge_headline.both.judge)}
    row |= {"difference": less.value, "difference_low": less.low, "difference_high": less.high}
    return row | {"difference_note": less.note, "people": _side(judge_headline.both.people)}


def _side(pooled: Pooled) -> dict[str, Any]:
    row = {
        name: getattr(pooled, name) for name in ("value", "low", "high", "note", "units", "pairs", "equal", "chance")
    }
    return row | {"remark": ONE_SIDED if pooled.one_sided else ""}


def rows_of(headline: Headline) -> list[dict[str, Any]]:
    """A row for people and one for each judge: the cells of a table."""
    shared_cells = {"coefficient": headline.coefficient, "level": headline.level, "resampled_by": headline.resampled_by}
    shared_cells |= {"clusters": str(headline.clusters), "people_chosen": "yes" if headline.chosen else "all"}
    people = {"rater": "people", **_cells(headline.people), **dict.fromkeys(DIFFERENCE)}
    judges = [
        {"rater": judge_row["name"], **{name: judge_row[name] for name in (*CELLS, *DIFFERENCE)}}
        for judge_row in map(_judge, headline.judges)
    ]
    return [row | shared_cells for row in (people, *judges)]


CELLS = ("value", "low", "high", "units", "pairs", "equal", "note")
DIFFERENCE = ("difference", "difference_low", "difference_high")


def _cells(pooled: Pooled) -> dict[str, Any]:
    return {name: getattr(pooled, name) for name in CELLS}
