import hashlib
import json
from typing import Any

import pytest
from django.test import Client

from annotate.chores import make_release
from annotate.models import AuditEntry, Release
from annotate.releases import actions
from annotate.releases.files import path_of
from tests.support.programs_with_tokens import program
from tests.support.reviews import Case

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_folder")]
RELEASES = "/api/v1/projects/fb/releases/"


def make(client: Client, **form: Any) -> Any:
    return client.post(RELEASES, form, content_type="application/json")


def written(client: Client, **form: Any) -> dict[str, Any]:
    """A release after the worker was there."""
    version = make(client, **form).json()["version"]
    make_release.work(Release.objects.get(version=version).pk)
    told: dict[str, Any] = client.get(f"{RELEASES}{version}/").json()
    return told


def test_a_release_is_made_downloaded_and_verified(lead: Client, case: Case) -> None:
    case.item("a")
    case.item("b")
    told = written(lead, state="any", note="first", licence="CC-BY-4.0")
    assert (told["state"], told["rows"], told["note"], told["licence"]) == ("done", 2, "first", "CC-BY-4.0")
    content = b"".join(lead.get(f"{RELEASES}1/download/").streaming_content)
    assert [json.loads(line)["key"] for line in content.splitlines()] == ["a", "b"]
    assert hashlib.sha256(content).hexdigest() == told["sha256"] == told["manifest"]["sha256"]
    assert lead.get(f"{RELEASES}1/manifest/").json() == told["manifest"]
    assert AuditEntry.objects.filter(verb="read.file", channel__startswith="api: ", role="lead").count() == 2
    assert lead.get(f"{RELEASES}1/verify/").json() == {
        "ok": True,
        "rows": 2,
        "sha256": told["sha256"],
        "differences": [],
    }


def test_rows_are_handed_out_as_other_tools_read_them(lead: Client, case: Case) -> None:
    case.item("a")
    written(lead, state="any")
    answer = lead.get(f"{RELEASES}1/download/?written_as=label_studio")
    assert [task["data"]["key"] for task in json.loads(b"".join(answer.streaming_content))] == ["a"]
    assert answer["Content-Disposition"].endswith('-v1-label_studio.json"')
    assert b"".join(lead.get(f"{RELEASES}1/download/?written_as=csv").streaming_content).startswith(b"\xef\xbb\xbf")
    plain = [lead.get(f"{RELEASES}1/download/{query}") for query in ("", "?written_as=jsonl")]
    assert len({b"".join(each.streaming_content) for each in plain}) == 1
    for query in ("written_as=word", "as=csv"):
        assert lead.get(f"{RELEASES}1/download/?{query}").status_code == 422


def test_a_changed_file_is_noticed(lead: Client, case: Case) -> None:
    case.item()
    written(lead, state="any")
    path = path_of(Release.objects.get().stored_as)
    path.write_bytes(path.read_bytes() + b"{}\n")
    told = lead.get(f"{RELEASES}1/verify/").json()
    assert (told["ok"], told["rows"], len(told["differences"])) == (False, 2, 2)
    path.unlink()
    assert lead.get(f"{RELEASES}1/verify/").json()["ok"] is False
    assert lead.get(f"{RELEASES}1/download/").status_code == 404


def test_without_a_form_what_is_accepted_is_released(lead: Client, case: Case) -> None:
    case.item()
    assert written(lead)["rows"] == 0


def test_splits_go_into_the_release(lead: Client) -> None:
    told = make(lead, splits={"train": 0.8, "test": 0.2, "dev": 0}, seed=7).json()
    assert (told["filters"]["splits"], told["filters"]["seed"]) == ({"train": 0.8, "test": 0.2}, 7)


@pytest.mark.parametrize(
    ("form", "where"),
    [
        ({"state": "nowhere"}, "state"),
        ({"splits": {"train": 0.5}}, "splits"),
        ({"splits": {"train": 2}}, "splits.train"),
        ({"splits": []}, "splits"),
        ({"groups": "x"}, "groups"),
        ({"groups": [1, {}]}, "groups.1"),
        ({"seed": -1}, "seed"),
        ({"seed": "x"}, "seed"),
        ({"note": "x" * 201}, "note"),
        ({"note": "\x00"}, "note"),
        ({"note": None}, "note"),
        ({"version": 7}, "version"),
        ({"project": "other", "created_by": 1}, "project, created_by"),
    ],
)
def test_a_form_that_is_not_right_makes_nothing(lead: Client, form: dict[str, Any], where: str) -> None:
    answer = make(lead, **form)
    assert (answer.status_code, answer.json()["where"]) == (422, where), answer.content
    assert not Release.objects.exists()


def test_what_is_withdrawn_is_listed_and_not_handed_out(lead: Client, case: Case) -> None:
    written(lead)
    actions.withdraw(Release.objects.get())
    assert lead.get(RELEASES).json()["results"][0]["withdrawn_at"]
    for end in ("download", "manifest", "verify"):
        answer = lead.get(f"{RELEASES}1/{end}/")
        assert (answer.status_code, answer.json()["code"]) == (410, "gone")


def test_what_is_not_written_yet_is_not_handed_out(lead: Client) -> None:
    make(lead)
    for end in ("download", "manifest", "verify"):
        assert lead.get(f"{RELEASES}1/{end}/").status_code == 404


def test_versions_are_listed_newest_first(viewer: Client, lead: Client) -> None:
    for _number in range(3):
        make(lead)
    first = viewer.get(RELEASES, {"limit": 2}).json()
    rest = viewer.get(RELEASES, {"limit": 2, "cursor": first["next"]}).json()
    assert [one["version"] for one in first["results"] + rest["results"]] == [3, 2, 1]
    assert (rest["next"], "manifest" in rest["results"][0]) == (None, False)


def test_readers_read_and_only_leads_make(case: Case, lead: Client) -> None:
    written(lead)
    for user, status in ((case.reviewer, 200), (case.viewer, 200), (case.annotator, 403)):
        client = program(case.member(user))
        for path in ("", "1/", "1/download/", "1/manifest/", "1/verify/"):
            assert client.get(RELEASES + path).status_code == status
        assert make(client).status_code == 403
    assert Release.objects.count() == 1
