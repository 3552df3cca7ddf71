import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings
from django.utils.http import urlencode

from annotate.chores import run_batch
from annotate.models import Batch, Item
from tests.support.files import jsonl, row, without
from tests.support.programs_with_tokens import program
from tests.support.reviews import Case

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_folder")]
IMPORTS = "/api/v1/projects/fb/imports/"


def send(client: Client, body: bytes, media_type: str = "application/jsonl", **query: Any) -> Any:
    return client.post(f"{IMPORTS}?{urlencode(query)}", body, content_type=media_type)


def worked(client: Client, made: Any) -> dict[str, Any]:
    """The report after the worker was there."""
    assert made.status_code == 201, made.content
    run_batch.work(made.json()["id"])
    told: dict[str, Any] = client.get(f"{IMPORTS}{made.json()['id']}/").json()
    return told


def post_form(client: Client, **fields: Any) -> Any:
    return client.post(IMPORTS, fields)


def a_file(name: str = "rows.jsonl") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, jsonl([row(1)]))


def test_settings_in_the_form_are_not_passed_over_in_silence(lead: Client) -> None:
    answer = post_form(lead, file=a_file(), drafts="final", format="csv")
    assert (answer.status_code, answer.json()["where"]) == (422, "drafts, format")
    assert "?drafts=final" in answer.json()["message"]
    assert not Batch.objects.exists()


def test_of_several_files_none_is_passed_over_in_silence(lead: Client) -> None:
    answer = post_form(lead, file=[a_file("a.jsonl"), a_file("b.jsonl")])
    assert (answer.status_code, answer.json()["where"]) == (422, "file")
    assert not Batch.objects.exists()


def test_problems_are_told_in_the_language_that_is_asked_for(lead: Client) -> None:
    made = worked(lead, send(lead, jsonl([row(1), row(1)])))
    chinese = lead.get(f"{IMPORTS}{made['id']}/", headers={"accept-language": "zh-hans"}).json()
    assert "is already in line 1" in made["problems"][0]["message"]
    assert "is already in line 1" not in chinese["problems"][0]["message"]
    assert set(chinese["problems"][0]) == {"file", "line", "lines", "count", "path", "message", "level"}


@pytest.mark.parametrize("media_type", ["application/jsonl", "application/x-ndjson"])
def test_a_body_becomes_items(lead: Client, media_type: str) -> None:
    made = send(lead, jsonl([row(1), row(2)]), media_type)
    assert (made.json()["state"], made.json()["by"]) == ("waiting", "lead")
    told = worked(lead, made)
    assert (told["state"], told["read"], told["kept"], told["problems"]) == ("done", 2, 2, [])
    assert list(Item.objects.values_list("key", flat=True)) == ["row-1", "row-2"]


def test_a_file_of_a_form_becomes_items(lead: Client) -> None:
    file = SimpleUploadedFile("rows.jsonl", jsonl([row(1)]))
    told = worked(lead, lead.post(IMPORTS, {"file": file}))
    assert (told["file_name"], told["kept"]) == ("rows.jsonl", 1)


def test_a_compressed_file_is_read_as_it_is(lead: Client) -> None:
    file = SimpleUploadedFile("rows.jsonl.gz", gzip.compress(jsonl([row(1)])))
    assert worked(lead, lead.post(IMPORTS, {"file": file}))["kept"] == 1


def test_the_name_of_a_form_file_tells_its_format(lead: Client) -> None:
    table = b"key,bench_type,user_query,origin_first_response\na,Error Correction,How many?,Three.\n"
    told = worked(lead, lead.post(IMPORTS, {"file": SimpleUploadedFile("rows.csv", table)}))
    assert (told["format"], told["kept"]) == ("csv", 1)


def test_final_drafts_are_accepted(lead: Client) -> None:
    worked(lead, send(lead, jsonl([row(1)]), drafts="final"))
    assert Item.objects.get().state == "accepted"


