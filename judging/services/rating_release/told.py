"""People beside judges, and each two raters, as the command `agreement` prints them of a release of ratings."""

from collections.abc import Iterator, Mapping
from typing import Any

from judging.services.comparing_raters.comparing import Figures, Together, Two
from lib.stats.agreement.beside import Beside, Mean
from lib.stats.agreement.told import as_json

FIELDS = ("value", "low", "high", "note", "pairs", "undefined")


def told(figures: Figures, coefficient: str) -> dict[str, Any]:
    """people: over all units that two of them have rated; judges: each over the units that it shares with two people.

    Of each the share of equal ratings (`percent`) and the coefficient: `people` among themselves, `judge` with them,
    `difference` of the two. between: each two raters. Undefined is null with a note.
    """
    return {
        "coefficient": coefficient,
        "people": _together(figures.people, coefficient),
        "judges": [
            {"judge": comparison.judges[0].name, **_together(comparison, coefficient)} for comparison in figures.judges
        ],
        "between": [_two(pair, coefficient) for pair in figures.pairs],
    }


def _together(comparison: Together, coefficient: str) -> dict[str, Any]:
    return {
        "units": comparison.units,
        "with_one_person": comparison.alone,
        "percent": _beside(comparison.raw, alone=not comparison.judges),
        coefficient: _beside(comparison.chosen, alone=not comparison.judges),
    }


def _beside(contrast: Beside, *, alone: bool) -> dict[str, Any]:
    if alone:
        return {"people": _mean(contrast.one)}
    return {"people": _mean(contrast.one), "judge": _mean(contrast.other), "difference": _mean(contrast.difference)}


def _mean(mean: Mean) -> dict[str, Any]:
    return {name: getattr(mean, name) for name in FIELDS}


def _two(pair: Two, coefficient: str) -> dict[str, Any]:
    values = {"percent": as_json(pair.raw), coefficient: as_json(pair.chosen)}
    return {"raters": [pair.one.name, pair.two.name], "units": pair.units, **values}


def in_words(figures: Mapping[str, Any]) -> Iterator[str]:
    """figures: what `told` gives."""
    name = figures["coefficient"]
    yield f"{name}, means over pairs on the same units:"
    yield f"  people: {_number(figures['people'][name]['people'])}, {figures['people']['units']} units"
    for judge_row in figures["judges"]:
        people, judge, less = (_number(judge_row[name][side]) for side in ("people", "judge", "difference"))
        yield f"  {judge_row['judge']}: people {people}, with it {judge}, difference {less}, {judge_row['units']} units"


def _number(mean: Mapping[str, Any]) -> str:
    if mean["value"] is None:
        return f"– ({mean['note']})"
    between = "" if mean["low"] is None else f" ({mean['low']:.4f} to {mean['high']:.4f})"
    return f"{mean['value']:.4f}{between}"
