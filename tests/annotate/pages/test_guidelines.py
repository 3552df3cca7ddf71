import pytest
from django.test import Client

from annotate.models import Guideline, Item
from annotate.project.actions import write_guideline
from tests.support.guidelines import accepted
from tests.support.reviews import WRITTEN, Case

pytestmark = pytest.mark.django_db
PAGE, EDIT = "/p/fb/guidelines/", "/p/fb/guidelines/edit/"


def second(case: Case, text: str = "Be **very** kind.") -> None:
    write_guideline(case.project, text=text, note="Kinder", by=case.lead, based_on=1)


@pytest.mark.parametrize("role", ["lead", "reviewer", "annotator", "viewer"])
def test_every_member_reads_the_newest_version(client: Client, case: Case, role: str) -> None:
    second(case)
    client.force_login(getattr(case, role))
    text = client.get(PAGE).content.decode()
    assert "Be <strong>very</strong> kind." in text
    assert "Kinder" in text


def test_a_stranger_finds_nothing(client: Client, case: Case) -> None:
    client.force_login(case.stranger)
    assert client.get(PAGE).status_code == 404
    assert client.get(EDIT).status_code == 404


@pytest.mark.parametrize("role", ["reviewer", "annotator", "viewer"])
def test_only_leads_write(client: Client, case: Case, role: str) -> None:
    client.force_login(getattr(case, role))
    assert EDIT not in client.get(PAGE).content.decode()
    assert client.get(EDIT).status_code == 403
    assert client.post(EDIT, {"text": "x", "based_on": 1}).status_code == 403


def test_an_older_version_stays_readable(lead: Client, case: Case) -> None:
    second(case)
    assert "<p>Be kind.</p>" in lead.get(PAGE + "?version=1").content.decode()


def test_two_versions_are_compared_from_old_to_new(lead: Client, case: Case) -> None:
    second(case, "Be very kind.")
    for query in ("?version=2&against=1", "?version=1&against=2"):
        assert "Be <ins>very </ins>kind." in lead.get(PAGE + query).content.decode()


@pytest.mark.parametrize("query", ["version=9", "version=x", "version=1&against=9", "version=" + "9" * 30, "version=²"])
def test_a_version_that_is_not_there_is_not_found(lead: Client, query: str) -> None:
    assert lead.get(f"{PAGE}?{query}").status_code == 404


def test_a_project_without_guidelines_says_so(lead: Client) -> None:
    Guideline.objects.all().delete()
    assert "No guidelines yet" in lead.get(PAGE).content.decode()
    assert lead.post(EDIT, {"text": "First.", "based_on": 0}).status_code == 302
    assert Guideline.objects.get().version == 1


def test_saving_makes_a_version_and_changes_none(lead: Client, case: Case) -> None:
    lead.post(EDIT, {"text": "Be brief.", "note": "shorter", "based_on": 1})
    assert list(Guideline.objects.values_list("text", "author__username")) == [
        ("Be brief.", "lead"),
        ("Be kind.", None),
    ]


@pytest.mark.parametrize("bad", [{"text": ""}, {"based_on": "x"}, {"note": "n" * 201}])
def test_a_bad_form_saves_nothing_and_keeps_the_text(lead: Client, bad: dict[str, str]) -> None:
    answer = lead.post(EDIT, {"text": "Be brief.", "based_on": 1} | bad)
    assert answer.status_code == 422
    assert Guideline.objects.count() == 1
    assert bad.get("text") == "" or "Be brief." in answer.content.decode()


def test_who_was_slower_sees_both_texts(lead: Client, case: Case) -> None:
    second(case, "Theirs.")
    answer = lead.post(EDIT, {"text": "Mine.", "based_on": 1})
    assert answer.status_code == 409
    assert "Mine." in answer.content.decode()
    assert "Theirs." in answer.content.decode()


def test_the_preview_saves_nothing(lead: Client) -> None:
    answer = lead.post(EDIT, {"text": "*so*", "based_on": 1, "preview": "1"})
    text = answer.content.decode()
    assert "<em>so</em>" in text
    assert "*so*" in text
    assert Guideline.objects.count() == 1


