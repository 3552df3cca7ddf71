"""The pages from a chat log to an import: rules, what they keep, what is replaced, and what is stored in the end."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from annotate.models import Batch, Item, Project
from annotate.upkeep.reconciliation import reconcile
from tests.support.pages import client_of
from tests.support.people import make_member, make_project

pytestmark = pytest.mark.django_db
LOG = Path(__file__).resolve().parents[4] / "fixtures" / "chat_log_demo.jsonl"


@pytest.fixture
def project() -> Project:
    return make_project(slug="fb")


@pytest.fixture
def lead(project: Project) -> Client:
    return client_of(make_member(project, "lead").user)


def upload(client: Client, content: bytes, scenario: str = "error_correction") -> HttpResponse:
    data = {"scenario": scenario, "file": SimpleUploadedFile("log.jsonl", content)}
    return client.post("/p/fb/collect/", data)


@pytest.fixture
def log(lead: Client) -> str:
    """The address of the uploaded log of the demo, with the days of its talks allowed."""
    address: str = upload(lead, LOG.read_bytes())["Location"]
    lead.post(address, rules(since="2026-08-01"))
    return address


def rules(**changes: str) -> dict[str, str]:
    on = ("answered", "multi_turn", "since", "apology", "tokens", "no_retrieval", "unflagged", "score_below")
    values = {"multi_turn": "2", "since": "91", "tokens": "5000", "score_below": "3"}
    phrases = {"apology-en": "sorry\napologize\napologies\nyou are right\nyou're right\nmy mistake\nI was wrong",
               "apology-zh": "抱歉\n对不起\n不好意思\n感谢指正\n您是对的"}  # fmt: skip
    return {f"{name}-on": "on" for name in on} | values | phrases | changes


def talk(*said: str, **more: Any) -> bytes:
    turns = [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(said)]
    return json.dumps({"messages": turns, "timestamp": "2026-10-01"} | more).encode() + b"\n"


def test_what_each_rule_keeps_stands_before_anything_is_imported(lead: Client, log: str) -> None:
    page = lead.get(log).content.decode()
    assert "What is 15% of 240?" in page
    assert "no conversation in it" in page
    counts = re.findall(r'stat__figure">(\d+)', page)
    assert counts[:3] == ["61", "39", "5"]
    assert not Item.objects.exists()


def test_other_rules_keep_others(lead: Client, log: str) -> None:
    answer = lead.post(log, rules(since="2026-08-01", multi_turn="3"))
    assert answer.status_code == 302
    assert re.findall(r'stat__figure">(\d+)', lead.get(log).content.decode())[1] == "4"  # the scored ones alone


def test_a_phrase_of_ones_own_counts_as_a_whole_word(lead: Client) -> None:
    content = talk("Which?", "This.", "No.", "Pardon, that.") + talk("Which?", "That.", "No.", "Pardonable.")
    address = upload(lead, content)["Location"]
    lead.post(address, rules(since="2026-08-01") | {"apology-en": "pardon", "apology-zh": ""})
    assert re.findall(r'stat__figure">(\d+)', lead.get(address).content.decode())[:2] == ["2", "1"]


@pytest.mark.parametrize(
    "wrong", [{"multi_turn": "many"}, {"since": "yesterday"}, {"apology-en": "", "apology-zh": ""}]
)
def test_a_wrong_value_is_told_beside_its_rule_and_changes_nothing(
    lead: Client, log: str, wrong: dict[str, str]
) -> None:
    before = Batch.objects.get().settings
    answer = lead.post(log, rules() | wrong)
    assert answer.status_code == 422
    assert 'class="errorlist' in answer.content.decode()
    assert Batch.objects.get().settings == before


def test_replacements_are_shown_in_their_words_and_can_be_taken_back(lead: Client, log: str) -> None:
    page = lead.get(f"{log}replaced/").content.decode()
    assert "<del>dana.whitfield@northmail.org</del><ins>[EMAIL_1]</ins>" in page
    places = re.findall(r'name="shown" value="([\d.]+)"', page)
    (phone,) = re.findall(r"7911 204518</del><ins>\[PHONE_1\]</ins>.*?value=\"([\d.]+)\"", page, re.DOTALL)[:1]
    lead.post(f"{log}replace/", {"kinds": ["phone", "secret"], "shown": places, "stays": [phone, "999.9.9"]})
    page = lead.get(f"{log}replaced/").content.decode()
    assert "dana.whitfield" not in page  # e-mail addresses are not replaced any more
    assert "9.9.9" not in page
    assert "<strong>+44 7911 204518</strong>" in page
    assert Batch.objects.get().settings["options"]["stays"] == phone


def test_what_is_confirmed_becomes_items_without_what_was_replaced(lead: Client, log: str) -> None:
    lead.post(log.replace("/collect/", "/import/") + "confirm/")
    reconcile()
    batch = Batch.objects.get()
    assert (batch.state, batch.kept, batch.rejected) == ("done", 39, 5)
    stored = json.dumps(list(Item.objects.values("facts", "title")), ensure_ascii=False)
    assert "dana.whitfield" not in stored
    assert "[EMAIL_1]" in stored
    assert lead.get(log)["Location"] == f"/p/fb/import/{batch.pk}/"
    page = lead.get(f"/p/fb/import/{batch.pk}/").content.decode()
    assert "no conversation in it" in page
    assert 'href="/p/fb/near-duplicates/"' in page
    assert "Error correction: The first question has an answer" in page  # by which rules it was collected


def test_one_that_is_left_as_it_is_stays(lead: Client) -> None:
    address = upload(lead, talk("Call +49 170 1234567.", "To +49 170 1234568?", "No.", "Sorry."))["Location"]
    lead.post(f"{address}replace/", {"kinds": ["phone"], "shown": ["1.0.0"], "stays": ["1.0.0"]})
    lead.post(address, rules(since="2026-08-01"))
    lead.post(address.replace("/collect/", "/import/") + "confirm/")
    reconcile()
    facts = Item.objects.get().facts
    assert facts["user_query"] == "Call +49 170 1234567."
    assert facts["origin_first_response"] == "To [PHONE_2]?"


def test_a_log_of_which_nothing_can_be_read_says_why(lead: Client) -> None:
    page = lead.get(upload(lead, b"PK\x03\x04 not a log")["Location"])
    assert page.status_code == 200
    assert "Unpack it" in page.content.decode() or "reading stopped" in page.content.decode()


def test_the_import_page_of_a_waiting_log_leads_to_its_rules(lead: Client, log: str) -> None:
    assert lead.get(log.replace("/collect/", "/import/"))["Location"] == log


def test_a_kind_that_no_log_makes_items_of_has_no_such_page() -> None:
    project = make_project(slug="pairs", kind_slug="preference")
    lead = client_of(make_member(project, "lead").user)
    assert lead.get("/p/pairs/collect/").status_code == 404
    assert "chat log" not in lead.get("/p/pairs/import/").content.decode()


def test_a_page_of_a_large_log_reads_no_further_than_it_says(lead: Client) -> None:
    address = upload(lead, b"".join(talk(f"Question {n}?", "One.", "No.", "Sorry.") for n in range(2100)))["Location"]
    lead.post(address, rules(since="2026-08-01"))
    page = lead.get(address).content.decode()
    assert re.findall(r'stat__figure">(\d+)', page)[:2] == ["2000", "2000"]
    assert "first 2000 conversations only" in page.replace(",", "")
