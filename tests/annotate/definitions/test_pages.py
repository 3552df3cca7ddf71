"""The page of a project's questions, and the forms that they make on work pages."""

import re
from typing import Any

import pytest
from django.test import Client

from annotate.items import queue
from annotate.models import Annotation, AuditEntry, Item, Project
from annotate.project.actions import create_project
from annotate.work import submit
from tests.support.people import make_item, make_member, written

pytestmark = pytest.mark.django_db

TEXT = """show: [{field: prompt}, {field: a}, {field: b}]
questions:
  - {name: fluency, type: rating, ask: {en: How natural?, zh: 是否自然？}, scale: {"1": "<b>bad</b>", "5": good}}
  - {name: safe, type: choice, options: ["yes", "no"], when: {fluency: at least 2}}
  - {name: better, type: pair, of: [a, b]}
  - {name: order, type: ranking, of: [a, b]}
  - {name: fixed, type: text, start: a, compare: a}
  - {name: price, type: number, required: false}
  - {name: topics, type: choices, options: [news, code], required: false}
"""
FACTS = {"prompt": "Which?", "a": "one fish", "b": "two fish"}
ANSWERS = {"fluency": 4, "safe": "yes", "better": "first", "order": [1, 2], "fixed": "one fish", "topics": ["news"]}


@pytest.fixture
def project() -> Project:
    return create_project(slug="own", kind="form", definition=TEXT, reviews=0)


@pytest.fixture
def lead(project: Project, client: Client) -> Client:
    client.force_login(make_member(project, "lead").user)
    return client


def posted(client: Client, text: str, **more: Any) -> Any:
    return client.post("/p/own/questions/", {"text": text, "based_on": 1, "note": "", **more})


def answered(project: Project, answers: dict[str, Any] | None = None) -> Item:
    make_item(project, facts=FACTS)
    member = make_member(project)
    slot = queue.claim_next(member, "annotate")
    assert slot is not None
    submit.submit(annotation=written(slot, member, answers or ANSWERS), token=slot.token, by=member.user)
    return Item.objects.get(pk=slot.item_id)


def test_the_editor_shows_the_text_and_the_work_page_that_it_makes(lead: Client) -> None:
    page = lead.get("/p/own/questions/").content.decode()
    assert "type: ranking" in page
    for part in ('id="field-fluency"', "(the column prompt)", "How natural?", "A is better", 'name="q-price"'):
        assert part in page
    assert "What saving does" not in page


def test_texts_of_a_definition_are_texts_and_nothing_else(lead: Client) -> None:
    page = lead.get("/p/own/questions/").content.decode()
    assert "<b>bad</b>" not in page
    assert "&lt;b&gt;bad&lt;/b&gt;" in page


def test_the_page_is_in_the_language_of_its_reader(lead: Client) -> None:
    page = lead.get("/p/own/questions/", headers={"accept-language": "zh-hans"}).content.decode()
    assert "是否自然？" in page
    assert "A 更好" in page


def test_a_preview_says_what_becomes_of_answers_before_anything_is_saved(project: Project, lead: Client) -> None:
    answered(project)
    answered(project, ANSWERS | {"fluency": 5, "topics": ["news", "code"]})
    changed = (
        TEXT.replace('"5": good', '"4": good')
        .replace("name: safe", "name: harmless, formerly: safe")
        .replace("  - {name: order, type: ranking, of: [a, b]}\n", "")
        .replace("type: choices, options: [news, code]", "type: choice, options: [news, code]")
        + "  - {name: why, type: text}\n"
    )
    page = posted(lead, changed, preview="1")
    rows = re.findall(r'data-fate="(\w+)">\s*<th[^>]*>([^<]+)</th>\s*<td[^>]*>(\d+)</td>', page.content.decode())
    assert sorted(rows) == sorted(
        [
            ("kept", "fluency", "1"),
            ("invalid", "fluency", "1"),
            ("mapped", "harmless", "2"),
            ("kept", "better", "2"),
            ("kept", "fixed", "2"),
            ("mapped", "topics", "1"),
            ("no_place", "topics", "1"),
            ("new", "why", "2"),
            ("retired", "order", "2"),
        ]
    )
    assert project.definitions.count() == 1


def test_a_preview_counts_suggestions_that_nobody_has_opened(project: Project, lead: Client) -> None:
    make_item(project, facts=FACTS, suggestion={"fluency": 5})  # somebody begins with it
    member = make_member(project)
    slot = queue.claim_next(member, "annotate")
    assert slot is not None
    written(slot, member, {})
    items = [make_item(project, facts=FACTS, suggestion={"fluency": value}) for value in (5, 2, 2)]
    Annotation.objects.create(item=items[1], model="m", draft={"fluency": 5})  # instead of the first one
    page = posted(lead, TEXT.replace('"5": good', '"4": good'), preview="1").content.decode()
    assert "3 suggestions that nobody has opened were looked at." in page
    assert "2 of them have an answer that is no longer allowed" in page
    assert 'id="unopened"' in posted(lead, TEXT + "  - {name: why, type: text}\n", preview="1").content.decode()


