"""What judges of rubrics cost, beside their agreement with people: all criteria in one call, or one by one."""

from pathlib import Path

import pytest
from django.test import Client

from annotate.engine.purposes import purposes
from annotate.models import Endpoint, Job, Project, Run
from annotate.project.actions import create_project
from tests.support.files import command, imported, write_rows
from tests.support.judges import Judge, shipped
from tests.support.people import make_member
from tests.support.running import run
from tests.support.runs import make_endpoint, make_run

pytestmark = pytest.mark.django_db
TEXT = """show: [{field: prompt}]
questions:
  - {name: rubric, type: rubric, from: criteria}
"""
NAMES = ["j · form", "j · form · criteria=one-by-one"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Two items with two criteria each, which two people have answered."""
    project = create_project(slug="own", kind="form", definition=TEXT, reviews=0)
    criteria = [{"criterion": "Is friendly.", "points": -2}, {"criterion": "Is short.", "points": 4}]
    rows = [{"key": f"k{n}", "prompt": f"Number {n}", "criteria": criteria} for n in range(2)]
    assert imported(project, write_rows(tmp_path / "items.jsonl", rows))["kept"] == 2
    answers = {"Ann": (["met", "met"], ["not_met", "met"]), "Bo": (["met", "not_met"], ["not_met", "met"])}
    ratings = [
        {"key": f"k{n}", "rater": rater, "rubric": answer}
        for rater, by_item in answers.items()
        for n, answer in enumerate(by_item)
    ]
    assert command("import_ratings", "own", write_rows(tmp_path / "ratings.jsonl", ratings))[1]["ratings"] == 4
    make_endpoint(name="j", model="j")
    return Project.objects.get(slug="own")


def by_judge(project: Project, *, one_by_one: bool) -> None:
    """A judge that says that all criteria are met; its run has cost one dollar, or two."""
    purpose, options = purposes()["judge"], {"strategy": "form", "one_by_one": one_by_one}
    made = make_run(project, purpose="judge", endpoint=Endpoint.objects.get(name="j"), options=options)
    jobs = [Job.objects.create(run=made, subject=job.subject, item_id=job.item_id) for job in purpose.plan(made)]
    ask = Judge(lambda _asked: '{"rubric": {"1": "met"}}' if one_by_one else '{"rubric": {"1": "met", "2": "met"}}')
    for case in purpose.load(made, jobs, shipped("forms")):
        purpose.store(case, run(purpose.work(case, ask)))
    Run.objects.filter(pk=made.pk).update(calls=len(ask.asked), tokens_in=100, tokens_out=10, cost=1 + one_by_one)


def test_agreement_and_cost_of_both_ways_stand_side_by_side(project: Project, client: Client) -> None:
    for one_by_one in (False, True):
        by_judge(project, one_by_one=one_by_one)
    told = command("report", "own", "agreement", "--what", "rubric")[1]
    assert [entry["name"] for entry in told["headline"]["judges"]] == NAMES
    assert [(row["name"], row["items"], row["calls"], row["cost"]) for row in told["costs"]] == [
        (NAMES[0], 2, 2, 1.0),
        (NAMES[1], 2, 4, 2.0),
    ]
    client.force_login(make_member(project, "lead").user)
    page = client.get("/p/own/agreement/").content.decode().partition('id="costs"')[2]
    assert [name in page for name in NAMES] == [True, True]
    assert "2.0 per item" in " ".join(page.split())


def test_only_leads_read_what_judges_cost(project: Project, client: Client) -> None:
    by_judge(project, one_by_one=False)
    client.force_login(make_member(project, "reviewer").user)
    page = client.get("/p/own/agreement/").content.decode()
    assert ['id="questions"' in page, 'id="costs"' in page] == [True, False]
