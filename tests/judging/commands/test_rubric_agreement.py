"""Agreement about the criteria of rubrics: criteria as units, by criterion and tag, and the score."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotate.engine.purposes import purposes
from annotate.models import Job, Project
from annotate.project.actions import create_project
from tests.support.desks import colleague
from tests.support.files import command, imported, write_rows
from tests.support.judges import saying, shipped
from tests.support.pages import html_of
from tests.support.running import run
from tests.support.runs import make_endpoint, make_run

pytestmark = pytest.mark.django_db

TEXT = """show: [{field: prompt}]
questions:
  - {name: rubric, type: rubric, from: criteria}
"""
TONE = {"criterion": "Is friendly.", "points": -2, "tags": ["tone"]}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = create_project(slug="own", kind="form", definition=TEXT, reviews=0)
    rows = [
        {"key": f"k{n}", "prompt": f"Number {n}", "criteria": [{"criterion": f"Says {n}.", "points": 4}, TONE]}
        for n in range(2)
    ]
    assert imported(project, write_rows(tmp_path / "items.jsonl", rows))["kept"] == 2
    return project


def rated(folder: Path, answers: dict[str, list[list[Any]]]) -> dict[str, Any]:
    """answers: rater -> of each item in turn."""
    rows = [
        {"key": f"k{n}", "rater": rater, "rubric": answer}
        for rater, by_item in answers.items()
        for n, answer in enumerate(by_item)
    ]
    return command("import_ratings", "own", write_rows(folder / "ratings.jsonl", rows))[1]


def test_criteria_are_the_units_and_the_worst_comes_first(project: Project, tmp_path: Path) -> None:
    answers = {"Ann": [["met", "met"], ["not_met", "met"]], "Bo": [["met", "not_met"], ["not_met", "met"]]}
    assert rated(tmp_path, answers)["ratings"] == 4
    code, told, err = command("report", "own", "agreement", "--what", "rubric")
    assert code == 0, err
    assert (told["units"], told["raters"], told["ratings"], told["left_out"]) == (4, 2, 8, {})
    # Of 8 answers 5 are met; one of 4 units differs: 1 - (2 / 8) / (2 * 5 * 3 / (8 * 7)).
    alpha = told["coefficients"][0]
    assert (alpha["name"], round(alpha["value"], 6), alpha["n"]) == ("alpha_nominal", 0.533333, 4)
    assert told["coefficients"][1]["name"] == "alpha_interval"
    worst = told["criteria"][0]
    assert worst == {
        "criterion": "Is friendly.",
        "points": -2.0,
        "tags": ["tone"],
        "agreement": 0.5,
        "pairs": 2,
        "items": 2,
    }
    assert [row["agreement"] for row in told["criteria"]] == [0.5, 1.0, 1.0]
    assert [(row["tag"], row["n"]) for row in told["tags"]] == [("tone", 2)]
    # Scores: Ann (4 - 2) / 4 and -2 / 4, Bo 1 and -2 / 4.
    assert (told["score"]["mean"], told["score"]["n"]) == (0.125, 4)
    out = io.StringIO()
    call_command("report", "own", "agreement", "--what", "rubric", stdout=out)
    assert "0.50 of 2 pairs agree: Is friendly." in out.getvalue()


def test_the_score_is_a_row_of_the_scores_cut_to_0_and_1_by_group(project: Project, tmp_path: Path) -> None:
    rated(tmp_path, {"Ann": [["met", "met"], ["not_met", "met"]], "Bo": [["met", "not_met"], ["cannot_tell", "met"]]})
    code, told, err = command("report", "own", "scores")
    assert code == 0, err
    (row,) = told["rows"]
    # Ann 0.5 and -0.5, Bo 1; his second rating has no positive points left.
    assert (row["score"], row["group"], row["n"], round(row["mean"], 6)) == ("rubric", "", 3, 0.333333)
    assert told["left_out"] == {"no positive points": 1}
    by_prompt = command("report", "own", "scores", "--by", "prompt")[1]["rows"]
    assert [(row["group"], row["mean"]) for row in by_prompt] == [("Number 0", 0.75), ("Number 1", 0.0)]


def test_cannot_tell_is_left_out_and_counted_and_a_mean_below_0_is_cut(project: Project, tmp_path: Path) -> None:
    rated(tmp_path, {"Ann": [["not_met", "met"], ["cannot_tell", "met"]]})
    told = command("report", "own", "agreement", "--what", "rubric")[1]
    assert told["left_out"] == {"cannot tell": 1, "one rater": 3}
    assert told["coefficients"][0]["value"] is None
    score = told["score"]  # the first item has -2 / 4; the second has no positive points left
    assert (score["mean"], score["n"], score["cannot_tell"], score["without_points"]) == (0.0, 1, 1, 1)


def test_without_ratings_there_is_nothing_and_no_error(project: Project) -> None:
    told = command("report", "own", "agreement", "--what", "rubric")[1]
    assert (told["units"], told["criteria"], told["score"]["mean"]) == (0, [], None)


def test_a_rating_that_leaves_criteria_open_is_refused(project: Project, tmp_path: Path) -> None:
    report = rated(tmp_path, {"Ann": [["met"], ["met", "met"]]})
    assert (report["kept"], report["rejected"]) == (1, 1)
    assert report["problems"][0]["path"] == "rubric[1]"


# --- trust ------------------------------------------------------------------------------------------------------------
def judged(project: Project) -> None:
    """Meets every criterion, of a question that is answered by the number of the item's criterion."""
    purpose = purposes()["judge"]
    made = make_run(project, purpose="judge", endpoint=make_endpoint(model="kind"), options={"strategy": "form"})
    jobs = [Job.objects.create(run=made, subject=job.subject, item_id=job.item_id) for job in purpose.plan(made)]
    for case in purpose.load(made, jobs, shipped("forms")):
        purpose.store(case, run(purpose.work(case, saying(json.dumps({"rubric": {"1": "met", "2": "met"}})))))


