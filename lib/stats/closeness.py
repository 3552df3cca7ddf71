"""Who is closer to the other people: a judge, or the person who is left out?"""

from collections.abc import Callable, Mapping

import numpy as np

from lib.stats.averages import Floats, divided

NO_JUDGE, ONE_RATING = "no_judge", "fewer_than_two_people"
NEAR = 1e-9  # two distances that differ by rounding only are the same


def compared(people: Floats, judge: Floats, alignment: str) -> tuple[Floats, Mapping[str, int]]:
    """(units, people): 1 where the person is closer to the others than the judge is, -1 where the judge is, 0 where
    both are as close; NaN where the person, the judge or any other person gave nothing. Beside it: reason -> units
    left out of every comparison. Raises ValueError for shapes that do not fit and an unknown alignment."""
    if alignment not in ALIGNMENTS:
        raise ValueError(f"There is no alignment {alignment!r}; alignments: {', '.join(ALIGNMENTS)}.")
    if people.ndim != 2 or judge.shape != people.shape[:1]:
        raise ValueError(
            f"People as (units, people) and one judge's (units,) are needed, not {people.shape} and {judge.shape}."
        )
    judged, several = ~np.isnan(judge), (~np.isnan(people)).sum(axis=1) >= 2
    align = ALIGNMENTS[alignment]
    differences = np.full(people.shape, np.nan)
    for column in range(people.shape[1]):
        ratings, other_ratings = people[:, column], np.delete(people, column, axis=1)
        ahead = align(ratings, other_ratings) - align(judge, other_ratings)
        differences[:, column] = np.where(np.abs(ahead) < NEAR, 0.0, np.sign(ahead))
    skipped = {NO_JUDGE: int((~judged).sum()), ONE_RATING: int((judged & ~several).sum())}
    return differences, {reason: count for reason, count in skipped.items() if count}


def _match(ratings: Floats, other_ratings: Floats) -> Floats:
    """Share of the others who say the same; NaN where one side has nothing."""
    has_rating = ~np.isnan(other_ratings)
    return _known(ratings, divided((other_ratings == ratings[:, None]).sum(axis=1), has_rating.sum(axis=1)))


def _distance(ratings: Floats, other_ratings: Floats) -> Floats:
    """Minus the root mean square difference from the others."""
    squares = (other_ratings - ratings[:, None]) ** 2
    return _known(ratings, -np.sqrt(divided(np.nansum(squares, axis=1), (~np.isnan(other_ratings)).sum(axis=1))))


def _known(ratings: Floats, aligned: Floats) -> Floats:
    return np.where(np.isnan(ratings), np.nan, aligned)


ALIGNMENTS: Mapping[str, Callable[[Floats, Floats], Floats]] = {"match": _match, "distance": _distance}
