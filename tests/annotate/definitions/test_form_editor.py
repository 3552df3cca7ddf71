"""The questions of a project edited by form controls: what buttons do, what stays, where faults stand."""

import json
import re

import pytest
from django.test import Client

from annotate.definitions.actions import write_definition
from annotate.definitions.edited_document import EditedDocument
from annotate.definitions.templates import all_templates
from annotate.errors import Refused
from annotate.kinds.questions import definition as definitions
from annotate.models import Project
from annotate.project.actions import create_project
from lib.texts.yaml_core import read_yaml, write_yaml
from tests.annotate.definitions.test_pages import FACTS, TEXT
from tests.support.definition_editor import Editor
from tests.support.people import make_item

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return create_project(slug="own", kind="form", definition=TEXT, reviews=0)


@pytest.fixture
def editor(client: Client, project: Project) -> Editor:
    return Editor(client, project)


def test_the_page_shows_a_card_for_each_column_and_question(editor: Editor) -> None:
    for place in ("show.0", "show.2", "questions.0", "questions.6"):
        assert f'id="card-{place}"' in editor.page
    assert 'name="card-scale-key"' in editor.page  # the first question is open
    assert "How natural?" in editor.page
    assert "when fluency: at least 2" in editor.page


def test_every_card_is_opened_and_nothing_changes(editor: Editor) -> None:
    document = editor.document
    for part in ("show", "questions"):
        for index in range(len(document[part])):
            editor.do(f"open:{part}.{index}")
            assert editor.document == document, (part, index)
    editor.send(edit_as="text")
    assert editor.filled["text"] == [TEXT]


@pytest.mark.parametrize("name", all_templates())
def test_a_template_survives_the_form_to_the_letter(client: Client, name: str) -> None:
    text = all_templates()[name].definition
    editor = Editor(client, create_project(slug=f"t-{name}", kind="form", definition=text))
    for part in ("show", "questions", "scores"):
        for index in range(len(editor.document.get(part, ()))):
            editor.do(f"open:{part}.{index}")
    assert editor.send(edit_as="text").filled["text"] == [text]
    document = read_yaml(text).value
    assert read_yaml(write_yaml(document)).value == document


def test_cards_are_moved_copied_and_removed(editor: Editor) -> None:
    editor.do("down:questions.0")
    assert editor.names[:2] == ["safe", "fluency"]
    assert re.search(r'id="down-questions\.1"[^>]*autofocus', editor.page)
    assert "“fluency” is not an earlier question" in editor.page
    editor.do("up:questions.1").do("copy:questions.6")
    assert editor.names[-2:] == ["topics", "topics_2"]
    assert editor.document["questions"][-1]["options"] == ["news", "code"]
    editor.do("remove:questions.7").do("remove:questions.3")
    assert editor.names == ["fluency", "safe", "better", "fixed", "price", "topics"]
    assert editor.do("up:questions.0").names[0] == "fluency"


@pytest.mark.parametrize("name", sorted(definitions.QUESTION_TYPES))
def test_a_new_question_of_each_type_has_its_controls(editor: Editor, name: str) -> None:
    editor.do("add:questions", new_type=name)
    question_type = definitions.QUESTION_TYPES[name]
    assert editor.document["questions"][-1]["type"] == name
    for control in question_type.controls:
        assert f"card-{control.name}" in editor.page
    if not question_type.controls:
        assert 'name="card-other_settings"' in editor.page
    if name not in ("step", "turns"):  # they need a column that is shown as chat
        assert "This cannot be saved yet" not in editor.page


def test_controls_change_what_they_are_about_and_nothing_else(editor: Editor) -> None:
    editor.do("open:questions.1")
    editor.send(
        save="1",
        **{
            "card-ask-en": "Is it safe?",
            "card-ask-zh": "安全吗？",
            "card-options-key": ["yes", "no", "cannot tell"],
            "card-options-text-en": ["", "", "I cannot tell"],
            "card-when-key": ["fluency"],
            "card-when-operator": [""],
            "card-when-values": ["4\n5"],
            "card-required": [],
        },
    )
    assert editor.answer.status_code == 302
    before, after = read_yaml(TEXT).value, read_yaml(editor.saved).value
    assert after["questions"][1] == {
        "name": "safe",
        "type": "choice",
        "ask": {"en": "Is it safe?", "zh": "安全吗？"},
        "options": ["yes", "no", {"value": "cannot tell", "text": {"en": "I cannot tell"}}],
        "required": False,
        "when": {"fluency": ["4", "5"]},
    }
    assert [question for question in after["questions"] if question["name"] != "safe"] == [
        question for question in before["questions"] if question["name"] != "safe"
    ]
    assert after["show"] == before["show"]