def test_columns_that_appear_or_vanish_are_named(project: Project, lead: Client) -> None:
    page = posted(
        lead, TEXT.replace("{field: prompt}", "{field: source, optional: true}"), preview="1"
    ).content.decode()
    assert "Columns that people will see from now on:" in page
    assert re.search(r"only leads will see:\s*<code>prompt</code>", page)


def test_faults_are_listed_with_their_lines_and_the_text_stays(lead: Client) -> None:
    page = posted(lead, TEXT.replace("type: number", "type: film"), preview="1").content.decode()
    assert "Line 8, questions[5]: “film” is not a type of question" in page
    assert "type: film" in page
    refused = posted(lead, "show: 3")
    assert refused.status_code == 422
    assert "show: 3" in refused.content.decode()


def test_saving_makes_a_version_that_everybody_works_on(project: Project, lead: Client) -> None:
    new = TEXT.replace("name: fluency", "name: natural, formerly: fluency").replace("{fluency:", "{natural:")
    assert posted(lead, new.replace("\n", "\r\n"), note="plainer").status_code == 302
    assert Project.objects.get().kind.schema == 2
    saved = project.definitions.first()
    assert saved is not None
    assert (saved.version, saved.note, saved.text) == (2, "plainer", new)
    assert AuditEntry.objects.filter(verb="definition.written").count() == 2
    assert "Open version 1" in lead.get("/p/own/questions/").content.decode()
    assert "name: fluency" in lead.get("/p/own/questions/?version=1").content.decode()


def test_a_version_that_somebody_else_saved_meanwhile_is_not_overwritten(lead: Client) -> None:
    posted(lead, TEXT + "\n")
    late = posted(lead, TEXT + "# mine\n")
    assert late.status_code == 409
    assert "# mine" in late.content.decode()


def test_other_kinds_have_no_such_page(client: Client) -> None:
    project = create_project(slug="fixed", kind="feedback")
    client.force_login(make_member(project, "lead").user)
    assert client.get("/p/fixed/questions/").status_code == 404


@pytest.mark.parametrize("version", ["0", "9", "x", "99999"])
def test_a_version_that_does_not_exist_is_not_found(lead: Client, version: str) -> None:
    assert lead.get(f"/p/own/questions/?version={version}").status_code == 404


def test_metadata_reaches_no_annotator(project: Project, client: Client) -> None:
    make_item(project, facts=FACTS, metadata={"model_a": "secret-model"})
    member = make_member(project)
    client.force_login(member.user)
    page = client.post("/p/own/work/next/", follow=True).content.decode()
    assert "one fish" in page
    assert "secret-model" not in page
    assert "model_a" not in page


def test_a_form_is_saved_and_handed_in_without_a_script(project: Project, client: Client) -> None:
    make_item(project, facts=FACTS)
    member = make_member(project)
    client.force_login(member.user)
    page = client.post("/p/own/work/next/", follow=True)
    values = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page.content.decode()))
    address = page.request["PATH_INFO"]
    form = values | {
        "q-fluency": "1",
        "q-better": "second",
        "q-order-1": "2",
        "q-order-2": "1",
        "q-fixed": "one fish",
        "q-price": "1,5",
    }
    submitted = client.post(f"{address}submit/", form)
    assert submitted.status_code == 302, submitted.content.decode()[-3000:]
    draft = Annotation.objects.get().draft
    assert draft["price"] == 1.5
    assert (draft["fluency"], draft["safe"], draft["order"]) == (1, None, [2, 1])
    assert Item.objects.get().state == "accepted"


def test_only_leads_see_the_metadata_of_an_item(project: Project, lead: Client) -> None:
    item = make_item(project, facts=FACTS, metadata={"model_a": "secret-model"})
    assert "secret-model" in lead.get(f"/p/own/items/{item.pk}/").content.decode()
    for role in ("reviewer", "viewer"):
        lead.force_login(make_member(project, role).user)
        page = lead.get(f"/p/own/items/{item.pk}/")
        assert page.status_code == 200
        assert "secret-model" not in page.content.decode()


def test_a_remembered_question_is_what_its_template_shows(project: Project, client: Client) -> None:
    """For two people, whose sides differ, with and without a suggestion, in both languages, and read only."""
    pages: dict[bool, list[str]] = {True: [], False: []}
    for suggestion in (None, ANSWERS):
        make_item(project, facts=FACTS, suggestion=suggestion)
    for number in range(4):
        member = make_member(project, "annotator" if number else "reviewer")
        slot = queue.claim_next(member, "annotate")
        if slot is None:
            break
        written(slot, member, ANSWERS | {"better": "second", "topics": ["code"]})
        client.force_login(member.user)
        for language in ("en", "zh-hans"):
            for brief in (True, False):
                with pytest.MonkeyPatch.context() as patch:
                    for question in project.kind.questions().values():
                        patch.setattr(type(question), "brief", brief and type(question).brief)
                    page = client.get(f"/p/own/work/{slot.pk}/", headers={"accept-language": language})
                form = page.content.decode().partition('id="fields"')[2].partition("</form>")[0]
                pages[brief].append(re.sub(r"\s+", " ", form).replace("> <", "><"))
    assert len(pages[True]) == 4
    assert pages[True] == pages[False]
    assert len(set(pages[True])) > 2
