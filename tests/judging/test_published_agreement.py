"""Public files of votes and verdicts give their published figures, by command from import to report."""

import gzip
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.files import write_rows
from tests.support.installation import Installation
from tests.support.installations import Installations

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
PANDALM, AUTOJ = DATA / "pandalm_testset.jsonl.gz", DATA / "autoj_pairwise.jsonl.gz"
NEWSROOM = DATA / "judgebench_newsroom.jsonl.gz"
ALPHAS = {"Informativeness": 0.28487, "Relevance": 0.11512, "Fluency": -0.01581, "Coherence": 0.06497}
KAPPAS = {
    ("annotator1", "annotator2"): 0.8520,
    ("annotator1", "annotator3"): 0.8789,
    ("annotator2", "annotator3"): 0.8617,
}
HITS = {"gpt-3.5": (71.07, 58.79, 57.36, 57.55), "pandalm-7b": (66.77, 57.38, 57.50, 57.43)}
GROUPS = {  # n, agreement, consistency, first order
    "Summarization": (72, 45.83, 73.61, 56.94),
    "Exam Questions": (72, 38.89, 69.44, 41.67),
    "Code": (120, 47.50, 75.83, 54.17),
    "Rewriting": (120, 49.17, 74.17, 57.50),
    "Creative Writing": (216, 59.72, 87.04, 63.43),
    "Functional Writing": (240, 61.67, 81.67, 68.33),
    "General Communication": (288, 55.21, 92.36, 57.29),
    "NLP Tasks": (264, 57.58, 86.36, 62.12),
}
Told = dict[str, Any]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PANDALM.exists() and not os.environ.get("CI"), reason=f"needs the published data in {DATA}"),
]


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def place(request: pytest.FixtureRequest, installations: Installations) -> Iterator[Installation]:
    with installations.migrated(request.param) as made:
        for slug, file, name in (("pandalm", PANDALM, "pandalm"), ("autoj", AUTOJ, "autoj")):
            made.manage("create_project", slug, "--kind", "preference")
            done = made.manage("import_judgements", slug, file, "--format", name, "--json")
            (made.folder / f"{slug}.json").write_text(done.stdout)
        yield made


def said(place: Installation, slug: str) -> Told:
    return json.loads((place.folder / f"{slug}.json").read_text())


def report(place: Installation, *words: str) -> Told:
    return json.loads(place.manage("report", *words, "--json").stdout)


def test_pandalm_comes_in_whole_and_says_what_could_not_be_read(place: Installation) -> None:
    done = said(place, "pandalm")
    assert [done[name] for name in ("read", "kept", "duplicates", "rejected")] == [999, 999, 0, 0]
    assert {problem["level"] for problem in done["problems"]} == {"warning"}
    counts: Counter[str] = Counter()
    for problem in done["problems"]:
        counts[problem["path"]] += problem.get("count", 1)
    assert counts == {"gpt35_result": 25, "response1": 4, "response2": 2}


def test_pandalms_annotators_agree_as_published(place: Installation) -> None:
    told = report(place, "pandalm", "agreement")
    found = {tuple(row["raters"]): row["coefficients"]["cohen_kappa"] for row in told["rows"]}
    assert {pair: round(found[pair]["value"], 4) for pair in KAPPAS} == KAPPAS
    assert all(found[pair]["low"] < found[pair]["value"] < found[pair]["high"] for pair in KAPPAS)
    assert told["majority"] == {"tie": 105, "first": 422, "second": 472}
    assert told["all"]["raters"] == ["annotator1", "annotator2", "annotator3", "gpt-3.5", "pandalm-7b"]
    assert told["people"]["units"] == 999


def test_pandalms_judges_hit_the_majority_as_published(place: Installation) -> None:
    """What GPT-3.5 said unreadably counts as a tie in its published figures, and the report says so."""
    told = report(place, "pandalm", "agreement")
    rows = {row["judge"]: row for row in told["judges"]}
    found = {
        judge: tuple(row[name] for name in ("accuracy", "precision", "recall", "f1")) for judge, row in rows.items()
    }
    assert found == HITS
    assert {judge: (row["n"], row["counted_as_tie"]) for judge, row in rows.items()} == {
        "gpt-3.5": (999, 25),
        "pandalm-7b": (999, 0),
    }
    assert any("gpt-3.5: 25" in note and "ties" in note for note in told["notes"])


def test_of_judges_asked_in_one_order_only_the_accuracy_is_known(place: Installation) -> None:
    rows = report(place, "pandalm", "consistency")["rows"]
    alike = {"group": None, "n": 999, "agreement": None, "consistency": None, "agreement_of_consistent": None}
    assert rows == [{"judge": judge, "accuracy": HITS[judge][0]} | alike for judge in HITS]