def test_texts_by_language_keep_each_language(editor: Editor) -> None:
    editor.send(do="1", **{"card-ask-zh": "有多自然？"})
    assert editor.document["questions"][0]["ask"] == {"en": "How natural?", "zh": "有多自然？"}
    both = editor.send(do="1", **{"card-scale-name-all": ["<b>bad</b>", "good"], "card-scale-name-en": ["", "fine"]})
    assert both.answer.status_code == 422
    assert "5: write one text for all languages, or one for each language, not both." in both.page
    assert 'value="fine"' in both.page or ">fine</textarea>" in both.page


def test_texts_get_a_box_for_each_language_when_asked_for(client: Client) -> None:
    text = "show: [{field: a}]\nquestions: [{name: n, type: number, unit: euros}]\n"
    editor = Editor(client, create_project(slug="one", kind="form", definition=text))
    assert 'name="card-unit-en"' not in editor.page
    editor.do("by_language")
    assert 'name="card-unit-en"' in editor.page
    editor.do("1", **{"card-unit-all": "", "card-unit-en": "euros", "card-unit-zh": "欧元"})
    assert editor.document["questions"][0]["unit"] == {"en": "euros", "zh": "欧元"}


def test_rows_are_added_and_removed_by_buttons(editor: Editor) -> None:
    editor.do("open:questions.1")
    editor.send(add_row="card-options")
    assert editor.filled["card-options-key"] == ["yes", "no", ""]
    editor.send(add_row="card-options", **{"card-options-key": ["yes", "no", "unclear"]})
    editor.send(remove_row="card-options:0")
    assert editor.filled["card-options-key"] == ["no", "unclear", ""]
    assert editor.do("close:questions.1").document["questions"][1]["options"] == ["no", "unclear"]


def test_another_type_drops_only_what_nobody_has_written(editor: Editor) -> None:
    editor.do("add:questions", new_type="rating").do("1", **{"card-type": "choice"})
    assert editor.document["questions"][-1]["options"] == ["yes", "no"]
    assert "scale" not in editor.document["questions"][-1]
    editor.do("1", **{"card-options-key": ["a", "b"], "card-type": "number"})
    assert editor.document["questions"][-1]["options"] == ["a", "b"]
    assert "is not known here; remove it, or correct its name." in editor.page
    assert "options: [a, b]" in editor.filled["card-other_settings"][0]
    editor.do("1", **{"card-other_settings": "max: 3"})
    assert editor.document["questions"][-1]["max"] == 3
    assert "This cannot be saved yet" not in editor.page


def test_a_fault_stands_at_its_control_and_nothing_is_saved(editor: Editor) -> None:
    editor.do("open:questions.5")
    editor.send(save="1", **{"card-min": "9", "card-name": "a b"})
    assert editor.answer.status_code == 422
    control = re.search(r'id="id_card-name_control".*?</ul>', editor.page, re.DOTALL)
    assert control
    assert "“a b” is not a name" in control[0]
    assert editor.project.definitions.count() == 1
    editor.do("close:questions.5")
    assert "1 fault" in editor.page


def test_a_card_that_cannot_be_read_stays_open_as_it_was_filled_in(editor: Editor) -> None:
    editor.do("open:questions.1")
    editor.do("open:questions.0", **{"card-options-key": ["yes", "yes"]})
    assert editor.answer.status_code == 422
    assert "“yes” appears twice. Remove one." in editor.page
    assert editor.filled["card-options-key"] == ["yes", "yes"]


