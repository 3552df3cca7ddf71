import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from judging.boards.agreement.terminal import table_as_text
from lib.stats.agreement import NAMES
from tests.support.files import command, jsonl

ROWS = [
    {"unit": "1", "rater": "ann", "value": 1},
    {"unit": "1", "rater": "bob", "value": 1},
    {"unit": "2", "rater": "ann", "value": 2, "why": "other fields are not read"},
    {"unit": "2", "rater": "bob", "value": 1},
    {"unit": "3", "rater": "ann", "value": 2},
    {"unit": "3", "rater": "bob", "value": 2},
    {"unit": "4", "rater": "ann", "value": None},
]


def written(folder: Path, rows: list[Any]) -> Path:
    path = folder / "ratings.jsonl"
    path.write_bytes(jsonl(rows))
    return path


def test_it_needs_no_project_and_no_database(tmp_path: Path) -> None:
    code, told, _err = command("agreement", written(tmp_path, ROWS), "--level", "ordinal")
    assert code == 0
    assert {name: told[name] for name in ("units", "raters", "ratings", "skipped")} == {
        "units": 3,
        "raters": 2,
        "ratings": 6,
        "skipped": {"missing": 1},
    }
    assert (told["level"], told["resamples"], told["seed"]) == ("ordinal", 1000, 0)
    assert list(told["coefficients"]) == list(NAMES)
    assert all({"value", "low", "high", "note"} <= set(one) for one in told["coefficients"].values())
    # By chance 1/3 × 2/3 + 2/3 × 1/3 = 4/9
    assert told["coefficients"]["cohen_kappa"]["value"] == pytest.approx((2 / 3 - 4 / 9) / (5 / 9))
    assert told["matrix"] == {"categories": [1, 2], "raters": ["ann", "bob"], "counts": [[1, 0], [1, 1]]}


def test_more_raters_are_compared_two_by_two(tmp_path: Path) -> None:
    third = [{"unit": str(unit), "rater": "cyd", "value": 1} for unit in (1, 2, 3)]
    _code, told, _err = command("agreement", written(tmp_path, ROWS + third))
    kappa = told["coefficients"]["cohen_kappa"]
    assert kappa["value"] is None
    assert kappa["note"]
    assert [(pair["raters"], pair["units"]) for pair in kappa["pairs"]] == [
        (["ann", "bob"], 3),
        (["ann", "cyd"], 3),
        (["bob", "cyd"], 3),
    ]
    assert kappa["mean_over_pairs"] == pytest.approx(sum(pair["value"] for pair in kappa["pairs"]) / 3)
    # Both directions: ann–bob 1-1 once, 2-1 once, 2-2 once; ann–cyd 1-1, 2-1 twice; bob–cyd 1-1 twice, 2-1.
    assert told["matrix"]["counts"] == [[8, 4], [4, 2]]
    assert told["matrix"]["pairs"][2] == {"raters": ["bob", "cyd"], "counts": [[2, 0], [1, 0]]}


def test_a_packed_file_says_the_same(tmp_path: Path) -> None:
    plain = written(tmp_path, ROWS)
    packed = tmp_path / "ratings.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert command("agreement", packed) == command("agreement", plain)


def test_the_seed_is_kept_and_printed(tmp_path: Path) -> None:
    path = written(tmp_path, ROWS)
    first, again = (command("agreement", path, "--seed", 7, "--resamples", 50)[1] for _time in range(2))
    assert first == again
    assert (first["seed"], first["resamples"]) == (7, 50)


def test_what_is_undefined_is_null_with_a_note(tmp_path: Path) -> None:
    code, told, _err = command("agreement", written(tmp_path, ROWS[:1]))
    assert code == 0
    assert {(one["value"], bool(one["note"])) for one in told["coefficients"].values()} == {(None, True)}


@pytest.mark.parametrize(
    ("rows", "level", "message"),
    [
        ([*ROWS, ROWS[2]], "nominal", "Line 8: ann has rated 2 before"),
        ([*ROWS, ROWS[2]], "nominal", "The first is on line 3."),
        ([*ROWS, {"unit": "4", "rater": "bob", "value": "good"}], "nominal", "Line 8: The value 'good' is text"),
        ([{"unit": "1", "rater": "a", "value": "good"}], "interval", "Line 1: The value 'good' is text; at interval"),
        ([ROWS[0], {"unit": "1", "rater": "c"}], "nominal", "Line 2: value missing"),
        ([ROWS[0], {"rater": "c", "value": 1}], "nominal", "Line 2: unit missing"),
        ([{"unit": "1", "rater": None, "value": 1}], "nominal", "Line 1, rater: it must be a text"),
        (
            [{"unit": "1", "rater": "a", "value": {"x": 1}}],
            "nominal",
            "Line 1: The value {'x': 1} is neither text nor a number",
        ),
        ([ROWS[0], [1]], "nominal", "Line 2: A row must be an object"),
        ([], "nominal", "The file is empty."),
    ],
)
def test_a_file_is_refused_with_its_line(tmp_path: Path, rows: list[Any], level: str, message: str) -> None:
    code, told, err = command("agreement", written(tmp_path, rows), "--level", level)
    assert (code, told) == (1, {})
    assert message in err


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_is_no_number_is_refused_with_its_line(tmp_path: Path, value: str) -> None:
    path = tmp_path / "ratings.jsonl"
    path.write_text(f'{json.dumps(ROWS[0])}\n{{"unit": "2", "rater": "a", "value": {value}}}\n')
    code, told, err = command("agreement", path, "--level", "interval")
    assert (code, told) == (1, {})
    assert "Line 2, value: " in err


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert command("agreement", tmp_path / "none.jsonl")[0] == 1


def test_the_table_can_be_read(tmp_path: Path) -> None:
    out = io.StringIO()
    third = [{"unit": str(unit), "rater": "cyd", "value": 1} for unit in (1, 2, 3)]
    call_command("agreement", str(written(tmp_path, ROWS + third)), stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[0] == "3 units, 3 raters, 9 ratings, 1 missing; level nominal"
    assert any(line.startswith("cohen_kappa") and line.endswith("mean over pairs") for line in lines)
    assert any(line.startswith("  ann – bob") for line in lines)
    assert "Intervals: bootstrap over units, 1000 resamples, seed 0." in lines
    assert lines[-1] == "They cover variation over units, not over raters."


def test_what_rounds_to_zero_has_no_minus_in_the_table() -> None:
    icc = {"value": -1e-16, "low": -2e-16, "high": 0.5, "note": "", "units": 3}
    told = {"units": 3, "raters": 2, "ratings": 5, "skipped": {}, "level": "nominal", "resamples": 0}
    text = table_as_text(told | {"coefficients": {"icc": icc}, "matrix": None})
    assert "0.0000" in text
    assert "-0.0000" not in text
