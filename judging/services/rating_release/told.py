"""People beside judges, and each two raters, as the command `agreement` prints them of a release of ratings."""

from collections.abc import Iterator, Mapping
from typing import Any

from judging.services.comparing_raters.comparing import Figures, Together, Two
from lib.stats.agreement.beside import Beside, Mean
from lib.stats.agreement.told import as_json

FIELDS = ("value", "low", "high", "note", "pairs", "undefined")


def told(found: Figures, coefficient: str) -> dict[str, Any]:
    """people: over all units that two of them have rated; judges: each over the units that it shares with two people.

    Of each the share of equal ratings (`percent`) and the coefficient: `people` among themselves, `judge` with them,
    `difference` of the two. between: each two raters. Undefined is null with a note.
    """
    return {
        "coefficient": coefficient,
        "people": _together(found.people, coefficient),
        "judges": [{"judge": one.judges[0].name, **_together(one, coefficient)} for one in found.judges],
        "between": [_two(one, coefficient) for one in found.pairs],
    }


def _together(one: Together, coefficient: str) -> dict[str, Any]:
    return {
        "units": one.units,
        "with_one_person": one.alone,
        "percent": _beside(one.raw, alone=not one.judges),
        coefficient: _beside(one.chosen, alone=not one.judges),
    }


def _beside(one: Beside, *, alone: bool) -> dict[str, Any]:
    if alone:
        return {"people": _mean(one.one)}
    return {"people": _mean(one.one), "judge": _mean(one.other), "difference": _mean(one.difference)}


def _mean(one: Mean) -> dict[str, Any]:
    return {name: getattr(one, name) for name in FIELDS}


def _two(one: Two, coefficient: str) -> dict[str, Any]:
    values = {"percent": as_json(one.raw), coefficient: as_json(one.chosen)}
    return {"raters": [one.one.name, one.two.name], "units": one.units, **values}


def in_words(found: Mapping[str, Any]) -> Iterator[str]:
    """found: what `told` gives."""
    name = found["coefficient"]
    yield f"{name}, means over pairs on the same units:"
    yield f"  people: {_number(found['people'][name]['people'])}, {found['people']['units']} units"
    for one in found["judges"]:
        people, judge, less = (_number(one[name][side]) for side in ("people", "judge", "difference"))
        yield f"  {one['judge']}: people {people}, with it {judge}, difference {less}, {one['units']} units"


def _number(one: Mapping[str, Any]) -> str:
    if one["value"] is None:
        return f"– ({one['note']})"
    between = "" if one["low"] is None else f" ({one['low']:.4f} to {one['high']:.4f})"
    return f"{one['value']:.4f}{between}"
