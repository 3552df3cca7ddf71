"""`report … agreement --what` for spans and scores, from a few ratings whose numbers are derived by hand."""

from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest

from annotate.project.actions import create_project
from tests.support.files import command, imported, write_rows

pytestmark = pytest.mark.django_db

DEFINITION = """show: [{field: source}, {field: target}]
questions:
  - {name: errors, type: spans, on: [target, source], labels: {Form: [Grammar, Spelling], Sense: []}, attributes: {severity: [Minor, Major]}}
scores:
  penalty: {sum: errors, rules: [{label: Sense, points: 10}, {severity: Major, points: 5}, {points: 0.5}], lower_is_better: true}
unit: doc
"""  # noqa: E501  # as people write it


def span(start: int, end: int, text: str, label: str, severity: str = "Minor", field: str = "target") -> dict[str, Any]:
    return {"field": field, "start": start, "end": end, "text": text, "label": label, "severity": severity}


GO, GOE = span(3, 5, "go", "Form/Grammar"), span(3, 7, "go a", "Form/Spelling", "Major")
SOURCE = span(0, 2, "es", "Sense", field="source")


@pytest.fixture
def rated(tmp_path: Path) -> None:
    project = create_project(slug="own", kind="form", definition=DEFINITION)
    items = [{"key": f"k{n}", "source": "es geht", "target": "It go away.", "doc": f"d{n % 2}"} for n in range(4)]
    assert imported(project, write_rows(tmp_path / "items.jsonl", items), "--no-checks")["kept"] == 4
    answers = {
        "k0": {"Ann": [GO], "Bo": [GOE]},  # 2·2/(2+4) = 2/3
        "k1": {"Ann": [], "Bo": [GO]},  # 0
        "k2": {"Ann": [], "Bo": []},  # left out
        "k3": {"Ann": [SOURCE, GO], "Bo": [SOURCE]},  # 2·2/(4+2) = 2/3
    }
    rows = [{"key": key, "rater": rater, "errors": spans} for key, of in answers.items() for rater, spans in of.items()]
    assert command("import_ratings", "own", write_rows(tmp_path / "ratings.jsonl", rows))[1]["ratings"] == 8


def agreement(what: str) -> dict[str, Any]:
    code, found, err = command("report", "own", "agreement", "--what", what)
    assert code == 0, err
    return found | {coefficient["name"]: coefficient for coefficient in found["coefficients"]}


def test_spans_are_compared_by_characters_labels_and_matches(rated: None) -> None:
    found = agreement("errors")
    assert (found["type"], found["units"], found["raters"], found["ratings"]) == ("spans", 4, 2, 8)
    assert (found["span_f1"]["value"], found["span_f1"]["n"]) == (pytest.approx(4 / 9), 3)
    # Of 72 characters twice, Sense is marked at the same two by both.
    assert found["alpha_characters:Sense"]["value"] == 1.0
    assert found["alpha_characters:Form/Grammar"]["value"] < 0
    # GO meets GOE, which is called otherwise, and SOURCE itself.
    assert (found["matched_label"]["value"], found["matched_label"]["n"]) == (0.5, 2)
    assert found["matched_severity"]["value"] == 0.5


@pytest.mark.parametrize(
    ("what", "equal"),
    [
        ("errors:any", 2),
        ("errors:any:severity=Major", 3),
        ("errors:any:label=Form", 2),
        ("errors:any:label=Form/Grammar", 1),
        ("errors:any:field=source", 4),
    ],
)
def test_whether_an_item_has_such_a_span_is_compared_as_a_label(rated: None, what: str, equal: int) -> None:
    found = agreement(what)
    assert (found["question"], found["units"], found["alpha_nominal"]["n"]) == (what, 4, 4)
    assert (found["alpha_nominal"]["value"] == 1.0) == (equal == 4)


def test_scores_are_compared_as_numbers(rated: None) -> None:
    scores = np.array([[0.5, 0, 0, 10.5], [5, 0.5, 0, 10]])  # of Ann and of Bo
    found = agreement("penalty")
    assert (found["type"], found["ratings"]) == ("score", 8)
    assert found["alpha_interval"]["value"] == pytest.approx(
        krippendorff.alpha(scores, level_of_measurement="interval")
    )
    assert [question["question"] for question in command("report", "own", "agreement")[1]["questions"]] == [
        "errors",
        "penalty",
    ]


@pytest.mark.parametrize("what", ["errors:any:severity=Huge", "errors:any:colour=red", "errors:all", "nothing:any"])
def test_what_there_is_not_is_refused_by_name(rated: None, what: str) -> None:
    code, _found, err = command("report", "own", "agreement", "--what", what)
    assert code == 1
    assert f"“{what}” is not a question of this project; questions with agreement: errors, penalty." in err
