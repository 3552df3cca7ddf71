"""Every share in seven published tables of FBI comes out of the report when its counts go in as single verdicts.

The tables need 2,400 pairs, more than are public, so that the items are made here: one for each printed total.
"""

import json
import os
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.support.files import write_rows
from tests.support.installation import Installation
from tests.support.installations import Installations

TABLES = Path(__file__).resolve().parents[3] / "shared" / "data" / "fbi_published_tables.json"
Row = dict[str, Any]
# Letters of both orders: A is whatever stands first, C both good, D both bad.
ORDERS = {
    "gold": ("A", "B"),
    "perturbed": ("B", "A"),
    "both_good": ("C", "C"),
    "both_bad": ("D", "D"),
    "inconsistent": ("A", "A"),
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not TABLES.exists() and not os.environ.get("CI"), reason=f"needs the published tables: {TABLES}"
    ),
]


def tables() -> dict[str, Any]:
    return json.loads(TABLES.read_text()) if TABLES.exists() else {}


def cells(table: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(ability, category, printed counts) of each row; the category is "" in the totals that end an ability."""
    waiting: list[tuple[str, dict[str, Any]]] = []
    for name, *values in table["rows"]:
        printed = dict(zip(table["columns"], values, strict=True))
        if not name.startswith("TOTAL "):
            waiting.append((name.lower().replace(" ", "-"), printed))
            continue
        ability = name.removeprefix("TOTAL ")
        yield from ((ability, category, counts) for category, counts in waiting)
        yield ability, "", printed
        waiting = []


def tuples() -> Iterator[Row]:
    for ability, category, printed in cells(tables()["6"]):
        for no in range(printed["total"] if category else 0):
            yield {
                "task": ability,
                "category": category,
                "cdx": f"{ability}-{no}",  # the same numbers in every category of an ability, as in the public data
                "question": f"Question {no} of {category}?",
                "og": f"The {no}th answer about {category} is right.",
                "perturbed_gpt4": f"The {no}th answer about {category} is wrong.",
            }


def said(printed: dict[str, Any]) -> list[Row]:
    """What a judge said about each of the pairs behind one printed row; what its counts leave open was unreadable."""
    if "gold" in printed:
        found = [
            {"verdict_gold_first": first, "verdict_perturbed_first": second}
            for outcome, (first, second) in ORDERS.items()
            for _each in range(printed[outcome])
        ]
        unreadable: Row = {"verdict_gold_first": "A", "verdict_perturbed_first": None}
    elif "score10" in printed:
        scores = {10: "score10", 9: "score9", 8: "score8", 3: "below8"}
        found = [
            {"score_perturbed": score, "top": 10} for score, name in scores.items() for _each in range(printed[name])
        ]
        unreadable = {"score_perturbed": None, "top": 10}
    else:
        missed = printed.get("undetected", printed.get("undetected_by_score"))
        detected = min(printed.get("detected", printed.get("detected_by_score")), printed["total"] - missed)
        found = [{"score_gold": 8, "score_perturbed": 8} for _each in range(missed)]
        found += [{"score_gold": 8, "score_perturbed": 7} for _each in range(detected)]
        unreadable = {"score_gold": 8, "score_perturbed": None}
        for place in range(missed if "found_in_explanation" in printed else 0):
            found[place]["found_in_explanation"] = place < printed["found_in_explanation"]
    assert len(found) <= printed["total"]
    return found + [unreadable] * (printed["total"] - len(found))


def judgements() -> Iterator[Row]:
    """One judge, whose strategies are called after the tables and nothing else."""
    for number, table in tables().items():
        for ability, category, printed in cells(table):
            for no, each in enumerate(said(printed) if category else ()):
                yield {
                    "judge": "m",
                    "strategy": f"table {number}",
                    "category": category,
                    "id": f"{ability}-{no}",
                } | each


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def reported(request: pytest.FixtureRequest, installations: Installations, tmp_path_factory: Any) -> Iterator[Row]:
    folder = tmp_path_factory.mktemp("fbi")
    items, verdicts = write_rows(folder / "items.jsonl", tuples()), write_rows(folder / "said.jsonl", judgements())
    with installations.migrated(request.param) as made:
        made.manage("create_project", "fbi", "--kind", "perturbation")
        words = ("import_items", "fbi", items, "--format", "fbi", "--accept", "--no-checks", "--json")
        done = json.loads(made.manage(*words).stdout)
        assert [done[name] for name in ("read", "kept", "rejected")] == [1884, 1884, 0]
        done = json.loads(made.manage("import_judgements", "fbi", verdicts, "--format", "fbi", "--json").stdout)
        assert [done[name] for name in ("read", "kept", "duplicates", "rejected")] == [7 * 1884, 7 * 1884, 0, 0]
        assert done["problems"] == []
        yield _report(made)


def _report(made: Installation) -> Row:
    return json.loads(made.manage("report", "fbi", "blindspots", "--json").stdout)


def two_places(value: float) -> Decimal:
    return Decimal(repr(value)).quantize(Decimal("0.01"), ROUND_HALF_UP)


@pytest.mark.parametrize("number", tables())
def test_every_printed_share(reported: Row, number: str) -> None:
    table = tables()[number]
    rows = {(row["ability"], row["category"]): row for row in reported["rows"] if row["strategy"] == f"table {number}"}
    totals = {row["ability"]: row for row in reported["totals"] if row["strategy"] == f"table {number}"}
    compared = 0
    for ability, category, printed in cells(table):
        row = rows[ability, category] if category else totals[ability]
        share = row["with_explanations"] if "found_in_explanation" in printed else row["share"]
        assert (row["n"], two_places(share)) == (
            printed["total"],
            Decimal(str(printed["printed_share"])).quantize(Decimal("0.01")),
        )
        if "found_in_explanation" not in printed:
            assert row["with_explanations"] is None
        assert row["interval"][0] <= row["share"] <= row["interval"][1]
        compared += 1
    assert compared == len(table["rows"]) == len(rows) + len(totals) == 26
