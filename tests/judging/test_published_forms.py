"""Public ratings that nobody here made, through own questions: Newsroom's and LLMFAO's published agreement."""

import csv
import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotate.models import Item, Project
from annotate.project.actions import create_project
from tests.support.files import command, imported, write_rows

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
NEWSROOM = {"Informativeness": 0.28487, "Relevance": 0.11512, "Fluency": -0.01581, "Coherence": 0.06497}

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not DATA.exists() and not os.environ.get("CI"), reason=f"needs the published data in {DATA}"),
]


def project_with(folder: Path, definition: str, items: list[dict[str, Any]]) -> Project:
    project = create_project(slug="public", kind="form", definition=definition)
    report = imported(project, write_rows(folder / "items.jsonl", items), "--no-checks")
    assert report["kept"] == len(items)
    return project


def coefficient(what: str, name: str) -> dict[str, Any]:
    code, told, err = command("report", "public", "agreement", "--what", what)
    assert code == 0, err
    return next(found for found in told["coefficients"] if found["name"] == name)


def test_newsroom(tmp_path: Path) -> None:
    """Four ratings of 420 summaries by three raters, alpha at ordinal level (JUDGE-BENCH)."""
    with gzip.open(DATA / "judgebench_newsroom.jsonl.gz", "rt") as file:
        rows = [json.loads(line) for line in file]
    questions = "".join(f'  - {{name: {name}, type: rating, scale: {{"1": worst, "5": best}}}}\n' for name in NEWSROOM)
    items = [{"key": str(row["id"]), "instance": row["instance"]} for row in rows]
    project_with(tmp_path, f"show: [{{field: instance}}]\nquestions:\n{questions}", items)
    ratings = [
        {"key": str(row["id"]), "rater": f"rater {rater}", **{name: row["ratings"][name][rater] for name in NEWSROOM}}
        for row in rows
        for rater in range(3)
    ]
    report = command("import_ratings", "public", write_rows(tmp_path / "ratings.jsonl", ratings))[1]
    assert (report["ratings"], report["problems"]) == (1260, [])
    for name, published in NEWSROOM.items():
        assert round(coefficient(name, "alpha_ordinal")["value"], 5) == published


def llmfao() -> Iterator[tuple[str, dict[str, str]]]:
    """(key of prompt and pair, the vote); the answer of the model whose name comes first is `a`."""
    with (DATA / "llmfao_crowd-comparisons.csv").open(newline="") as file:
        for vote in csv.DictReader(file):
            first, second = sorted((vote["left"], vote["right"]))
            choice = {"left": vote["left"], "right": vote["right"]}.get(vote["winner"])
            better = "tie" if choice is None else "first" if choice == first else "second"
            yield f"{vote['prompt']}/{first}/{second}", {"rater": vote["worker"], "better": better}


def test_llmfao_as_pairs(tmp_path: Path) -> None:
    """8,931 votes of 124 workers; alpha at nominal level (data/README.md)."""
    votes = list(llmfao())
    pairs = [dict(zip(("prompt", "a", "b"), key.split("/"), strict=True), key=key) for key in dict(votes)]
    definition = """show: [{field: prompt}, {field: a}, {field: b}]
questions: [{name: better, type: pair, of: [a, b]}]
"""
    project = project_with(tmp_path, definition, pairs)
    rows = [{"key": key, **vote} for key, vote in votes]
    report = command("import_ratings", "public", write_rows(tmp_path / "votes.jsonl", rows))[1]
    assert (report["ratings"], report["rejected"]) == (len(votes), 0)
    assert Item.objects.filter(project=project).count() == 2139
    assert round(coefficient("better", "alpha_nominal")["value"], 6) == 0.290345