def test_comments_are_announced_kept_without_a_change_and_lost_with_one(client: Client) -> None:
    text = "# above\n" + TEXT + "# ours\n"
    editor = Editor(client, create_project(slug="said", kind="form", definition=text))
    assert "The text has a comment, in line 11." in editor.page
    assert editor.send(edit_as="text").filled["text"] == [text]
    editor.send(edit_as="form").do("1", **{"card-help-en": "Read aloud."})
    assert "The text has a comment" in editor.page
    written = editor.send(edit_as="text").filled["text"][0]
    assert written.startswith("# above\nshow:")
    assert "ours" not in written
    assert read_yaml(written).value["questions"][0]["help"] == {"en": "Read aloud."}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("show: [", "This is not YAML"),
        ("show: 3\nquestions: []", "must be lists of entries"),
        ("show: [prompt]\nquestions: []", "must be lists of entries"),
    ],
)
def test_a_text_that_cards_cannot_show_stays_text(client: Client, project: Project, text: str, reason: str) -> None:
    editor = Editor(client, project, "?edit=text")
    editor.send(edit_as="form", text=text)
    assert editor.answer.status_code == 422
    assert reason in editor.page
    assert editor.filled["text"] == [text]
    with pytest.raises(Refused):
        EditedDocument.read(text)


def test_settings_that_no_control_can_show_are_kept_as_yaml(client: Client) -> None:
    text = TEXT.replace("type: number, required: false", 'type: number, min: "0", when: {fluency: 3}')
    editor = Editor(client, create_project(slug="odd", kind="form", definition=text))
    document = editor.document
    document["questions"][5]["when"] = {"fluency": {"least": 2}}
    document["questions"][5]["colour"] = "red"
    editor.do("open:questions.5", document=json.dumps(document))
    box = editor.filled["card-other_settings"][0]
    assert read_yaml(box).value == {"when": {"fluency": {"least": 2}}, "colour": "red"}
    assert editor.do("close:questions.5").document == document


@pytest.mark.parametrize("document", ["", "{}", "[1]", '{"show": [], "questions": [1]}', '{"show": 1e999}'])
def test_a_page_that_sends_no_document_saves_nothing(editor: Editor, document: str) -> None:
    assert editor.send(document=document, save="1").answer.status_code == 422
    assert editor.project.definitions.count() == 1


def test_a_button_answers_htmx_with_the_editor_alone(editor: Editor) -> None:
    values = {**editor.filled, "do": "open:questions.2"}
    answer = editor.client.post("/p/own/questions/", values, headers={"HX-Request": "true"})
    page = answer.content.decode().strip()
    assert page.startswith('<section class="panel" id="editor"')
    assert answer["HX-Trigger-After-Settle"] == "definition-edited"
    rows = editor.client.post(
        "/p/own/questions/", {**editor.filled, "add_row": "card-scale"}, headers={"HX-Request": "true"}
    )
    assert rows.content.decode().strip().startswith('<div class="control" id="id_card-scale_control"')


def test_columns_of_items_are_offered_and_those_not_shown_are_named(client: Client, project: Project) -> None:
    make_item(project, facts=FACTS, metadata={"model_a": "m"})
    editor = Editor(client, project)
    assert re.search(r"Only leads see:\s*<code>model_a</code>", editor.page)
    editor.do("add:show")
    assert editor.document["show"][-1] == {"field": "model_a"}


def test_a_type_without_declared_controls_is_edited_as_yaml(editor: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(definitions.QUESTION_TYPES["number"], "controls", ())
    editor.do("open:questions.5")
    assert editor.filled["card-other_settings"] == [""]
    editor.do("1", **{"card-other_settings": 'min: "3'})
    assert "This is not YAML" in editor.page
    editor.do("1", **{"card-other_settings": 'min: "3"\n'})
    assert editor.document["questions"][5]["min"] == "3"


def test_what_a_version_says_of_the_one_before_is_not_said_again(client: Client) -> None:
    project = create_project(slug="own", kind="form", definition=TEXT)
    renamed = TEXT.replace("name: price", 'name: cost, formerly: price, was: {"1": "2"}')
    write_definition(project, text=renamed, by=None, based_on=1)
    editor = Editor(client, project)
    assert editor.send(edit_as="text").filled["text"] == [renamed]
    editor.send(edit_as="form").do("1", **{"card-help-en": "Read aloud."})
    assert "This cannot be saved yet" not in editor.page
    assert editor.send(save="1").answer.status_code == 302
    assert "formerly" not in editor.saved
    assert "was" not in read_yaml(editor.saved).value["questions"][5]
