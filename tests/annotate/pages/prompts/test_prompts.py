from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from annotate.engine import prompts
from annotate.engine.prompts import Key
from annotate.models import PromptVersion
from tests.support.prompts import TEXTS, PromptFolder, prompt_folder
from tests.support.reviews import Case

__all__ = ["prompt_folder"]

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("prompt_folder")]
LIST = "/p/fb/prompts/"
PAGE = LIST + "feedback.checklist.en/"
EDIT, TRY, ADOPT, SHIPPED = (f"{PAGE}{what}/" for what in ("edit", "try", "adopt", "shipped"))
NEW = "In short: {{ user_query }} A checklist."


def text(answer: HttpResponse) -> str:
    return answer.content.decode()


def write(case: Case, wording: str = NEW, *, based_on: int = 0, **more: Any) -> PromptVersion:
    key = Key("feedback", "checklist", "en")
    return prompts.write(case.project, key, text=wording, note="", by=case.lead, based_on=based_on, **more)


def post(lead: Client, wording: str = NEW, **more: Any) -> HttpResponse:
    return lead.post(EDIT, {"text": wording, "note": "", "based_on": 0} | more)


# --- who --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("role", ["reviewer", "annotator", "viewer"])
def test_only_leads_see_and_write(client: Client, case: Case, role: str) -> None:
    client.force_login(getattr(case, role))
    for path in (LIST, PAGE, EDIT, TRY):
        assert client.get(path).status_code == 403
    for path in (EDIT, TRY, ADOPT, SHIPPED):
        assert client.post(path).status_code == 403
    assert not PromptVersion.objects.exists()


def test_a_stranger_finds_nothing(client: Client, case: Case) -> None:
    client.force_login(case.stranger)
    assert {client.get(path).status_code for path in (LIST, PAGE, EDIT, TRY)} == {404}


@pytest.mark.parametrize(
    "which",
    [
        "feedback.nothing.en",
        "feedback.checklist.fr",
        "feedback.reference.zh",
        "other.checklist.en",
        "checklist",
        "..",
        "0",
    ],
)
def test_what_nobody_ships_is_not_found(lead: Client, which: str) -> None:
    for path in (f"{LIST}{which}/edit/", f"{LIST}{which}/try/"):
        assert lead.get(path).status_code == 404


@pytest.mark.parametrize("query", ["version=9", "version=s9", "version=x", "against=7", "version=s1&against=%00"])
def test_a_version_that_is_not_there_is_not_found(lead: Client, query: str) -> None:
    assert lead.get(f"{PAGE}?{query}").status_code == 404


# --- reading ----------------------------------------------------------------------------------------------------------
def test_the_list_says_which_wording_is_in_use(lead: Client, case: Case) -> None:
    write(case)
    shown = text(lead.get(LIST))
    assert "custom version" in shown
    assert f'href="{PAGE}">Version 1' in shown
    assert f'href="{LIST}feedback.checklist.zh/">Shipped, version 1' in shown
    assert "English is used" in shown
    assert PAGE.removesuffix("feedback.checklist.en/") in text(lead.get("/p/fb/settings/"))


def test_the_list_asks_as_often_for_many_versions(lead: Client, case: Case, django_assert_num_queries: Any) -> None:
    for number in range(5):
        write(case, f"{NEW} {number}", based_on=number)
    with django_assert_num_queries(5):
        lead.get(LIST)


def test_a_wording_is_shown_as_it_is_with_its_slots_told_apart(lead: Client, case: Case) -> None:
    write(case, "<b>**Read**</b> {{ user_query }}")
    assert '&lt;b&gt;**Read**&lt;/b&gt; <mark class="slot">{{ user_query }}</mark></div>' in text(lead.get(PAGE))


def test_any_two_versions_are_compared(lead: Client, case: Case) -> None:
    write(case, "Question: {{ user_query }}\n\nWrite a short checklist.")
    write(case, "Question: {{ user_query }}\n\nWrite a long checklist.", based_on=1)
    assert "Write a <ins>short </ins>checklist." in text(lead.get(f"{PAGE}?version=1&against=s1"))
    assert "Write a <del>short</del><ins>long</ins> checklist." in text(lead.get(f"{PAGE}?version=2&against=1"))
    assert "word for word" in text(lead.get(f"{PAGE}?version=2&against=2"))


def test_texts_that_have_nothing_in_common_stand_side_by_side(lead: Client, case: Case) -> None:
    write(case, "{{ user_query }} " + " ".join(f"entirely{n}" for n in range(40)))
    assert "The texts differ too much to mark changes" in text(lead.get(f"{PAGE}?version=1&against=s1"))


# --- writing ----------------------------------------------------------------------------------------------------------
def test_the_editor_begins_with_what_is_in_use_or_another_one(lead: Client, case: Case) -> None:
    write(case)
    assert NEW in text(lead.get(EDIT))
    assert "Write a checklist." in text(lead.get(f"{EDIT}?from=s1"))
    assert '<mark class="slot">{{ user_query }}</mark>' in text(lead.get(EDIT))


def test_saving_makes_a_version_that_is_used(lead: Client, case: Case) -> None:
    answer = post(lead, note="shorter")
    assert answer["Location"] == PAGE
    made = PromptVersion.objects.get(project=case.project)
    assert (made.text, made.note, made.author, made.number, made.adopted) == (NEW, "shorter", case.lead, 1, True)


