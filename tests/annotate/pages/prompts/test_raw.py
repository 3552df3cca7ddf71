from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from annotate.engine import prompts
from annotate.engine.prompts import Key
from annotate.models import PromptVersion
from lib.texts.raw_messages import RawMessages, read
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db
KEY = Key("single", "explained", "en")
LIST = "/p/fb/prompts/"
PAGE = f"{LIST}{KEY}/"
RAW, EDIT = f"{PAGE}raw/", f"{PAGE}edit/"
GIVEN = {
    "system": "You are a judge.",
    "user": "{{ question }}\r\n\r\n{{ answer }}",
    "assistant": "Rating: [[",
    "reader": "mt-bench",
    "pattern": "",
    "note": "as trained",
}
MESSAGES = RawMessages("mt-bench", "{{ question }}\n\n{{ answer }}", "You are a judge.", "Rating: [[")


def text(answer: HttpResponse) -> str:
    return answer.content.decode()


def post(lead: Client, **more: Any) -> HttpResponse:
    return lead.post(RAW, GIVEN | {"based_on": 0} | more)


def write(case: Case, raw: RawMessages = MESSAGES) -> PromptVersion:
    newest = prompts.newest_number(case.project, KEY)
    return prompts.write(case.project, KEY, text=raw.text(), note="", by=case.lead, based_on=newest)


@pytest.mark.parametrize("role", ["reviewer", "annotator", "viewer"])
def test_only_leads_see_and_write(client: Client, case: Case, role: str) -> None:
    client.force_login(getattr(case, role))
    assert client.get(RAW).status_code == client.post(RAW, GIVEN | {"based_on": 0}).status_code == 403
    assert not PromptVersion.objects.filter(project=case.project).exists()


def test_a_stranger_finds_nothing(client: Client, case: Case) -> None:
    client.force_login(case.stranger)
    assert client.get(RAW).status_code == 404


@pytest.mark.parametrize(
    "which", ["checklist.verdicts.en", "feedback.checklist.en", "single.none.en", "pairwise.rules.fr"]
)
def test_steps_that_take_none_have_no_such_page(lead: Client, which: str) -> None:
    assert lead.get(f"{LIST}{which}/raw/").status_code == 404


def test_the_page_says_which_protection_is_given_up(lead: Client) -> None:
    shown = text(lead.get(RAW))
    assert 'id="not-fenced"' in shown
    assert "no fence around the texts" in shown
    assert "marked “not fenced”" in shown
    assert "{{ question }}\n\n{{ answer }}</textarea>" in shown
    assert 'value="regex"' in shown
    assert 'value="pandalm"' not in shown  # reads no scores


def test_saving_makes_a_version_that_is_used(lead: Client, case: Case) -> None:
    assert post(lead)["Location"] == PAGE
    made = PromptVersion.objects.get(project=case.project)
    assert read(made.text) == MESSAGES
    assert (made.note, made.author, made.adopted) == ("as trained", case.lead, True)
    for page in (LIST, PAGE):
        assert "not fenced" in text(lead.get(page))
    assert f'href="{RAW}"' in text(lead.get(PAGE))


def test_the_editor_begins_with_what_is_in_use_or_another_one(lead: Client, case: Case) -> None:
    write(case)
    write(case, RawMessages("auto-j", "{{ conversation }} {{ answer }} !"))
    assert "{{ conversation }} {{ answer }} !" in text(lead.get(RAW))
    assert "You are a judge." in text(lead.get(f"{RAW}?from=1"))
    assert "You are a judge." not in text(lead.get(EDIT))  # the fenced editor begins with what is shipped


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"user": "{{ nothing }}"}, "no slot “nothing”"),
        ({"user": ""}, "This field is required"),
        ({"reader": "regex", "pattern": "Grade: ("}, "an error at character"),
        ({"reader": "regex"}, "Enter a regular expression"),
        ({"reader": "mt-bench", "pattern": "(.)"}, "Only the reader “regex” uses a pattern"),
        ({"reader": "pandalm"}, "Select a valid choice"),
        ({"system": "a\n=== user ===\nb"}, "No line may look like"),
    ],
)
def test_what_is_wrong_stands_at_the_form_and_nothing_is_kept(
    lead: Client, case: Case, more: dict[str, str], told: str
) -> None:
    answer = post(lead, **more)
    assert answer.status_code == 422
    assert told in text(answer)
    assert not PromptVersion.objects.filter(project=case.project).exists()


def test_checking_shows_what_changes_and_keeps_nothing(lead: Client, case: Case) -> None:
    write(case)
    shown = text(post(lead, check="1", user="{{ question }} {{ answer }} and more", based_on=1))
    assert "All slots are present." in shown
    assert "and more" in shown
    assert PromptVersion.objects.filter(project=case.project).count() == 1


def test_trying_keeps_a_version_that_is_not_in_use(lead: Client, case: Case) -> None:
    assert "/try/?version=1" in post(lead, **{"try": "1"})["Location"]
    assert not PromptVersion.objects.get(project=case.project).adopted


def test_a_lost_race_shows_both_texts(lead: Client, case: Case) -> None:
    write(case)
    answer = post(lead, user="{{ question }} {{ answer }} mine")
    assert answer.status_code == 409
    assert "mine" in text(answer)


def test_versions_are_compared_and_restored_like_others(lead: Client, case: Case) -> None:
    write(case)
    write(case, RawMessages("auto-j", MESSAGES.user, MESSAGES.system, MESSAGES.assistant))
    shown = text(lead.get(f"{PAGE}?version=2&against=1"))
    assert "<del>" in shown
    assert "auto" in shown
    lead.post(f"{PAGE}shipped/")
    assert "not fenced" not in text(lead.get(LIST))


def test_the_other_editor_takes_no_raw_messages(lead: Client, case: Case) -> None:
    answer = lead.post(EDIT, {"text": MESSAGES.text(), "note": "", "based_on": 0})
    assert answer.status_code == 422
    assert "their own page" in text(answer)
    assert not PromptVersion.objects.filter(project=case.project).exists()