def test_what_is_wrong_is_told_and_given_back(lead: Client) -> None:
    told = worked(lead, send(lead, jsonl([row(1), without(row(2), "user_query"), row(3, feedback=7)])))
    assert (told["read"], told["kept"], told["rejected"], told["unlisted"]) == (3, 1, 2, 0)
    assert {problem["line"] for problem in told["problems"]} == {2, 3}
    assert set(told["problems"][0]) == {"file", "line", "lines", "count", "path", "message", "level"}
    rejects = lead.get(f"{IMPORTS}{told['id']}/rejects/")
    lines = [json.loads(line) for line in b"".join(rejects.streaming_content).splitlines()]
    assert [line["key"] for line in lines] == ["row-2", "row-3"]


def test_an_import_without_refused_rows_has_no_rejects(lead: Client) -> None:
    told = worked(lead, send(lead, jsonl([row(1)])))
    assert lead.get(f"{IMPORTS}{told['id']}/rejects/").status_code == 404


@pytest.mark.parametrize(
    ("query", "where"),
    [
        ({"format": "xlsx"}, "format"),
        ({"drafts": "gold"}, "drafts"),
        ({"duplicates": "twice"}, "duplicates"),
        ({"separator": "comma"}, "separator"),
        ({"as": "final"}, "as"),
        ({"file_name": "rows.xlsx"}, "format"),
        ({"checks": "perhaps"}, "checks"),
    ],
)
def test_a_choice_that_is_none_is_refused(lead: Client, query: dict[str, str], where: str) -> None:
    answer = send(lead, jsonl([row(1)]), **query)
    assert (answer.status_code, answer.json()["where"]) == (422, where)
    assert not Batch.objects.exists()


def test_a_form_without_a_file_is_refused(lead: Client) -> None:
    assert lead.post(IMPORTS, {"file": "text"}).json()["where"] == "file"


@pytest.mark.parametrize("media_type", ["application/json", "text/csv", "application/x-www-form-urlencoded"])
def test_other_media_types_are_not_taken(lead: Client, media_type: str) -> None:
    assert send(lead, b"{}", media_type).status_code == 415


def test_an_empty_body_is_no_file(lead: Client) -> None:
    answer = send(lead, b"")
    assert (answer.status_code, answer.json()["where"]) == (422, "file")


def test_a_file_without_rows_is_an_import_that_failed(lead: Client) -> None:
    told = worked(lead, send(lead, b"\n"))
    assert (told["state"], told["read"], len(told["problems"])) == ("failed", 0, 1)


@override_settings(UPLOAD_MAX_BYTES=10)
def test_a_body_beyond_the_limit_is_refused_whatever_it_said(lead: Client, data_folder: Path) -> None:
    answer = send(lead, b"x" * 11)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert list(data_folder.rglob("uploads/*")) == []


def test_names_of_files_lead_nowhere(lead: Client, data_folder: Path) -> None:
    made = send(lead, jsonl([row(1)]), file_name="../../../etc/passwd.jsonl")
    assert made.json()["file_name"] == "passwd.jsonl"
    assert [path.parent.name for path in data_folder.rglob("*") if path.is_file()] == ["uploads"]


def test_imports_are_listed_newest_first(lead: Client) -> None:
    ids = [send(lead, jsonl([row(number)])).json()["id"] for number in range(3)]
    first = lead.get(IMPORTS, {"limit": 2}).json()
    rest = lead.get(IMPORTS, {"limit": 2, "cursor": first["next"]}).json()
    assert [one["id"] for one in first["results"] + rest["results"]] == ids[::-1]
    assert rest["next"] is None
    assert "problems" not in first["results"][0]


def test_imports_are_for_leads(case: Case, lead: Client) -> None:
    pk = send(lead, jsonl([row(1)])).json()["id"]
    for user in (case.reviewer, case.viewer, case.annotator):
        client = program(case.member(user))
        assert [client.get(path).status_code for path in (IMPORTS, f"{IMPORTS}{pk}/", f"{IMPORTS}{pk}/rejects/")] == [
            403
        ] * 3
        assert send(client, jsonl([row(2)])).status_code == 403
    assert Batch.objects.count() == 1
