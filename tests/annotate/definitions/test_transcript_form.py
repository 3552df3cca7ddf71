"""Transcripts on the work page: turns as safe text, folded where they are long, and light with two thousand of them."""

import re
from typing import Any

import pytest
from django.test import Client

from annotate.models import Annotation, Project
from annotate.project.actions import create_project
from tests.support.pages import said
from tests.support.people import make_item, make_member

pytestmark = pytest.mark.django_db

TEXT = """show: [{field: task}, {field: log, as: chat, title: Transcript}]
questions:
  - {name: ok, type: choice, options: [good, bad], on_each: turns, of: log}
  - {name: first, type: step, of: log, none: Nothing wrong}
"""
CALL = {"id": "c1", "function": {"name": "shell", "arguments": '{"command": "ls"}'}}
LOG: list[dict[str, Any]] = [
    {"role": "user", "content": "<img src=x onerror=alert(1)> **List** the files."},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "Error: <b>no</b> such folder"},
    {"role": "a<b", "content": "ends " * 400},
]


def opened(client: Client, log: list[dict[str, Any]]) -> Any:
    project: Project = create_project(slug="own", kind="form", definition=TEXT, reviews=0)
    make_item(project, facts={"task": "List the files.", "log": log})
    client.force_login(make_member(project).user)
    return client.post("/p/own/work/next/", follow=True)


def work_page(client: Client, log: list[dict[str, Any]]) -> str:
    return opened(client, log).content.decode()


def test_turns_are_shown_as_safe_text(client: Client) -> None:
    page = work_page(client, LOG)
    for part in (
        "<strong>List</strong>",
        "&lt;b&gt;no&lt;/b&gt;",
        "<code>shell</code>",
        "{&quot;command&quot;",
        "a&lt;b",
    ):
        assert part in page
    assert "<img src=x" not in page
    assert "<b>no</b>" not in page
    assert page.count("data-stop") == 2
    assert page.count('class="message__error"') == 1


def test_what_a_page_cuts_is_on_a_page_of_its_own_in_pieces_by_role(client: Client) -> None:
    long = {"role": "tool", "content": "<b>word</b> " * 90_000}
    page = work_page(client, [LOG[0], long, {"role": "user", "content": "The end."}])
    address = re.search(r'<a href="(/p/own/items/\d+/transcript/2/)\?turn=2#turn-[0-9a-f]+-1">', page)
    assert address is not None
    first = client.get(address[1]).content.decode()
    assert first.count('<section class="message message--tool"') == 4
    assert "Page 1 of 6" in said(first)
    assert "part 1 of 22" in said(first)
    assert "<b>word" not in first
    assert "The end." not in first
    whole = "".join(client.get(f"{address[1]}?page={page}").content.decode() for page in range(1, 7))
    assert whole.count("&lt;b&gt;word&lt;/b&gt;") == 90_000


def test_the_page_for_the_rest_begins_at_a_turn_and_is_for_who_sees_the_item(client: Client) -> None:
    log = [{"role": role, "content": f"{role} " * 150_000} for role in ("user", "tool", "assistant")]
    answer = opened(client, log)
    (address,) = set(re.findall(r"/p/own/items/\d+/transcript/2/", answer.content.decode()))
    page = said(client.get(f"{address}?turn=3").content.decode())
    assert "3 Assistant part 1 of 30" in page
    assert "Page 4 of 12" in page
    page = said(client.get(f"{address}?role=tool").content.decode())
    assert "Page 1 of 4" in page
    assert client.get(address.replace("/2/", "/1/")).status_code == 404
    other = make_member(Project.objects.get())
    client.force_login(other.user)
    assert client.get(address).status_code == 404


def test_long_turns_are_folded_and_the_search_waits_for_its_script(client: Client) -> None:
    page = work_page(client, LOG)
    assert page.count('<span dir="auto">ends ends') == 1
    assert '<div class="chat__tools" hidden>' in page
    assert "Next tool call or error" in page


def test_a_transcript_of_2000_turns_is_a_page_of_bounded_size(client: Client) -> None:
    page = work_page(client, [{"role": "tool", "content": "many words " * 200}] * 2000)
    assert page.count('class="message message--tool"') == 2000
    assert len(page) < 4_500_000


def test_turns_are_answered_and_handed_in_without_a_script(client: Client) -> None:
    page = opened(client, LOG)
    text = page.content.decode()
    row = re.search(r'id="field-ok-1"[^>]*data-turn="([^"]+)"', text)
    assert row
    assert f'id="{row[1]}"' in text  # the row names a turn that is on the page
    assert f'href="#{row[1]}"' in text
    values = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', text))
    address = page.request["PATH_INFO"]
    refused = client.post(f"{address}submit/", values | {"q-first": "9"})
    assert refused.status_code == 422
    for message in ("1 of 1 turns have no answer", "there is no turn 9; the transcript has 4."):
        assert message in refused.content.decode()
    values = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', refused.content.decode()))
    done = client.post(f"{address}submit/", values | {"q-ok.1": "bad", "q-first": "2"})
    assert done.status_code == 302, done.content.decode()[-2000:]
    assert Annotation.objects.get().draft == {"ok": [{"turn": 1, "value": "bad"}], "first": 1}


def test_the_first_300_turns_are_asked_about_and_the_rest_is_counted(client: Client) -> None:
    page = work_page(client, [{"role": "assistant", "content": "step"}] * 2000)
    assert page.count("data-turn=") == 300
    assert "1700 later turns are not asked about." in page
