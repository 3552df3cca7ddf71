"""The way of a file through a whole installation, by its commands alone, on SQLite and on PostgreSQL."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.canals import published
from tests.support.files import facts_only, row, without, write_rows
from tests.support.installation import Installation
from tests.support.installations import Installations

pytestmark = pytest.mark.slow
ROWS = [
    row(1, feedback="火星\u2028有\r\n两颗 “moons” \\ % ' 😀"),
    facts_only(2),
    without(row(3), "checklist"),
    row(4, checklist=[["a?", 0.1], ["b?", 0], ["c?", 1e-07], ["d?", 0.8999999]]),
    row(5, feedback=7),
    row(1),
]


@pytest.fixture
def installation(installations: Installations, database: str) -> Any:
    with installations.migrated(database) as made:
        made.manage("create_project", "fb", "--kind", "feedback")
        yield made


def said(installation: Installation, *words: object) -> dict[str, Any]:
    return json.loads(installation.manage(*map(str, words), "--json", check=False).stdout)


def test_a_file_goes_in_comes_out_and_comes_back(installation: Installation, tmp_path: Path) -> None:
    given, out, again = write_rows(tmp_path / "in.jsonl", ROWS), tmp_path / "out.jsonl", tmp_path / "again.jsonl"
    report = said(installation, "import_items", "fb", given)
    assert [report[name] for name in ("read", "kept", "duplicates", "rejected")] == [6, 4, 1, 1]
    assert said(installation, "export_items", "fb", "--state", "any", "--out", out)["rows"] == 4
    assert said(installation, "verify", out)["ok"]
    assert said(installation, "check_items")["ok"]
    installation.manage("create_project", "copy", "--kind", "feedback")
    assert said(installation, "import_items", "copy", out, "--strict")["kept"] == 4
    said(installation, "export_items", "copy", "--state", "any", "--out", again)
    assert [aside(line) for line in out.open("rb")] == [aside(line) for line in again.open("rb")]


def aside(line: bytes) -> bytes:
    """The row without its provenance, which stands last."""
    return line.rsplit(b', "provenance": ', 1)[0]


def test_final_work_and_new_rounds_hold_on_both_databases(installation: Installation, tmp_path: Path) -> None:
    said(installation, "import_items", "fb", write_rows(tmp_path / "a.jsonl", [row(1), row(2)]), "--accept")
    newer = write_rows(tmp_path / "b.jsonl", [row(1, feedback="Newer.")])
    assert said(installation, "import_items", "fb", newer, "--duplicates", "round")["kept"] == 1
    states = "result = sorted(Item.objects.values_list('key', 'state', 'round'))"
    assert installation.python(states) == [["row-1", "ready", 2], ["row-2", "accepted", 1]]


COVERED = """
from annotate.project.overview import coverage
parents = dict(Item.objects.filter(project__slug="blind").values_list("key", "parent__key"))
found = {row.wanted.group: row.found for part in coverage(Project.objects.get(slug="blind")) for row in part.rows}
result = [parents, {group: n for group, n in found.items() if n}]
"""


def test_tuples_are_children_of_their_prompts_and_counted_on_both_databases(
    installation: Installation, tmp_path: Path
) -> None:
    installation.manage("create_project", "prompts", "--kind", "prompt")
    said(
        installation, "import_items", "prompts", write_rows(tmp_path / "p.jsonl", [{"key": "factual-1", "prompt": "?"}])
    )
    installation.manage("create_project", "blind", "--kind", "perturbation")
    link = "Project.objects.filter(slug='blind').update(source=Project.objects.get(slug='prompts')); result = 1"
    installation.python(link)
    tuples = write_rows(tmp_path / "t.jsonl", [published(1), published(2), published(1, category="entity-errors")])
    assert said(installation, "import_items", "blind", tuples, "--format", "fbi", "--accept")["kept"] == 3
    assert installation.python(COVERED) == [
        {
            "number-errors/factual-1_number-errors": "factual-1",
            "number-errors/factual-2_number-errors": None,
            "entity-errors/factual-1_entity-errors": "factual-1",
        },
        {"number-errors": 2, "entity-errors": 1},
    ]


def test_ratings_leave_as_parquet_and_come_back(installation: Installation, tmp_path: Path) -> None:
    installation.manage("create_project", "own", "--kind", "form", "--template", "rating")
    rows = [{"key": f"k{no}", "prompt": "Why?", "response": f"So {no}.", "model": "m"} for no in range(3)]
    assert said(installation, "import_items", "own", write_rows(tmp_path / "items.jsonl", rows))["kept"] == 3
    ratings = [{"key": f"k{no}", "rater": name, "helpful": 1 + no} for no in range(3) for name in ("Ann", "Bo")]
    assert said(installation, "import_ratings", "own", write_rows(tmp_path / "r.jsonl", ratings))["ratings"] == 6
    out = tmp_path / "r.parquet"
    words = ("--rows", "raters", "--names", "--metadata", "--out", out)
    assert said(installation, "export_items", "own", *words)["rows"] == 6
    assert said(installation, "verify", out)["ok"] is True
    assert said(installation, "import_ratings", "own", out)["duplicates"] == 6
    assert said(installation, "export_items", "own", "--state", "any", "--metadata", "--out", out)["rows"] == 3
    assert said(installation, "verify", out)["ok"] is True
