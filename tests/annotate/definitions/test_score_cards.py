"""Scores, the unit and questions about turns edited by form controls."""

import html
import json
import re

import pytest
from django.test import Client

from annotate.project.actions import create_project
from lib.texts.yaml_core import read_yaml
from tests.support.definition_editor import Editor

pytestmark = pytest.mark.django_db

SCORED = """show: [{field: target}, {field: log, as: chat}]
questions:
  - name: errors
    type: spans
    on: [target]
    labels: {Accuracy: [Wrong], Style: []}
    attributes: {severity: [Minor, Major]}
scores:
  mqm: {sum: errors, rules: [{label: Style, points: 0.1}, {points: 1}], lower_is_better: true}
"""


@pytest.fixture
def scored(client: Client) -> Editor:
    return Editor(client, create_project(slug="scored", kind="form", definition=SCORED))


def test_a_score_is_a_card_and_its_rules_are_rows_in_order(scored: Editor) -> None:
    scored.do("open:scores.0")
    assert scored.filled["card-rules-key"] == ["Style", ""]
    assert scored.filled["card-rules-points"] == ["0.1", "1"]
    for label in ("Accuracy", "Accuracy/Wrong"):
        assert f'<option value="{label}">' in scored.page
    scored.send(add_row="card-rules")
    rows = {"card-rules-key": ["Style", "", ""], "card-rules-is-severity": ["", "", "Major"]}
    scored.send(raise_row="card-rules:2", **rows, **{"card-rules-points": ["0.1", "1", "5"]})
    assert re.search(r'value="card-rules:1"[^>]*autofocus', scored.page)
    scored.do("1", **{"card-name": "cost", "card-lower_is_better": []})
    assert scored.document["scores"] == {
        "cost": {
            "sum": "errors",
            "rules": [{"label": "Style", "points": 0.1}, {"severity": "Major", "points": 5}, {"points": 1}],
        }
    }
    assert scored.send(save="1").answer.status_code == 302


def test_scores_are_added_copied_moved_and_removed(scored: Editor) -> None:
    scored.do("add:scores")
    assert scored.document["scores"]["score"] == {"sum": "errors", "rules": [{"points": 1}]}
    scored.do("copy:scores.0").do("up:scores.1")
    assert list(scored.document["scores"]) == ["mqm_2", "mqm", "score"]
    scored.do("remove:scores.0").do("remove:scores.0").do("remove:scores.0")
    assert "scores" not in scored.document
    scored.do("remove:questions.0")
    assert "Add a score" not in scored.page


def test_a_fault_of_a_score_stands_at_its_setting_with_its_row(scored: Editor) -> None:
    scored.do("open:scores.0")
    scored.do("1", **{"card-rules-key": ["", "Nowhere"], "card-rules-points": ["1", "2"]})
    rules = re.search(r'id="id_card-rules_control".*?</ul>', scored.page, re.DOTALL)
    assert rules
    assert "row 2: “Nowhere” is not a label of “errors”" in html.unescape(rules[0])
    assert "row 2: comes after a rule that fits every span" in html.unescape(scored.page)
    for points, message in (("", "row 2: give points."), ("many", "row 2: “many” is not a number.")):
        scored.do("1", **{"card-rules-points": ["1", points]})
        assert scored.answer.status_code == 422
        assert message in scored.page


@pytest.mark.parametrize("name", ["", "score"])
def test_two_scores_cannot_have_one_name(scored: Editor, name: str) -> None:
    scored.do("add:scores").do("open:scores.0").do("1", **{"card-name": name})
    assert "give the score a name that no other one has." in scored.page
    assert list(scored.document["scores"]) == ["mqm", "score"]


def test_the_column_of_items_that_belong_together_is_chosen(scored: Editor) -> None:
    scored.do("1", **{"whole-unit": "doc"})
    assert scored.document["unit"] == "doc"
    scored.do("1", **{"whole-unit": "x" * 300})
    control = re.search(r'id="id_whole-unit_control".*?</ul>', scored.page, re.DOTALL)
    assert control
    assert "at most 200 characters" in control[0]
    assert "unit" not in scored.do("1", **{"whole-unit": ""}).document


def test_settings_of_the_whole_that_no_control_can_show_are_kept_as_yaml(scored: Editor) -> None:
    odd = {**scored.document, "scores": [1], "colour": "red"}
    scored.do("1", document=json.dumps(odd), **{"whole-other_settings": "{scores: [1], colour: red}"})
    assert read_yaml(scored.filled["whole-other_settings"][0]).value == {"scores": [1], "colour": "red"}
    assert "is not known here; remove it, or correct its name." in scored.page
    assert scored.document == odd
    assert scored.do("1", **{"whole-other_settings": "a: [1"}).answer.status_code == 422
    assert set(scored.do("1", **{"whole-other_settings": ""}).document) == {"show", "questions"}


def test_a_choice_is_asked_about_each_turn_and_about_the_whole_again(scored: Editor) -> None:
    scored.do("add:questions", new_type="choice")
    assert 'name="card-of"' not in scored.page
    scored.do("1", **{"card-on_each": "turns"})
    assert scored.document["questions"][1]["of"] == "log"
    scored.do("1", **{"card-roles": "assistant\ntool"})
    assert "This cannot be saved yet" not in scored.page
    assert scored.document["questions"][1]["roles"] == ["assistant", "tool"]
    scored.do("1", **{"card-on_each": ""})
    assert scored.document["questions"][1] == {"name": "choice", "type": "choice", "options": ["yes", "no"]}


def test_a_question_about_a_turn_begins_with_the_transcript(scored: Editor) -> None:
    scored.do("add:questions", new_type="step")
    assert scored.document["questions"][1]["of"] == "log"
    assert "This cannot be saved yet" not in scored.page
