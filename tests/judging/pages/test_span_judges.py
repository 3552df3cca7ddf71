"""Judges who mark spans by quoting, beside people: agreement by the characters that both mark, and its pages."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from annotate.engine.purposes import purposes
from annotate.models import Annotation, Item, Job, Project
from annotate.project.actions import create_project
from judging.models import Judge
from tests.support.desks import colleague
from tests.support.files import command, imported, write_rows
from tests.support.judges import Judge as Script
from tests.support.judges import saying, shipped, simulated
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
    spans = [{"quote": quote, "label": "wrong", "severity": "Minor"} for quote in quotes]
    return judged_by(project, model, saying(json.dumps({"errors": spans})))


def judged_by(project: Project, model: str, ask: Script) -> Judge:
    purpose = purposes()["judge"]
    made = make_run(project, purpose="judge", endpoint=make_endpoint(model=model), options={"strategy": "form"})
    jobs = [Job.objects.create(run=made, subject=job.subject, item_id=job.item_id) for job in purpose.plan(made)]
    for case in purpose.load(made, jobs, shipped("forms")):
        purpose.store(case, run(purpose.work(case, ask)))
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


# --- precision and recall ---------------------------------------------------------------------------------------------
def retrieved(reference: str = "people") -> dict[tuple[str, str], dict[str, Any]]:
    code, found, err = command("report", "own", "agreement", "--what", "errors")
    assert code == 0, err
    return {(row["judge"], row["by"]): row for row in found["judged_spans"] if row["reference"] == reference}


def test_precision_and_recall_are_counted_by_spans_and_by_characters(project: Project) -> None:
    # Of 24 answers of people 18 mark `three` alone and 6 `seven` too: 30 spans of five characters. `eager` marks three
    # words, of 14 characters, in each: it finds all, and 30 of its 72 spans are theirs.
    judged(project, "eager", "three", "seven", "four")
    judged(project, "silent")
    found = retrieved()
    spans, characters, silent = found["eager", "spans"], found["eager", "characters"], found["silent", "spans"]
    assert (spans["precision"]["value"], spans["recall"]["value"], spans["n"], spans["items"]) == (30 / 72, 1, 24, 12)
    assert spans["f1"]["value"] == pytest.approx(2 * 30 / (30 + 72))
    assert spans["precision"]["low"] < 30 / 72 < spans["precision"]["high"]
    assert characters["precision"]["value"] == pytest.approx(150 / (24 * 14))
    assert (silent["precision"]["value"], silent["recall"]["value"], silent["f1"]["value"]) == (None, 0, 0)
    assert "divide by" in silent["precision"]["note"]
    html = html_of(colleague(project, "lead").client, "/p/own/agreement/?about=question%3Aerrors")
    assert "Precision and recall of judges" in html


def test_accepted_answers_are_a_reference_of_their_own(project: Project) -> None:
    judged(project, "exact", "three")
    author = colleague(project, "reviewer").member.user
    for item, word in zip(Item.objects.order_by("pk")[:2], ("three", "six"), strict=True):
        draft = {"errors": [span(word)]}
        submitted = {"submitted_at": timezone.now(), "outcome": "annotated"}
        base = Annotation.objects.create(item=item, author=author, draft=draft, schema=1, **submitted)
        Item.objects.filter(pk=item.pk).update(base=base, state=Item.State.ACCEPTED)
    row = retrieved("resolved")["exact", "spans"]
    assert (row["precision"]["value"], row["recall"]["value"], row["n"]) == (0.5, 0.5, 2)


def test_a_judge_of_known_precision_and_recall_is_measured_within_its_intervals(tmp_path: Path) -> None:
    """Every word with a hyphen is wrong: five in each of 60 texts, which people find all."""
    definition = "show: [{field: target}]\nquestions: [{name: errors, type: spans, on: [target], labels: [wrong]}]"
    project = create_project(slug="own", kind="form", definition=definition, reviews=0)
    text = " ".join(f"word{place} re-read{place}" for place in "abcde")
    items = [{"key": f"k{n}", "target": f"{text} {n}"} for n in range(60)]
    assert imported(project, write_rows(tmp_path / "items.jsonl", items), "--no-checks")["kept"] == 60
    spans = [
        {"field": "target", "start": match.start(), "end": match.end(), "text": match[0], "label": "wrong"}
        for match in re.finditer(r"re-\w+", text)
    ]
    rows = [{"key": f"k{n}", "rater": rater, "errors": spans} for n in range(60) for rater in ("Ann", "Bo")]
    assert command("import_ratings", "own", write_rows(tmp_path / "ratings.jsonl", rows))[1]["ratings"] == 120
    noise = {"span_pattern": r"re-\w+", "span_recall": 0.7, "span_precision": 0.8}
    judged_by(Project.objects.get(slug="own"), "noisy", simulated(seed=3, **noise))
    found = retrieved()
    for by in ("spans", "characters"):
        recall = found["noisy", by]["recall"]
        assert recall["low"] < 0.7 < recall["high"]
        assert recall["high"] - recall["low"] < 0.2
    precision = found["noisy", "spans"]["precision"]
    assert precision["low"] < 0.8 < precision["high"]
    assert precision["high"] - precision["low"] < 0.2
