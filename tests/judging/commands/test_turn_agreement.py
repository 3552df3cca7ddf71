"""Agreement about the turns of transcripts: turns as units, transcripts as clusters."""

from pathlib import Path
from typing import Any

import pytest

from annotate.project.actions import create_project
from tests.support.files import command, imported, write_rows

pytestmark = pytest.mark.django_db

TEXT = """show: [{field: log, as: chat}]
questions:
  - {name: ok, type: choice, options: [good, bad], on_each: turns, of: log}
  - {name: first_wrong, type: step, of: log}
"""


def rating(item: int, rater: str, values: list[str], first: Any) -> dict[str, Any]:
    return {
        "key": f"k{item}",
        "rater": rater,
        "ok": [{"turn": turn, "value": value} for turn, value in enumerate(values, start=1)],
        "first_wrong": first,
    }


def test_turns_are_the_units_and_transcripts_are_resampled(tmp_path: Path) -> None:
    project = create_project(slug="own", kind="form", definition=TEXT, reviews=0)
    log = [{"role": role, "content": "x"} for role in ("user", "assistant", "assistant")]
    items = [{"key": f"k{n}", "log": [*log, {"role": "user", "content": str(n)}]} for n in range(4)]
    assert imported(project, write_rows(tmp_path / "items.jsonl", items))["kept"] == 4
    rows = [
        rating(0, "Ann", ["good", "good"], "none"),
        rating(0, "Bo", ["good", "bad"], 2),
        rating(1, "Ann", ["bad", "bad"], 1),
        rating(1, "Bo", ["bad", "bad"], "1"),
        rating(2, "Ann", ["good", "good"], "none"),
    ]
    report = command("import_ratings", "own", write_rows(tmp_path / "ratings.jsonl", rows))[1]
    assert (report["ratings"], report["problems"]) == (5, [])
    code, told, err = command("report", "own", "agreement", "--what", "ok")
    assert code == 0, err
    assert (told["units"], told["ratings"], told["left_out"]) == (6, 10, {"one rater": 2})
    # Of 8 answers by two raters 3 are good; one of 4 units differs: 1 - (2 / 8) / (2 * 3 * 5 / (8 * 7)).
    (alpha,) = told["coefficients"]
    assert (alpha["name"], round(alpha["value"], 6), alpha["n"]) == ("alpha_nominal", 0.533333, 4)
    assert alpha["low"] < alpha["value"] <= alpha["high"]
    step = command("report", "own", "agreement", "--what", "first_wrong")[1]
    assert (step["coefficients"][0]["name"], step["coefficients"][0]["n"]) == ("alpha_nominal", 2)
