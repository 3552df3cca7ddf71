"""Agreement as the command `agreement` prints it: figures of a release of ratings as JSON, and as tables of text."""

from collections.abc import Iterator, Mapping
from typing import Any

from judging.ratings.comparisons import Figures, GroupAgreement, RaterPairAgreement
from lib.stats.agreement.coefficients import as_json
from lib.stats.agreement.people_and_judges import Mean, PeopleAndJudge

FIELDS = ("value", "low", "high", "note", "pairs", "undefined")


def comparison_as_json(figures: Figures, coefficient: str) -> dict[str, Any]:
    """people: over all units that two of them rated; judges: each over the units that it shares with two people.

    Each has the share of equal ratings (`percent`) and the coefficient: `people` among themselves, `judge` with them,
    `difference` of the two. between: each two raters. Undefined is null with a note.
    """
    return {
        "coefficient": coefficient,
        "people": _group_as_json(figures.people, coefficient),
        "judges": [
            {"judge": comparison.judges[0].name, **_group_as_json(comparison, coefficient)}
            for comparison in figures.judges
        ],
        "between": [_two(pair, coefficient) for pair in figures.pairs],
    }


def _group_as_json(comparison: GroupAgreement, coefficient: str) -> dict[str, Any]:
    return {
        "units": comparison.units,
        "with_one_person": comparison.alone,
        "percent": _difference_as_json(comparison.raw, alone=not comparison.judges),
        coefficient: _difference_as_json(comparison.chosen, alone=not comparison.judges),
    }


def _difference_as_json(contrast: PeopleAndJudge, *, alone: bool) -> dict[str, Any]:
    if alone:
        return {"people": _mean(contrast.one)}
    return {"people": _mean(contrast.one), "judge": _mean(contrast.other), "difference": _mean(contrast.difference)}


def _mean(mean: Mean) -> dict[str, Any]:
    return {name: getattr(mean, name) for name in FIELDS}


def _two(pair: RaterPairAgreement, coefficient: str) -> dict[str, Any]:
    values = {"percent": as_json(pair.raw), coefficient: as_json(pair.chosen)}
    return {"raters": [pair.one.name, pair.two.name], "units": pair.units, **values}


def release_as_text(figures: Mapping[str, Any]) -> Iterator[str]:
    """figures: what `comparison_as_json` gives."""
    name = figures["coefficient"]
    yield f"{name}, means over pairs of raters on the same units:"
    yield f"  people: {_value_as_text(figures['people'][name]['people'])}, {figures['people']['units']} units"
    for judge_row in figures["judges"]:
        people, judge, less = (_value_as_text(judge_row[name][side]) for side in ("people", "judge", "difference"))
        yield f"  {judge_row['judge']}: people {people}, with it {judge}, difference {less}, {judge_row['units']} units"


def _value_as_text(mean: Mapping[str, Any]) -> str:
    if mean["value"] is None:
        return f"– ({mean['note']})"
    between = "" if mean["low"] is None else f" ({mean['low']:.4f} to {mean['high']:.4f})"
    return f"{mean['value']:.4f}{between}"


# Text: the JSON of the command as tables.


WIDTH = 20


def table_as_text(report: Mapping[str, Any]) -> str:
    """report: what the command prints as JSON."""
    return "\n".join(
        [*_head(report), "", *_table(report["coefficients"]), "", *_matrix(report["matrix"]), *_foot(report)]
    )


def _head(report: Mapping[str, Any]) -> Iterator[str]:
    skipped = "".join(f", {count} {reason}" for reason, count in report["skipped"].items())
    counts = f"{report['units']} units, {report['raters']} raters, {report['ratings']} ratings{skipped}"
    yield f"{counts}; level {report['level']}"


def _table(coefficients: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield f"{'':{WIDTH}}   value   95 % interval     units"
    for name, coefficient in coefficients.items():
        if "pairs" not in coefficient:
            yield _line(name, coefficient)
            continue
        mean = {
            "value": coefficient["mean_over_pairs"],
            "low": coefficient["mean_low"],
            "high": coefficient["mean_high"],
        }
        yield _line(name, mean | {"units": "", "note": "mean over pairs"})
        for pair in coefficient["pairs"]:
            yield _line("  " + " – ".join(pair["raters"]), pair)


def _line(name: str, row: Mapping[str, Any]) -> str:
    between = "" if row["low"] is None else f"{_number(row['low'])} to {_number(row['high'])}"
    line = f"{name:{WIDTH}} {_number(row['value'])}   {between:18}{row['units']!s:>5}  {row['note']}"
    return line.rstrip()


def _number(value: float | None) -> str:
    return "      –" if value is None else f"{value:z7.4f}"


def _matrix(matrix: Mapping[str, Any] | None) -> Iterator[str]:
    if not matrix or not matrix["categories"]:
        return
    names = [str(category) for category in matrix["categories"]]
    widths = [max(len(name), 6) for name in names]
    label_width = max(map(len, names))
    yield _who(matrix)
    yield " " * label_width + "".join(f"  {name:>{width}}" for name, width in zip(names, widths, strict=True))
    for name, row in zip(names, matrix["counts"], strict=True):
        yield f"{name:{label_width}}" + "".join(f"  {count:>{width}}" for count, width in zip(row, widths, strict=True))
    yield ""


def _who(matrix: Mapping[str, Any]) -> str:
    if "raters" in matrix:
        return f"Confusion matrix, units: {matrix['raters'][0]} (rows), {matrix['raters'][1]} (columns):"
    return "Confusion matrix, units: one rater (rows), another (columns), every pair in both directions:"


def _foot(report: Mapping[str, Any]) -> Iterator[str]:
    if report["resamples"]:
        yield f"Intervals: bootstrap over units, {report['resamples']} resamples, seed {report['seed']}."
        yield "They cover variation over units, not over raters."
