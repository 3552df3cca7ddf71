"""A judge that minds every published error and nothing else has no blind spot in any ability, and passes the control.

Of the public tuples, 25 rows of layout and 49 of padding are filed as long-form errors, and change nothing that should
be minded. 413 + 25 + 49 = 487 score-invariant rows; 497 - 74 = 423 long-form errors.
"""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from annotate.models import Item, Project
from tests.support.files import command, imported, write_rows
from tests.support.people import make_project

TUPLES = Path(__file__).resolve().parents[3] / "shared" / "data" / "fbi_tuples.jsonl.gz"
INVARIANT = ("formatting-errors", "superficial-errors", "score_invariant")
EXPECTED = {"long-form": 423, "factual": 386, "instruction-following": 303, "reasoning": 395, "score-invariant": 487}

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.slow,
    pytest.mark.skipif(
        not TUPLES.exists() and not os.environ.get("CI"), reason=f"needs the published tuples: {TUPLES}"
    ),
]


def said() -> list[dict[str, Any]]:
    """One row a tuple: alone, and in both orders; an equal score, and both good, where nothing should be minded."""
    rows = []
    with gzip.open(TUPLES, "rt", encoding="utf-8") as lines:
        for one in map(json.loads, lines):
            same = one["category"] in INVARIANT
            named = {"judge": "perfect", "category": one["category"], "id": one["cdx"]}
            rows.append(named | {"strategy": "alone", "score_gold": 9, "score_perturbed": 9 if same else 3})
            first, second = ("C", "C") if same else ("A", "B")
            rows.append(named | {"strategy": "pairs", "verdict_gold_first": first, "verdict_perturbed_first": second})
    return rows


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = make_project(slug="fbi", kind_slug="perturbation", reviews=0)
    imported(made, TUPLES, "--format", "fbi", "--accept", "--no-checks")
    assert Item.objects.filter(project=made, state="accepted").count() == 1994
    command("import_judgements", made.slug, write_rows(tmp_path / "said.jsonl", said()), "--format", "fbi")
    return made


def test_a_perfect_judge_has_no_blind_spot_in_any_ability(project: Project) -> None:
    report = command("report", project.slug, "blindspots")[1]
    for strategy in ("alone", "pairs"):
        totals = {row["ability"]: row for row in report["totals"] if row["strategy"] == strategy}
        assert {ability: row["n"] for ability, row in totals.items()} == EXPECTED
        undetected = {ability: row["undetected"] for ability, row in totals.items()}
        assert undetected == {ability: n if ability == "score-invariant" else 0 for ability, n in EXPECTED.items()}
    rows = [row for row in report["rows"] if row["strategy"] == "alone" and row["ability"] == "score-invariant"]
    assert {row["category"]: row["n"] for row in rows} == dict(zip(INVARIANT, (25, 49, 413), strict=True))
    errors = {row["category"] for row in report["rows"]} - set(INVARIANT)
    assert len(errors) == 22
