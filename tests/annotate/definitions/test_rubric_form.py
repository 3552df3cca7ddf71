"""The form of a rubric: a row for each criterion, saved without a script, and usable with many."""

import re
from typing import Any

import pytest
from django.test import Client

from annotate.models import Annotation, Item, Project
from annotate.project.actions import create_project
from tests.support.people import make_item, make_member

pytestmark = pytest.mark.django_db

TEXT = """show: [{field: prompt}]
questions:
  - {name: rubric, type: rubric, from: rubrics, ask: {en: What does it meet?, zh: 符合哪些标准？}}
"""


@pytest.fixture
def project() -> Project:
    return create_project(slug="own", kind="form", definition=TEXT, reviews=0)


def work_page(project: Project, client: Client, criteria: list[dict[str, Any]]) -> Any:
    make_item(project, facts={"prompt": "Why?", "rubrics": criteria})
    client.force_login(make_member(project).user)
    return client.post("/p/own/work/next/", follow=True)


def test_rows_are_answered_and_handed_in_without_a_script(project: Project, client: Client) -> None:
    rows = [{"criterion": "Says <b>why</b>.", "points": 5, "tags": ["axis:tone"]}, {"criterion": "Lies.", "points": -3}]
    page = work_page(project, client, rows)
    text = page.content.decode()
    for part in ("Says &lt;b&gt;why&lt;/b&gt;.", "+5", "−3", "axis:tone", 'id="field-rubric-1"', "Cannot tell"):
        assert part in text
    values = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', text))
    assert values["q-rubric.count"] == "2"
    address = page.request["PATH_INFO"]
    refused = client.post(f"{address}submit/", values | {"q-rubric.1": "met"})
    assert refused.status_code == 422
    assert "1 of 2 criteria have no answer; the first of them is no. 1." in refused.content.decode()
    values = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', refused.content.decode()))
    done = client.post(f"{address}submit/", values | {"q-rubric.0": "cannot_tell", "q-rubric.1": "met"})
    assert done.status_code == 302, done.content.decode()[-2000:]
    assert Annotation.objects.get().draft == {"rubric": ["cannot_tell", "met"]}
    assert Item.objects.get().state == "accepted"


def test_500_criteria_are_one_page_of_bounded_size(project: Project, client: Client) -> None:
    page = work_page(project, client, [{"criterion": f"Criterion {n}", "points": 1} for n in range(500)])
    text = page.content.decode()
    assert text.count('role="radiogroup"') == 500
    assert len(text) < 900_000


def test_the_editor_shows_an_example(project: Project, client: Client) -> None:
    client.force_login(make_member(project, "lead").user)
    page = client.get("/p/own/questions/").content.decode()
    assert "(a criterion of rubrics)" in page
    page = client.get("/p/own/questions/", headers={"accept-language": "zh-hans"}).content.decode()
    assert "符合哪些标准？" in page
