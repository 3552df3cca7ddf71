import csv
import io
import json

import pytest
from django.test import Client

from annotate.audit.trail import record
from annotate.models import AuditEntry, AuditHead, User
from tests.support.pages import text_of
from tests.support.people import make_project
from tests.support.programs_with_tokens import program
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db
TRAIL, ALL = "/p/fb/audit/", "/audit/"


@pytest.fixture
def administrator(client: Client) -> Client:
    client.force_login(User.objects.create_user("root", is_staff=True))
    return client


def changed(case: Case, name: str, verb: str = "project.changed") -> None:
    record(verb, case.project, before={"name": "old"}, after={"name": name})


def test_a_lead_sees_what_changed_in_the_project_and_nothing_of_others(lead: Client, case: Case) -> None:
    changed(case, "new name")
    record("project.changed", make_project(), after={"name": "of another project"})
    text = text_of(lead.get(TRAIL))
    assert "settings changed" in text
    assert text.count("name: old → new name") == text.count("name: old") == 1
    assert "of another project" not in text


def test_an_administrator_sees_all_projects(administrator: Client, case: Case) -> None:
    changed(case, "new name")
    record("project.changed", make_project(), after={"name": "of another project"})
    text = administrator.get(ALL).content.decode()
    assert "new name" in text
    assert "of another project" in text


def test_filters_choose_action_account_and_day(lead: Client, case: Case) -> None:
    changed(case, "first")
    changed(case, "second", verb="project.paused")
    assert "first" not in lead.get(TRAIL, {"verb": "project.paused"}).content.decode()
    assert "No entries match" in lead.get(TRAIL, {"account": "nobody"}).content.decode()
    assert "No entries match" in lead.get(TRAIL, {"day": "2001-01-01"}).content.decode()
    day = AuditEntry.objects.earliest("number").at.date().isoformat()
    assert "second" in lead.get(TRAIL, {"day": day}).content.decode()


def test_a_filter_that_cannot_be_read_lists_nothing(lead: Client, case: Case) -> None:
    changed(case, "first")
    answer = lead.get(TRAIL, {"day": "tomorrow"})
    assert answer.status_code == 422
    assert "name: first" not in answer.content.decode()


def test_the_page_verifies_the_chain_on_request(lead: Client, case: Case) -> None:
    changed(case, "first")
    changed(case, "second")
    assert AuditHead.objects.get().hash in lead.get(TRAIL, {"verify": "1"}).content.decode()
    AuditEntry.objects.filter(number=2).update(account="forged")
    assert "The chain is broken after entry 1" in lead.get(TRAIL, {"verify": "1"}).content.decode()


def test_the_list_is_paged_in_few_queries(lead: Client, case: Case, django_assert_max_num_queries: object) -> None:
    for number in range(60):
        changed(case, f"name {number}")
    with django_assert_max_num_queries(10):  # type: ignore[operator]
        text = text_of(lead.get(TRAIL))
    assert "name 59" in text
    assert "old → name 9 " not in text
    assert "old → name 9 " in text_of(lead.get(TRAIL, {"page": "2"}))


def test_the_export_has_every_column_and_leaves_an_entry(lead: Client, case: Case) -> None:
    changed(case, "=cmd|' /C calc'!A0")
    answer = lead.get(f"{TRAIL}export/")
    row, *_own_entry = [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]
    assert (row["number"], row["before"], row["project"]) == (1, {"name": "old"}, "fb")
    text = b"".join(lead.get(f"{TRAIL}export/", {"as": "csv"}).streaming_content).decode()
    assert next(iter(csv.DictReader(io.StringIO(text))))["hash"] == row["hash"]
    reading = AuditEntry.objects.get(number=2)
    assert (reading.verb, reading.values_after["file"]) == ("read.file", "fb-audit.jsonl")


def test_a_program_of_a_lead_reads_the_trail(case: Case) -> None:
    client = program(case.member(case.lead), "lead")
    changed(case, "new name")
    [entry] = client.get("/api/v1/projects/fb/audit/").json()["results"][:1]
    assert (entry["verb"], entry["before"], entry["after"]["name"]) == ("project.changed", {"name": "old"}, "new name")
