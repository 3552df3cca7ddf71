"""The preview beside the editor: which item, how wide, in which language; the address holds it."""

import html
import json
import re
from typing import Any

import pytest
from django.test import Client

from annotate.definitions.actions import write_definition
from annotate.definitions.templates import all_templates
from annotate.models import Project
from annotate.project.actions import create_project
from tests.annotate.definitions.test_pages import FACTS, TEXT
from tests.support.people import make_item, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return create_project(slug="own", kind="form", definition=TEXT, reviews=0)


@pytest.fixture
def lead(project: Project, client: Client) -> Client:
    client.force_login(make_member(project, "lead").user)
    return client


def page_of(client: Client, query: str = "", **posted: Any) -> str:
    address = f"/p/own/questions/{query}"
    return (client.post(address, posted) if posted else client.get(address)).content.decode()


def addresses(page: str) -> set[str]:
    return {address.replace("&amp;", "&") for address in re.findall(r'hx-replace-url="([^"]*)"', page)}


def test_items_are_shown_one_after_another(project: Project, lead: Client) -> None:
    first, second, third = (make_item(project, facts=FACTS | {"prompt": f"Question {n}"}) for n in range(3))
    page = page_of(lead)
    assert "Question 0" in page
    assert f"?item={second.pk}" in addresses(page)
    page = page_of(lead, f"?item={second.pk}")
    assert "Question 1" in page
    assert {f"?item={first.pk}", f"?item={third.pk}"} <= addresses(page)
    assert f"?item={second.pk}&width=390" in addresses(page)


@pytest.mark.parametrize("query", ["?item=0", "?item=x", "?item=" + "9" * 30, "?width=1&language=xx"])
def test_what_cannot_be_read_is_the_default(project: Project, lead: Client, query: str) -> None:
    make_item(project, facts=FACTS)
    page = page_of(lead, query)
    assert "Which?" in page
    assert "previewed--" not in page


def test_items_of_other_projects_are_not_shown(lead: Client) -> None:
    other = create_project(slug="other", kind="form", definition=TEXT)
    item = make_item(other, facts=FACTS | {"prompt": "Not yours"})
    assert "Not yours" not in page_of(lead, f"?item={item.pk}")


def test_without_items_the_rows_of_the_template_are_shown(client: Client) -> None:
    template = all_templates()["rating"]
    create_project(slug="own", kind="form", definition=template.definition)
    client.force_login(make_member(Project.objects.get(), "lead").user)
    assert "row 1 of the example" in page_of(client)
    page = page_of(client, "?item=5")
    assert "row 5 of the example" in page
    assert {"?item=4", "?item=5&width=390"} <= addresses(page)
    assert "?item=6" not in addresses(page)


def test_width_and_language_are_chosen_by_the_address(lead: Client) -> None:
    page = page_of(lead, "?width=390&language=zh")
    assert "previewed--390" in page
    assert "是否自然？" in page
    assert "What people look at" in page  # the rest of the page stays in the reader's language
    assert 'lang="zh"' in page


def test_the_form_holds_what_the_preview_shows(project: Project, lead: Client) -> None:
    make_item(project, facts=FACTS)
    changed = TEXT.replace("How natural?", "How fluent?")
    page = page_of(lead, "?language=zh", text=changed, based_on=1, preview="1", language="en", width="390")
    assert "previewed--390" in page
    assert "是否自然？" in page


TRIED = """show: [{field: prompt}, {field: a}]
questions:
  - {name: fine, type: choice, options: [good, bad]}
  - {name: topics, type: choices, options: [news, code], when: {fine: good}}
  - {name: fixed, type: text, start: a, compare: a}
  - {name: words, type: spans, on: [prompt], labels: [Wrong]}
"""
SPAN = {"field": "prompt", "start": 0, "end": 6, "text": "Which?", "label": "Wrong"}
ANSWERS = {"q-fine": "good", "q-topics": "code", "q-fixed": "One red fish.", "q-words": json.dumps([SPAN])}


def value_of(page: str, name: str) -> list[str]:
    """The values that are chosen in the preview, or what stands in its text box."""
    tags = re.findall(rf'<input type="\w+" name="q-{name}"[^>]*>', page)
    chosen = [re.findall(r'value="([^"]*)"', tag)[0] for tag in tags if " checked" in tag]
    boxes = re.findall(rf'<textarea[^>]*name="q-{name}"[^>]*>\n?([^<]*)</textarea>', page)
    return chosen or [html.unescape(box) for box in boxes]


