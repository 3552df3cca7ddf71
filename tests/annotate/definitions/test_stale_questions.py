"""Items that were answered under older questions are reopened as those under older guidelines are."""

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client

from annotate.definitions.actions import write_definition
from annotate.definitions.preview import stale_count
from annotate.guidelines import reopen, sections
from annotate.guidelines.stale import StaleFilters, since, stale
from annotate.items import queue
from annotate.models import Event, Item, Project, Reopening
from annotate.project.actions import create_project
from annotate.work import submit
from tests.support.people import make_item, make_member, written

pytestmark = pytest.mark.django_db

FIRST = """show: [{field: prompt}]
questions:
  - {name: safe, type: choice, options: ["yes", "no"]}
  - {name: why, type: text, required: false}
"""
CHANGED = FIRST.replace('"no"]', '"no", unclear]') + "  - {name: fluent, type: choice, options: [a, b]}\n"
LIST = "/p/own/guidelines/stale/?cause=questions"


@pytest.fixture
def project() -> Project:
    project = create_project(slug="own", kind="form", definition=FIRST, reviews=0)
    for key in ("k1", "k2"):
        make_item(project, key=key, facts={"prompt": "Is it?"})
    member = make_member(project)
    for _turn in range(2):
        slot = queue.claim_next(member, "annotate")
        assert slot is not None
        submit.submit(annotation=written(slot, member, {"safe": "yes"}), token=slot.token, by=member.user)
    return project


@pytest.fixture
def lead(project: Project, client: Client) -> Client:
    client.force_login(make_member(project, "lead").user)
    return client


def changed(project: Project, text: str = CHANGED) -> Any:
    newest = project.definitions.count()
    definition = write_definition(project, text=text, by=None, based_on=newest)
    definition.project = project
    return definition


def stale_keys(definition: Any, **filters: Any) -> list[str]:
    return list(stale(since(definition), StaleFilters(**filters)).order_by("key").values_list("key", flat=True))


def test_a_change_of_a_question_makes_items_stale_and_says_which(project: Project) -> None:
    definition = changed(project)
    assert since(definition).sections == ["safe", "fluent"]
    assert [(change.title, change.how) for change in since(definition).why(1, "")] == [
        ("safe", "changed"),
        ("fluent", "added"),
    ]
    assert stale_keys(definition) == ["k1", "k2"]
    assert stale_keys(definition, section="why") == []
    assert stale_keys(definition, section="fluent", q="k2") == ["k2"]


def test_a_new_name_or_a_removed_question_makes_nothing_stale(project: Project) -> None:
    renamed = FIRST.replace("name: safe", "name: harmless, formerly: safe").split("  - {name: why")[0]
    assert stale_keys(changed(project, renamed)) == []
    assert stale_count(project, project.kind) == 0


def test_going_back_makes_nothing_stale(project: Project) -> None:
    changed(project)
    assert stale_keys(changed(project, FIRST)) == []


def test_reopened_items_are_asked_the_new_questions_and_can_be_taken_back(project: Project) -> None:
    lead = make_member(project, "lead").user
    definition = changed(project)
    item = Item.objects.get(key="k1")
    reopening = reopen.begin(cause=definition, by=lead, filters=StaleFilters(), ids=[item.pk], note="Twice.")
    assert (reopening.state, reopening.reopened, reopening.cause) == (Reopening.State.DONE, 1, definition)
    item.refresh_from_db()
    assert item.state == "ready"
    note = Event.objects.filter(item=item, verb="reopened").get().note
    assert note == f"Questions, version 2 (reopening {reopening.pk}): Twice."
    assert stale_keys(definition) == ["k2"]
    reopen.take_back(reopening, by=lead)
    assert stale_keys(definition) == ["k1", "k2"]


def test_the_preview_offers_it_and_the_page_leads_to_it(project: Project, lead: Client) -> None:
    posted = {"text": CHANGED, "based_on": 1, "note": "", "preview": "1"}
    page = lead.post("/p/own/questions/?edit=text", posted).content.decode()
    assert "2 accepted items were answered before these questions." in page
    assert "After saving you can choose which to reopen." in page
    changed(project)
    assert f'href="{LIST}"' in lead.get("/p/own/questions/").content.decode()


def test_the_list_is_confirmed_and_reopened_by_pages(project: Project, lead: Client) -> None:
    changed(project)
    page = lead.get(LIST).content.decode()
    assert "Items made stale by version 2" in page
    assert "2 questions changed since" in page
    assert ">k1</a>" in page
    chosen = {"scope": "all", "filter": "cause=questions&section=safe"}
    confirmation = lead.post("/p/own/guidelines/stale/reopen/", chosen).content.decode()
    assert "Reopen 2 items" in confirmation
    done = lead.post("/p/own/guidelines/stale/reopen/", chosen | {"sure": "1", "version": "2"}, follow=True)
    assert done.status_code == 200
    assert "Reopened for version 2" in done.content.decode()
    assert set(Item.objects.values_list("state", flat=True)) == {"ready"}
    assert "Version 2" in lead.get(LIST).content.decode()


def listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    call_command("stale_items", "own", *arguments, "--json")
    return dict(json.loads(capsys.readouterr().out))


def test_the_command_lists_by_cause_and_says_which(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    changed(project)
    found = listed(capsys)
    assert (found["cause"], found["version"], found["keys"]) == ("questions", 2, ["k1", "k2"])
    lead = make_member(project, "lead").user
    sections.write(project, text="# Rules", note="", by=lead, based_on=0)
    assert (listed(capsys)["cause"], listed(capsys)["items"]) == ("guidelines", 0)
    reopened = listed(capsys, "--cause", "questions", "--key", "k2", "--reopen", "--by", lead.username)
    assert (reopened["cause"], reopened["sections"], reopened["reopened"]) == ("questions", ["safe", "fluent"], 1)
    assert listed(capsys, "--cause", "questions", "--section", "fluent")["keys"] == ["k1"]


def test_a_cause_that_a_project_does_not_have_is_refused(project: Project) -> None:
    with pytest.raises(CommandError, match="own has no guidelines; omit --cause"):
        call_command("stale_items", "own", "--cause", "guidelines")


def test_the_list_leads_from_one_cause_to_the_other(project: Project, lead: Client) -> None:
    assert f'href="{LIST}"' not in lead.get(LIST).content.decode()
    sections.write(project, text="# Rules", note="", by=make_member(project, "lead").user, based_on=0)
    assert f'href="{LIST}" aria-current="true"' in lead.get(LIST).content.decode()


def test_other_kinds_have_no_such_cause(client: Client) -> None:
    fixed = create_project(slug="own", kind="feedback")
    client.force_login(make_member(fixed, "lead").user)
    assert client.get(LIST).status_code == 404


def test_a_reopening_has_one_cause(project: Project) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Reopening.objects.create(project=project)
