"""The form of criteria: rows edited and handed in without a script, and a release that a rubric reads as its items."""

import json
import re
from pathlib import Path

import pytest
from django.test import Client

from annotate.definitions.templates import all_templates
from annotate.models import Annotation, Item, Project
from annotate.project.actions import create_project
from tests.support.files import command, imported, write_rows
from tests.support.people import make_item, make_member

pytestmark = pytest.mark.django_db
TEXT = """show: [{field: prompt}]
questions:
  - {name: rubric, type: criteria, ask: Which criteria should an answer meet?}
"""
RUBRIC = "show: [{field: prompt}]\nquestions: [{name: rubric, type: rubric, from: rubric}]\n"
DRAFT = {"rubric": [{"criterion": "Says <b>why</b>", "points": 5, "tags": ["tone"]}]}


@pytest.fixture
def project() -> Project:
    return create_project(slug="own", kind="form", definition=TEXT, reviews=0)


def hidden(text: str) -> dict[str, str]:
    return dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', text))


def test_a_drafted_row_is_edited_moved_and_handed_in_without_a_script(
    project: Project, client: Client, tmp_path: Path
) -> None:
    make_item(project, facts={"prompt": "Why?"}, suggestion=DRAFT)
    client.force_login(make_member(project).user)
    page = client.post("/p/own/work/next/", follow=True)
    text, address = page.content.decode(), page.request["PATH_INFO"]
    for part in ("Says &lt;b&gt;why&lt;/b&gt;", 'id="field-rubric-0"', 'value="rows:rubric:up-1"', 'value="tone"'):
        assert part in text
    rows = {"q-rubric.criterion": ["Says why", "Guesses"], "q-rubric.points": ["5", ""], "q-rubric.tags": ["tone", ""]}
    saved = client.post(f"{address}save/", hidden(text) | rows | {"action": "rows:rubric:up-2"})
    assert (saved.status_code, saved["Location"]) == (302, f"{address}#field-rubric")
    text = client.get(address).content.decode()
    assert text.index("Guesses") < text.index("Says why")
    rows = {"q-rubric.criterion": ["Guesses", "Says why"], "q-rubric.points": ["x", "5"], "q-rubric.tags": ["", "tone"]}
    refused = client.post(f"{address}submit/", hidden(text) | rows)
    assert (refused.status_code, "checklist__row--doubt" in refused.content.decode()) == (422, True)
    rows["q-rubric.points"][0] = "−2"
    done = client.post(f"{address}submit/", hidden(refused.content.decode()) | rows)
    assert done.status_code == 302, done.content.decode()[-2000:]
    final = [{"criterion": "Guesses", "points": -2}, {"criterion": "Says why", "points": 5, "tags": ["tone"]}]
    assert Annotation.objects.filter(author__isnull=False).get().draft == {"rubric": final}
    out = tmp_path / "rubrics.jsonl"
    assert command("export_items", "own", "--out", out)[0] == 0
    judged = create_project(slug="judged", kind="form", definition=RUBRIC)
    report = imported(judged, out)
    assert report["kept"] == 1, report["problems"]
    assert Item.objects.get(project=judged).facts == {"prompt": "Why?", "rubric": final}


def test_a_release_of_the_template_is_the_items_of_the_rubric_template(tmp_path: Path) -> None:
    templates = all_templates()
    wanted = create_project(slug="wanted", kind="form", definition=templates["criteria"].definition)
    draft = {"rubric": [{"criterion": "Says why", "points": 5}, {"criterion": "Guesses", "points": -2}]}
    rows = [json.loads(line) | draft for line in templates["criteria"].sample.splitlines()]
    assert imported(wanted, write_rows(tmp_path / "rows.jsonl", rows))["kept"] == 5
    assert "response" not in Item.objects.get(project=wanted, key="c-3").facts
    out = tmp_path / "criteria.jsonl"
    assert command("export_items", "wanted", "--state", "any", "--metadata", "--out", out)[1]["rows"] == 5
    judged = create_project(slug="judged", kind="form", definition=templates["rubric"].definition)
    report = imported(judged, out, "--map", "rubrics=rubric", "--map", "response=metadata.response")
    assert (report["kept"], report["problems"]) == (5, [])
    facts = Item.objects.get(project=judged, key="c-3").facts
    assert facts["response"].startswith("3/7")
    assert facts["rubrics"] == draft["rubric"]