def test_a_judge_is_weighed_by_criterion_and_items_are_resampled(tmp_path: Path) -> None:
    project = create_project(slug="own", kind="form", definition=TEXT, reviews=0)
    criteria = [{"criterion": "Says it.", "points": 4}, TONE]
    rows = [{"key": f"k{n}", "prompt": f"Number {n}", "criteria": criteria} for n in range(20)]
    assert imported(project, write_rows(tmp_path / "items.jsonl", rows))["kept"] == 20
    # All meet the first criterion, and Ann and Bo never the second. Cy cannot tell it of the last two items.
    seconds = {"Ann": "not_met", "Bo": "not_met", "Cy": "met"}
    answers = {rater: [["met", second]] * 20 for rater, second in seconds.items()}
    answers["Cy"] = [*answers["Cy"][:-2], ["met", "cannot_tell"], ["met", "cannot_tell"]]
    rated(tmp_path, answers)
    judged(project)
    code, told, err = command("report", "own", "trust", "--what", "rubric")
    assert code == 0, err
    (test,) = told["tests"]
    people = {row["person"]: row for row in test["people"]}
    assert (test["similarity"]["measure"], test["skipped"]) == ("equal", {})
    assert [people[name]["judge"]["n"] for name in ("Ann", "Cy")] == [40, 38]
    # Second criterion: Ann beside Bo and Cy ½, the judge beside them ½, without Cy 1 and 0. Cy: 0, as the judge.
    assert people["Ann"]["similarity"]["person"]["value"] == pytest.approx((20 + 18 / 2 + 2) / 40)
    assert people["Ann"]["similarity"]["judge"]["value"] == pytest.approx((20 + 18 / 2) / 40)
    assert people["Cy"]["similarity"]["person"]["value"] == people["Cy"]["similarity"]["judge"]["value"] == 20 / 38
    html = html_of(colleague(project, "lead").client, "/p/own/trust/units/?about=question%3Arubric")
    assert "Part 2" in " ".join(html.split()).replace("</span>", "")
    table = html_of(colleague(project, "lead").client, "/p/own/agreement/units/?about=question%3Arubric&of=people")
    assert "40 units" in " ".join(table.split())
