"""Agreement with intervals, beside calling the well-known libraries once for each resample."""

import json
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import krippendorff
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from benchmarks.commands import run
from benchmarks.figures import Figure, at_least, at_most, exactly
from benchmarks.places import installation
from lib.stats.agreement import RatingTable, coefficients

ABOUT = (
    "Alpha, Fleiss', Cohen's and weighted kappa with intervals out of 1,000 resamples of 100,000 units by 3 raters, "
    "beside krippendorff, statsmodels and scikit-learn called for each resample (Cohen's for each two raters). "
    "Their time is extrapolated: the median of five resamples, times 1,000. And the command with a file of 1,000,000 "
    "ratings."
)
UNITS, RATERS, RESAMPLES, CALLS = 100_000, 3, 1_000, 5
PAIRS = [(0, 1), (0, 2), (1, 2)]
NAMES = ["krippendorff_alpha", "fleiss_kappa", "cohen_kappa", "weighted_kappa"]
Scores = NDArray[np.float64]


def measure() -> Iterator[Figure]:
    yield from _resampling()
    yield from _large_file()


def _resampling() -> Iterator[Figure]:
    scores = _scores(UNITS, RATERS)
    table = RatingTable(tuple(map(str, range(UNITS))), tuple("abc"), scores, (1, 2, 3, 4, 5), "nominal")
    ask = partial(coefficients, table, resamples=RESAMPLES, names=NAMES)
    ours = statistics.median(_seconds(ask) for _time in range(CALLS))
    chance = np.random.default_rng(1)
    drawn = [scores[chance.integers(UNITS, size=UNITS)] for _call in range(CALLS)]
    theirs = statistics.median(_seconds(partial(_by_libraries, each)) for each in drawn) * RESAMPLES
    yield Figure("ours", round(ours, 4), unit="s")
    yield Figure("libraries, extrapolated from five resamples", round(theirs, 1), unit="s")
    yield at_least("times as fast", round(theirs / ours), 500)
    yield at_most("largest difference of the values", _difference(table, scores), 1e-9)


def _scores(units: int, raters: int) -> Scores:
    """Scores from 1 to 5; a rater says the unit's own one in two thirds of the cases."""
    chance = np.random.default_rng(20241121)
    own = chance.integers(1, 6, size=(units, 1))
    return np.where(chance.random((units, raters)) < 2 / 3, own, chance.integers(1, 6, size=(units, raters))).astype(
        float
    )


def _by_libraries(scores: Scores) -> dict[str, float]:
    columns = [scores[:, left] for left in range(RATERS)]
    return {
        "krippendorff_alpha": krippendorff.alpha(scores.T, level_of_measurement="nominal"),
        "fleiss_kappa": fleiss_kappa(aggregate_raters(scores)[0]),
        "cohen_kappa": _mean([cohen_kappa_score(columns[a], columns[b]) for a, b in PAIRS]),
        "weighted_kappa": _mean([cohen_kappa_score(columns[a], columns[b], weights="quadratic") for a, b in PAIRS]),
    }


def _difference(table: RatingTable, scores: Scores) -> float:
    found, theirs = coefficients(table, resamples=0, names=NAMES), _by_libraries(scores)
    values = {name: one.mean_over_pairs if one.value is None else one.value for name, one in found.items()}
    return float(max(abs((values[name] or 0) - theirs[name]) for name in NAMES))


def _mean(values: list[float]) -> float:
    return float(np.mean(values))


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _large_file() -> Iterator[Figure]:
    with installation("sqlite") as place:
        ran = run(place, "agreement", _file(place.folder / "ratings.jsonl", 250_000, 4), "--level", "ordinal", "--json")
    yield exactly("ratings of the file", json.loads(ran.said)["ratings"], 1_000_000)
    yield Figure("command: time of all thirteen, reading included", round(ran.seconds, 1), unit="s")
    yield at_most("command: memory", round(ran.peak), 1_000, "MB")


def _file(path: Path, units: int, raters: int) -> Path:
    with path.open("w") as file:
        for unit, row in enumerate(_scores(units, raters).astype(int).tolist()):
            file.writelines(
                f'{{"unit": "answer/{unit}", "rater": "rater {rater}", "value": {value}}}\n'
                for rater, value in enumerate(row)
            )
    return path
