"""Published agreement out of the published ratings."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from lib.stats.agreement import coefficients, ratings

DATA = Path(__file__).resolve().parents[5] / "shared" / "data"
PANDALM, NEWSROOM = DATA / "pandalm_testset.jsonl.gz", DATA / "judgebench_newsroom.jsonl.gz"


def needs(path: Path) -> pytest.MarkDecorator:
    """Where the tests must be whole, a missing file fails."""
    return pytest.mark.skipif(not path.exists() and not os.environ.get("CI"), reason=f"needs the public data: {path}")


def rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@needs(PANDALM)
def test_the_kappas_of_pandalm() -> None:
    """Its README says .85, .88 and .86."""
    given = [(str(row["idx"]), f"{no}", row[f"annotator{no}"]) for row in rows(PANDALM) for no in (1, 2, 3)]
    found = coefficients(ratings(given))["cohen_kappa"]
    assert [(*pair.raters, pair.units) for pair in found.pairs] == [("1", "2", 999), ("1", "3", 999), ("2", "3", 999)]
    assert [round(pair.value or 0, 4) for pair in found.pairs] == [0.8520, 0.8789, 0.8617]


@needs(NEWSROOM)
@pytest.mark.parametrize(
    ("criterion", "alpha"),
    [("Informativeness", 0.28487), ("Relevance", 0.11512), ("Fluency", -0.01581), ("Coherence", 0.06497)],
)
def test_the_alphas_of_newsroom(criterion: str, alpha: float) -> None:
    """As JUDGE-BENCH publishes them, at ordinal level."""
    given = [
        (str(row["id"]), f"{no}", value) for row in rows(NEWSROOM) for no, value in enumerate(row["ratings"][criterion])
    ]
    found = coefficients(ratings(given, "ordinal"), names=["krippendorff_alpha"])["krippendorff_alpha"]
    assert (round(found.value or 0, 5), found.units) == (alpha, 420)
