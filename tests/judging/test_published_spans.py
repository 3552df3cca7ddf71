"""Public MQM ratings of translations that nobody here made, through the template `mqm` (../shared/data/README.md)."""

import gzip
import json
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotate.definitions.templates import all_templates
from annotate.models import Annotation, Project
from annotate.project.actions import create_project
from tests.support.files import command, imported, write_rows

FILE = Path(__file__).resolve().parents[3] / "shared" / "data" / "mqm_zhen.jsonl.gz"

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not FILE.exists() and not os.environ.get("CI"), reason=f"needs the published data in {FILE}"),
]


def published() -> dict[str, list[dict[str, Any]]]:
    """key -> its three rows."""
    by_key: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with gzip.open(FILE, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            by_key[row["key"]].append(row)
    return by_key


def spans(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for error in row["errors"]:
        for span in error["spans"]:
            place = {"field": span["side"], **{name: span[name] for name in ("start", "end", "text")}}
            yield {**place, "label": error["category"], "severity": error["severity"]}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """The items with the text of their first row, from which the export has sometimes cut the space at the end."""
    project = create_project(slug="mqm", kind="form", definition=all_templates()["mqm"].definition)
    by_key = published()
    items = [{name: rows[0][name] for name in ("key", "source", "target", "system", "doc")} for rows in by_key.values()]
    assert imported(project, write_rows(tmp_path / "items.jsonl", items), "--no-checks")["kept"] == 2390
    ratings = [
        {"key": key, "rater": row["rater"], "errors": list(spans(row))} for key, rows in by_key.items() for row in rows
    ]
    report = command("import_ratings", "mqm", write_rows(tmp_path / "ratings.jsonl", ratings))[1]
    assert (report["ratings"], report["rejected"]) == (7170, 0)
    assert {problem["level"] for problem in report["problems"]} == {"warning"}
    return project


def released(slug: str, path: Path) -> list[tuple[str, str, Any]]:
    """(key, rater, errors) of every row of a release."""
    words = ("--rows", "raters", "--names", "--state", "any", "--out", path)
    assert command("export_items", slug, *words)[1]["rows"] == 7170
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return sorted((row["key"], row["rater"], row["errors"]) for row in rows)


def test_every_span_lies_where_it_lay_after_a_release_an_import_and_a_release(project: Project, tmp_path: Path) -> None:
    stored = Annotation.objects.filter(item__project=project).values_list("item__key", "rater", "draft__errors")
    first = released("mqm", tmp_path / "first.jsonl")
    assert first == sorted(stored)
    assert sum(len(errors) for _key, _rater, errors in first) == 13525
    assert command("verify", tmp_path / "first.jsonl")[0] == 0
    create_project(slug="again", kind="form", definition=all_templates()["mqm"].definition)
    again = Project.objects.get(slug="again")
    assert imported(again, tmp_path / "items.jsonl", "--no-checks")["kept"] == 2390
    assert command("import_ratings", "again", tmp_path / "first.jsonl")[1]["ratings"] == 7170
    assert released("again", tmp_path / "second.jsonl") == first


def coefficients(what: str) -> dict[str, Any]:
    code, found, err = command("report", "mqm", "agreement", "--what", what)
    assert code == 0, err
    assert (found["units"], found["raters"], found["ratings"]) == (2390, 8, 7170)
    return {coefficient["name"]: coefficient for coefficient in found["coefficients"]}


def test_raters_agree_as_computed_elsewhere(project: Project) -> None:
    errors = coefficients("errors")
    assert (round(errors["span_f1"]["value"], 6), errors["span_f1"]["n"]) == (0.240824, 6109)
    major = coefficients("errors:any:severity=Major")["alpha_nominal"]
    assert round(major["value"], 6) == 0.442142
    score = coefficients("mqm")["alpha_interval"]
    assert round(score["value"], 6) == 0.425764
    for found in (errors["span_f1"], major, score):
        assert found["low"] < found["value"] < found["high"]


BY_SYSTEM = {  # best first (../shared/data/README.md)
    "Lan-BridgeMT": 2.689400,
    "GPT4-5shot": 2.885216,
    "HW-TSC": 3.697211,
    "ONLINE-A": 3.714365,
    "ONLINE-B": 3.894421,
    "IOL_Research": 4.180474,
    "ONLINE-W": 4.803487,
    "ONLINE-M": 5.567782,
    "NLLB_Greedy": 6.747420,
    "NLLB_MBR_BLEU": 6.998326,
}


def test_systems_have_the_scores_computed_elsewhere(project: Project) -> None:
    code, found, err = command("report", "mqm", "scores", "--by", "system")
    assert code == 0, err
    assert {row["group"]: round(row["mean"], 6) for row in found["rows"]} == BY_SYSTEM
    assert [row["group"] for row in found["rows"]] == list(BY_SYSTEM)
    for row in found["rows"]:
        assert (row["score"], row["n"]) == ("mqm", 717)
        assert row["low"] < row["mean"] < row["high"]