def test_answers_in_the_preview_outlast_an_edit_as_far_as_they_fit(project: Project, lead: Client) -> None:
    item = make_item(project, facts={"prompt": "Which?", "a": "One fish."})
    page = page_of(lead, text=TRIED, based_on=1, preview="1", item=item.pk, **ANSWERS)
    assert [value_of(page, name) for name in ("fine", "topics", "fixed")] == [["good"], ["code"], ["One red fish."]]
    assert json.loads(value_of(page, "words")[0]) == [SPAN]
    changed = TRIED.replace("[news, code]", "[news, sport]").replace("[Wrong]", "[Missing]")
    page = page_of(lead, text=changed, based_on=1, preview="1", item=item.pk, **ANSWERS)
    assert [value_of(page, name) for name in ("fine", "topics", "fixed")] == [["good"], [], ["One red fish."]]
    assert value_of(page, "words")[0] == ""


def inputs_of(page: str) -> dict[str, str]:
    """The hidden inputs of questions that are not asked, as the next preview posts them."""
    hidden = page[page.index('id="annotation-unasked"') :].partition("</div>")[0]
    return {name: html.unescape(value) for name, value in re.findall(r'name="(q-[^"]*)" value="([^"]*)"', hidden)}


def test_a_renamed_question_keeps_its_answer_in_the_preview(project: Project, lead: Client) -> None:
    write_definition(project, text=TRIED, by=None, based_on=1)
    item = make_item(project, facts={"prompt": "Which?", "a": "One fish."})
    posted = {"based_on": 2, "preview": "1", "item": item.pk}
    renamed = TRIED.replace("name: fine,", "name: nice, formerly: fine,").replace("when: {fine", "when: {nice")
    page = page_of(lead, text=renamed, **posted, **ANSWERS)
    assert [value_of(page, name) for name in ("nice", "topics")] == [["good"], ["code"]]
    # What is typed on the way there may be another name, or no definition at all.
    for unfinished in (TRIED.replace("name: fine,", "name: nic,").replace("when: {fine", "when: {nic"), "show: ["):
        page = page_of(lead, text=unfinished, **posted, **ANSWERS)
        assert inputs_of(page)["q-fine"] == "good"
        shown = {} if unfinished == "show: [" else {"q-topics": "code", "q-nic": ""}
        page = page_of(lead, text=renamed, **posted, **inputs_of(page), **shown)
        assert value_of(page, "nice") == ["good"]
        assert inputs_of(page) == {"q-fine": "good"} | ({"q-nic": ""} if shown else {})
    # An answer under the new name counts more than the old one.
    page = page_of(lead, text=renamed, **posted, **ANSWERS | {"q-nice": "bad"})
    assert value_of(page, "nice") == ["bad"]


def test_the_preview_shows_the_difference_of_a_text_from_its_column(project: Project, lead: Client) -> None:
    item = make_item(project, facts={"prompt": "Which?", "a": "One fish."})
    page = page_of(lead, text=TRIED, based_on=1, preview="1", item=item.pk, **ANSWERS)
    (compared,) = re.findall(
        r'<div class="question__difference" id="compared-fixed".*?</div>\s*</div>', page, re.DOTALL
    )
    assert "<ins>red" in compared
    assert 'hx-select="#compared-fixed"' in compared
    assert "<ins>" not in page_of(lead, text=TRIED, based_on=1, preview="1", item=item.pk)


def test_another_item_begins_with_an_untouched_form(project: Project, lead: Client) -> None:
    first, second = (make_item(project, facts={"prompt": "Which?", "a": f"Fish {n}."}) for n in range(2))
    posted = {"text": TRIED, "based_on": 1, "preview": "1", "item": first.pk, **ANSWERS}
    assert value_of(page_of(lead, f"?item={first.pk}&language=zh", **posted), "fine") == ["good"]
    page = page_of(lead, f"?item={second.pk}", **posted)
    assert (value_of(page, "fine"), value_of(page, "fixed")) == ([], ["Fish 1."])
