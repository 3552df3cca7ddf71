"""Judges who mark spans by quoting, beside people: agreement by the characters that both mark, and its pages."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotate.engine.purposes import purposes
from annotate.models import Job, Project
from annotate.project.actions import create_project
from judging.models import Judge
from tests.support.desks import colleague
from tests.support.files import command, imported, write_rows
from tests.support.judges import saying, shipped
from tests.support.pages import html_of
from tests.support.running import run
from tests.support.runs import make_endpoint, make_run

pytestmark = pytest.mark.django_db
DEFINITION = """show: [{field: target}]
questions:
  - {name: errors, type: spans, on: [target], labels: [wrong, style], attributes: {severity: [Minor, Major]}}
scores: {penalty: {sum: errors, rules: [{severity: Major, points: 5}, {points: 1}]}}
"""
TEXT = "one two three four five six seven"
ITEMS = 12


def span(word: str) -> dict[str, Any]:
    start = TEXT.index(word)
    place = {"field": "target", "start": start, "end": start + len(word), "text": word}
    return {**place, "label": "wrong", "severity": "Minor"}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Both people mark `three` in every item, and Bo every second time `seven` too."""
    project = create_project(slug="own", kind="form", definition=DEFINITION, reviews=0)
    items = [{"key": f"k{n}", "target": TEXT, "no": n} for n in range(ITEMS)]
    assert imported(project, write_rows(tmp_path / "items.jsonl", items), "--no-checks")["kept"] == ITEMS
    rows = [
        {
            "key": f"k{n}",
            "rater": rater,
            "errors": [span("three"), *([span("seven")] if n % 2 and rater == "Bo" else [])],
        }
        for n in range(ITEMS)
        for rater in ("Ann", "Bo")
    ]
    assert command("import_ratings", "own", write_rows(tmp_path / "ratings.jsonl", rows))[1]["ratings"] == 2 * ITEMS
    return Project.objects.get(slug="own")


def judged(project: Project, model: str, *quotes: str) -> Judge:
    """A judge that quotes these words of every item."""
    purpose = purposes()["judge"]
    made = make_run(project, purpose="judge", endpoint=make_endpoint(model=model), options={"strategy": "form"})
    jobs = [Job.objects.create(run=made, subject=job.subject, item_id=job.item_id) for job in purpose.plan(made)]
    spans = [{"quote": quote, "label": "wrong", "severity": "Minor"} for quote in quotes]
    for case in purpose.load(made, jobs, shipped("forms")):
        purpose.store(case, run(purpose.work(case, saying(json.dumps({"errors": spans})))))
    return Judge.objects.get(name=model)


def headline(what: str = "errors") -> dict[str, Any]:
    code, found, err = command("report", "own", "agreement", "--what", what)
    assert code == 0, err
    return found["headline"]


def test_a_judge_is_compared_with_people_by_the_characters_that_both_mark(project: Project) -> None:
    # `three` and `seven` have five characters. People: 1, and 2·5/15 where Bo marks both.
    judged(project, "exact", "three")
    judged(project, "eager", "three", "seven", "four", "eight")
    judged(project, "silent")
    found = headline()
    people = (1 + 2 / 3) / 2
    assert (found["coefficient"], found["people"]["value"]) == ("span_f1", pytest.approx(people))
    by_name = {judge["name"]: judge for judge in found["judges"]}
    # exact: as Ann, so 1 and 1, or 1 and 2/3. eager: 14 characters, 2·5/19 beside one word and 2·10/24 beside both.
    assert by_name["exact"]["value"] == pytest.approx((1 + 1 + 1 + 2 / 3) / 4)
    assert by_name["eager"]["value"] == pytest.approx((3 * 10 / 19 + 20 / 24) / 4)
    assert by_name["silent"]["value"] == 0  # it says that there is none
    assert by_name["exact"]["difference"] == pytest.approx(by_name["exact"]["value"] - people)
    assert by_name["exact"]["units"] == ITEMS
    assert by_name["exact"]["difference_low"] <= by_name["exact"]["difference"] <= by_name["exact"]["difference_high"]


def test_the_pages_show_judges_of_spans_beside_people(project: Project) -> None:
    judged(project, "exact", "three")
    lead = colleague(project, "lead").client
    html = html_of(lead, "/p/own/agreement/")
    assert "F1 of marked characters" in html
    assert "exact" in html
    for address in ("?about=question%3Aerrors", "?about=question%3Apenalty", "one-page/", "agreement.csv"):
        assert lead.get(f"/p/own/agreement/{address}").status_code == 200
    assert lead.get("/p/own/agreement/units/?about=question%3Aerrors&of=people").status_code == 200


# --- trust ------------------------------------------------------------------------------------------------------------
def test_a_judge_of_spans_is_weighed_by_the_characters_that_it_marks_as_others_do(project: Project) -> None:
    judged(project, "exact", "three")
    code, told, err = command("report", "own", "trust", "--what", "errors")
    assert code == 0, err
    (test,) = told["tests"]
    assert test["similarity"]["measure"] == "spans"
    # Ann left out: beside Bo, 1 where Bo marks `three` alone, else 2·5/15. The judge is as Ann. Of Bo, beside Ann: the
    # same, and the judge is as Ann always.
    ann, bo = test["people"]
    half = (1 + 2 / 3) / 2
    assert (ann["similarity"]["person"]["value"], ann["similarity"]["judge"]["value"]) == pytest.approx((half, half))
    assert (bo["similarity"]["person"]["value"], bo["similarity"]["judge"]["value"]) == pytest.approx((half, 1))
    assert (bo["judge"]["value"], bo["left_out"]["value"]) == (1, 0.5)
    lead = colleague(project, "lead").client
    assert "F1 of marked characters" in html_of(lead, "/p/own/trust/?about=question%3Aerrors")
    units = html_of(lead, "/p/own/trust/units/?about=question%3Aerrors")
    assert "“seven” (target 28–33; wrong; Minor)" in units