def test_the_preview_stands_alone_for_htmx(lead: Client) -> None:
    answer = lead.post(EDIT, {"text": "*so*", "preview": "1"}, headers={"HX-Request": "true"})
    assert answer.content.decode().strip().startswith('<section class="panel" id="preview"')
    assert b"<em>so</em>" in answer.content


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", '<a hx-get="/x">a</a>', "[x](javascript:alert(1))"])
def test_nothing_in_guidelines_runs(lead: Client, case: Case, text: str) -> None:
    second(case, text)
    body = lead.get(PAGE).content.decode().split('id="main"')[1]
    assert "<script>" not in body
    assert '<a hx-get="/x"' not in body
    assert 'href="javascript' not in body


def test_braces_are_shown_as_badges(lead: Client, case: Case) -> None:
    second(case, "# Feedback {fields: feedback; groups: Coding}\nBe brief.")
    body = lead.get(PAGE).content.decode().split('id="main"')[1]
    assert "{fields" not in body
    assert "<h3>Feedback</h3>" in body
    assert '<span class="origin origin--group">Coding</span>' in body


def test_a_name_that_is_unknown_is_refused_with_its_line_and_the_text_is_kept(lead: Client) -> None:
    answer = lead.post(EDIT, {"text": "So.\n\n# Mine {fields: fedback}", "based_on": 1})
    text = answer.content.decode()
    assert answer.status_code == 422
    assert "Line 3: there is no field “fedback”. Known: feedback." in text
    assert "# Mine {fields: fedback}" in text
    assert Guideline.objects.count() == 1


def test_the_preview_says_what_would_be_refused(lead: Client) -> None:
    answer = lead.post(EDIT, {"text": "# Mine {groups: Codign}", "preview": "1"}, headers={"HX-Request": "true"})
    assert "Line 1: there is no group “Codign”. Known: Coding." in answer.content.decode()


def test_an_example_stands_beside_its_section(lead: Client, case: Case) -> None:
    accepted(case, "k")
    second(case, "# Weights {example: k}\nAs here.")
    text = lead.get(PAGE).content.decode()
    assert "kilogram of feathers" in text
    assert "a kilogram is a kilogram" in text


def test_nothing_in_an_example_runs(lead: Client, case: Case) -> None:
    accepted(case, "k", draft={**WRITTEN, "feedback": '<script>alert(1)</script> <b hx-get="/x">b</b>'})
    second(case, "# Weights {example: k}\nAs here.")
    body = lead.get(PAGE).content.decode().split('id="main"')[1]
    assert "<script>" not in body
    assert '<b hx-get="/x"' not in body


def test_the_work_page_shows_the_sections_about_its_item_first(client: Client, case: Case) -> None:
    second(case, "# All\nSo.\n# Riddles {groups: Reasoning}\nWhy.\n# Code {groups: Coding}\nLine.")
    Item.objects.filter(pk=case.item().pk).update(group="Coding")
    client.force_login(case.annotator)
    page = client.post("/p/fb/work/next/", follow=True).content.decode()
    order = [page.index(f"<h3>{title}</h3>") for title in ("Code", "All", "Riddles")]
    assert order == sorted(order)
    assert page.index("1 section that doesn't apply here") < page.index("<h3>Riddles</h3>")


def test_many_versions_have_pages(lead: Client, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotate.guidelines.pages.VERSIONS", 2)
    second(case)
    write_guideline(case.project, text="Be kindest.", note="Kindest", by=case.lead, based_on=2)
    first, rest = lead.get(PAGE).content.decode(), lead.get(PAGE + "?page=2").content.decode()
    assert [f"against={n}" in first for n in (2, 1)] == [True, False]
    assert "against=1" in rest
    assert "Be kindest." in rest, "the newest version stays on screen"
    assert "page=1" in lead.get(PAGE + "?version=1&against=3&page=2").content.decode()
