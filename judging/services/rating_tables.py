"""What the command `agreement` found, as a table to read."""

from collections.abc import Iterator, Mapping
from typing import Any

WIDTH = 20


def in_words(report: Mapping[str, Any]) -> str:
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
        return f"Units by what {matrix['raters'][0]} said (rows) and {matrix['raters'][1]} (columns):"
    return "Units by what one rater said (rows) and another (columns), each two raters in both directions:"


def _foot(report: Mapping[str, Any]) -> Iterator[str]:
    if report["resamples"]:
        yield f"Intervals: {report['resamples']} resamples of the units, seed {report['seed']}."
        yield "They say how the values would vary with other units, and nothing about other raters."