def test_auto_j_as_published(place: Installation) -> None:
    done = said(place, "autoj")
    assert [done[name] for name in ("read", "kept", "duplicates", "rejected")] == [1392, 1392, 0, 0]
    assert report(place, "autoj", "consistency")["rows"] == [
        {
            "judge": "auto-j",
            "group": None,
            "n": 1392,
            "agreement": 54.96,
            "consistency": 83.41,
            "accuracy": 59.99,
            "agreement_of_consistent": 65.89,
        }
    ]


def test_auto_j_as_published_for_each_group(place: Installation) -> None:
    rows = report(place, "autoj", "consistency", "--by", "group")["rows"]
    found = {row["group"]: tuple(row[name] for name in ("n", "agreement", "consistency", "accuracy")) for row in rows}
    assert found == GROUPS


def test_labels_that_are_kept_would_mean_other_figures(place: Installation) -> None:
    """The published swapped runs exchange the labels; who says otherwise gets the consistency of a coin."""
    place.manage("create_project", "kept", "--kind", "preference")
    place.manage("import_judgements", "kept", AUTOJ, "--format", "autoj", "--option", "labels=kept")
    (row,) = report(place, "kept", "consistency")["rows"]
    # Alike as written: 15 + 14 + 26 both first, 35 + 41 + 45 both second, 19 + 5 + 6 both ties.
    assert row["consistency"] == round(100 * (55 + 121 + 30) / 1392, 2)
    assert row["accuracy"] == 59.99


def newsroom() -> Iterator[Told]:
    """The three ratings of each summary as rows of the format `ratings`, which has no rater's name to take over."""
    for line in gzip.decompress(NEWSROOM.read_bytes()).decode().splitlines():
        row = json.loads(line)
        for place in range(3):
            yield {
                "key": f"newsroom-{row['id']}",
                "prompt": "Summarize the article.",
                "answer": {"author": "summarizer", "text": row["instance"]},
                "rater": f"rater {place + 1}",
                "scores": {name: given[place] for name, given in row["ratings"].items()},
            }


def test_newsroom_as_published_for_each_criterion(place: Installation) -> None:
    """Krippendorff's alpha, ordinal, of three raters; JUDGE-BENCH prints five decimals."""
    rows = write_rows(place.folder / "newsroom.jsonl", newsroom())
    criteria = json.dumps(list(ALPHAS))
    place.manage("create_project", "newsroom", "--kind", "score_vote", "--option", f"criteria={criteria}")
    done = json.loads(place.manage("import_judgements", "newsroom", rows, "--format", "ratings", "--json").stdout)
    assert [done[name] for name in ("read", "kept", "rejected")] == [1260, 1260, 0]
    told = report(place, "newsroom", "agreement", "--by", "axis")
    assert told["level"] == "ordinal"
    found = {each["group"]: each["coefficients"]["krippendorff_alpha"] for each in told["groups"]}
    assert {name: round(alpha["value"], 5) for name, alpha in found.items()} == ALPHAS
    assert {each["group"]: each["units"] for each in told["groups"]} == dict.fromkeys(ALPHAS, 420)


def test_the_same_files_say_the_same_of_labelled_pairs_for_trees(place: Installation) -> None:
    """Into projects of the kind `branching`, before anybody has worked on an item."""
    for slug, file in (("pandalm", PANDALM), ("autoj", AUTOJ)):
        place.manage("create_project", f"trees-{slug}", "--kind", "branching")
        done = json.loads(place.manage("import_judgements", f"trees-{slug}", file, "--format", slug, "--json").stdout)
        counts = ("read", "kept", "duplicates", "rejected")
        assert [done[name] for name in counts] == [said(place, slug)[name] for name in counts]
    told = report(place, "trees-pandalm", "agreement", "--judge", "gpt-3.5")
    found = {tuple(row["raters"]): row["coefficients"]["cohen_kappa"]["value"] for row in told["rows"]}
    assert {pair: round(found[pair], 4) for pair in KAPPAS} == KAPPAS
    assert told["majority"] == {"tie": 105, "first": 422, "second": 472}
    (judge,) = told["judges"]
    assert (judge["accuracy"], judge["f1"]) == (71.07, 57.55)
    rows = report(place, "trees-autoj", "consistency", "--by", "group")["rows"]
    names = ("n", "agreement", "consistency", "accuracy")
    assert {row["group"]: tuple(row[name] for name in names) for row in rows} == GROUPS
