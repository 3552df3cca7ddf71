"""What the command `agreement` found, as a table to read."""

from collections.abc import Iterator, Mapping
from typing import Any

WIDTH = 20


def in_words(told: Mapping[str, Any]) -> str:
    """told: what the command prints as JSON."""
    return "\n".join([*_head(told), "", *_table(told["coefficients"]), "", *_matrix(told["matrix"]), *_foot(told)])


def _head(told: Mapping[str, Any]) -> Iterator[str]:
    skipped = "".join(f", {count} {reason}" for reason, count in told["skipped"].items())
    counts = f"{told['units']} units, {told['raters']} raters, {told['ratings']} ratings{skipped}"
    yield f"{counts}; level {told['level']}"


def _table(coefficients: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield f"{'':{WIDTH}}   value   95 % interval     units"
    for name, found in coefficients.items():
        if "pairs" not in found:
            yield _line(name, found)
            continue
        mean = {"value": found["mean_over_pairs"], "low": found["mean_low"], "high": found["mean_high"]}
        yield _line(name, mean | {"units": "", "note": "mean over pairs"})
        for pair in found["pairs"]:
            yield _line("  " + " – ".join(pair["raters"]), pair)


def _line(name: str, found: Mapping[str, Any]) -> str:
    between = "" if found["low"] is None else f"{_number(found['low'])} to {_number(found['high'])}"
    line = f"{name:{WIDTH}} {_number(found['value'])}   {between:18}{found['units']!s:>5}  {found['note']}"
    return line.rstrip()


def _number(value: float | None) -> str:
    return "      –" if value is None else f"{value:z7.4f}"


def _matrix(matrix: Mapping[str, Any] | None) -> Iterator[str]:
    if not matrix or not matrix["categories"]:
        return
    names = [str(each) for each in matrix["categories"]]
    widths = [max(len(name), 6) for name in names]
    left = max(map(len, names))
    yield _who(matrix)
    yield " " * left + "".join(f"  {name:>{width}}" for name, width in zip(names, widths, strict=True))
    for name, row in zip(names, matrix["counts"], strict=True):
        yield f"{name:{left}}" + "".join(f"  {count:>{width}}" for count, width in zip(row, widths, strict=True))
    yield ""


def _who(matrix: Mapping[str, Any]) -> str:
    if "raters" in matrix:
        return f"Units by what {matrix['raters'][0]} said (rows) and {matrix['raters'][1]} (columns):"
    return "Units by what one rater said (rows) and another (columns), each two raters in both directions:"


def _foot(told: Mapping[str, Any]) -> Iterator[str]:
    if told["resamples"]:
        yield f"Intervals: {told['resamples']} resamples of the units, seed {told['seed']}."
        yield "They say how the values would vary with other units, and nothing about other raters."