@pytest.mark.parametrize(
    ("wording", "said"),
    [
        (NEW + " {{ answer }}", "There is no slot “answer”"),
        ("", "This field is required"),
        (TEXTS["checklist.en"], "identical to the version in use"),
    ],
)
def test_what_cannot_be_saved_stays_in_the_editor(lead: Client, case: Case, wording: str, said: str) -> None:
    answer = post(lead, wording)
    assert answer.status_code == 422
    assert said in text(answer)
    assert wording in text(answer)
    assert not PromptVersion.objects.filter(project=case.project).exists()


def test_whoever_is_later_sees_both_texts(lead: Client, case: Case) -> None:
    write(case, NEW + " Theirs.")
    answer = post(lead, NEW + " Mine.")
    assert answer.status_code == 409
    assert "Theirs." in text(answer)
    assert "Mine." in text(answer)
    assert PromptVersion.objects.filter(project=case.project).count() == 1


def test_checking_saves_nothing_and_keeps_the_text(lead: Client, case: Case) -> None:
    answer = post(lead, "Question: {{ user_query }}\n\nWrite a good checklist.", check="1")
    assert answer.status_code == 200
    assert "All slots are present." in text(answer)
    assert "<ins>good </ins>" in text(answer)
    assert "Write a good checklist.</textarea>" in text(answer)
    assert not PromptVersion.objects.exists()


def test_checking_names_each_problem_with_its_slots(lead: Client) -> None:
    shown = text(lead.post(EDIT, {"text": "{{ x }}", "based_on": 0, "check": "1"}, headers={"HX-Request": "true"}))
    assert shown.strip().startswith('<section class="panel" id="checked"')
    assert "no slot “x”" in shown
    assert "All slots are present." not in shown


def test_checking_and_saving_warn_of_a_slot_that_is_left_out(lead: Client, case: Case) -> None:
    warning = "user_query }} is missing: the model will not see its text."
    shown = text(lead.post(EDIT, {"text": "No slot.", "based_on": 0, "check": "1"}, headers={"HX-Request": "true"}))
    assert warning in shown
    assert "All slots are present." not in shown
    assert not PromptVersion.objects.exists()
    assert post(lead, "No slot.")["Location"] == PAGE
    assert warning in text(lead.get(PAGE))


def test_the_rule_of_the_system_is_edited_and_restored_like_any_prompt(lead: Client, case: Case) -> None:
    page = PAGE.replace("feedback.checklist.en", "system.rule.en")
    assert "Texts inside prompts" in text(lead.get(page.replace("system.rule.en/", "")))
    assert "Test on five items" not in text(lead.get(page))
    answer = lead.post(f"{page}edit/", {"text": "Be kind.", "based_on": 0, "note": "kinder"})
    assert answer["Location"] == page
    assert "marked as not fenced" in text(lead.get(page))
    assert PromptVersion.objects.get(project=case.project).author == case.lead
    lead.post(f"{page}shipped/")
    assert "marked as not fenced" not in text(lead.get(page))
    assert "marked as not fenced" in text(lead.get(f"{page}?version=1"))


def test_returning_to_shipped_keeps_the_history(lead: Client, case: Case) -> None:
    write(case)
    assert "Restore shipped version" in text(lead.get(PAGE))
    shown = text(lead.post(SHIPPED, follow=True))
    assert "Version 2 is the same as the shipped prompt" in shown
    assert "Restore shipped version" not in shown
    assert list(case.project.prompts.values_list("number", flat=True)) == [2, 1]
    assert "identical to the version in use" in text(lead.post(SHIPPED, follow=True))


def test_a_new_shipped_wording_is_seen_before_a_run_needs_it(lead: Client, prompt_folder: PromptFolder) -> None:
    prompts.publish("feedback")
    prompt_folder.write("checklist.en", "Anew: {{ user_query }}")
    assert "Shipped, version 2" in text(lead.get(PAGE))


# --- trying -----------------------------------------------------------------------------------------------------------
def test_what_is_kept_for_a_try_is_not_used(lead: Client, case: Case) -> None:
    answer = post(lead, **{"try": "1"})
    assert answer["Location"] == f"{TRY}?version=1"
    assert not PromptVersion.objects.get(project=case.project).adopted
    assert "Test only" in text(lead.get(f"{PAGE}?version=1"))


def test_a_tried_version_is_adopted(lead: Client, case: Case) -> None:
    write(case, adopted=False)
    lead.post(ADOPT, {"version": "1"})
    assert PromptVersion.objects.get(project=case.project).adopted


@pytest.mark.parametrize("version", ["", "9", "s1", "x"])
def test_what_is_no_version_of_ones_own_is_not_adopted(lead: Client, version: str) -> None:
    assert "There is no such version" in text(lead.post(ADOPT, {"version": version}, follow=True))


def test_a_newer_version_in_use_is_not_displaced(lead: Client, case: Case) -> None:
    write(case, adopted=False)
    write(case, NEW + " Newer.", based_on=1)
    assert "A newer version is in use" in text(lead.post(ADOPT, {"version": "1"}, follow=True))
    assert not PromptVersion.objects.get(project=case.project, number=1).adopted


def test_without_an_endpoint_the_page_says_whom_to_ask(lead: Client) -> None:
    assert "Ask an administrator" in text(lead.get(TRY))
