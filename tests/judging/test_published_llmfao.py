"""LLMFAO: the crowd's votes give the golden strengths, and GPT-4 hits their majority as often as it does."""

import csv
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lib.stats.labels import hits, majority
from tests.support.files import command
from tests.support.installation import Installation
from tests.support.installations import Installations

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
CROWD, GPT4 = DATA / "llmfao_crowd-comparisons.csv", DATA / "llmfao_gpt4-crowd-comparisons.csv"
GOLDEN = DATA / "llmfao_golden_bradley_terry.csv"

pytestmark = pytest.mark.skipif(
    not CROWD.exists() and not os.environ.get("CI"), reason=f"needs the published data in {DATA}"
)


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def place(request: pytest.FixtureRequest, installations: Installations) -> Iterator[Installation]:
    with installations.migrated(request.param) as made:
        made.manage("create_project", "llmfao", "--kind", "preference")
        done = made.manage("import_judgements", "llmfao", CROWD, GPT4, "--format", "llmfao", "--json")
        (made.folder / "llmfao.json").write_text(done.stdout)
        yield made


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def golden() -> dict[str, float]:
    return {row["item"]: float(row["score"]) for row in rows_of(GOLDEN)}


def strengths(told: dict[str, Any]) -> dict[str, float]:
    return {row["name"]: row["strength"] for row in told["models"]}


def test_the_file_of_votes_gives_the_golden_strengths() -> None:
    code, told, _err = command("ranking", CROWD, "--beside", GOLDEN)
    assert code == 0
    assert strengths(told) == pytest.approx(golden(), abs=1e-9, rel=0)
    assert [row["name"] for row in told["models"]] == sorted(golden(), key=lambda name: -golden()[name])
    assert (told["battles"], told["skipped"], told["note"]) == (8931, {}, "")
    assert told["beside"]["kendall"] == {"value": 1.0, "interval": [1.0, 1.0], "n": 59}


def test_gpt_4_hits_the_majority_of_the_crowd() -> None:
    votes: dict[str, list[str]] = {}
    for row in rows_of(CROWD):
        votes.setdefault(row["id"], []).append(row["winner"])
    verdicts = {row["id"]: row["winner"] for row in rows_of(GPT4)}
    found = hits([majority(said) for said in votes.values()], [verdicts[pair] for pair in votes])
    assert (found.accuracy.n, round((found.accuracy.value or 0) * found.accuracy.n)) == (1831, 817)


@pytest.mark.slow
def test_a_project_says_the_same_as_the_file(place: Installation) -> None:
    done = json.loads((place.folder / "llmfao.json").read_text())
    assert [done[name] for name in ("read", "kept", "duplicates", "rejected")] == [8931 + 2139, 8931 + 2139, 0, 0]
    told = json.loads(place.manage("report", "llmfao", "ranking", "--json").stdout)
    assert told["raters"] == "people"
    assert strengths(told) == pytest.approx(golden(), abs=1e-9, rel=0)
    (judge,) = told["others"]
    assert (judge["raters"], judge["battles"], judge["people"]["kendall"]["n"]) == ("gpt-4", 2139, 59)
    (against,) = json.loads(place.manage("report", "llmfao", "agreement", "--judge", "gpt-4", "--json").stdout)[
        "judges"
    ]
    assert (against["n"], against["accuracy"]) == (1831, round(100 * 817 / 1831, 2))
