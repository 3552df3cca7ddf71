"""Idempotency-Key: a request that is sent twice makes one thing."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError
from django.test import Client
from django.utils import timezone

from annotate.api import idempotency
from annotate.models import Batch, Release, Repeatable
from tests.support.files import jsonl, row
from tests.support.programs_with_tokens import program
from tests.support.reviews import Case

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_folder")]
RELEASES, IMPORTS = "/api/v1/projects/fb/releases/", "/api/v1/projects/fb/imports/"


def make(client: Client, key: str, **form: Any) -> Any:
    return client.post(RELEASES, form, content_type="application/json", headers={"Idempotency-Key": key})


def bring(client: Client, key: str, body: bytes) -> Any:
    return client.post(IMPORTS, body, content_type="application/jsonl", headers={"Idempotency-Key": key})


def test_a_repeated_request_makes_nothing_new_and_is_answered_alike(lead: Client) -> None:
    first, second = make(lead, "k1", note="x"), make(lead, "k1", note="x")
    assert (first.status_code, first.json()) == (second.status_code, second.json())
    assert ("Idempotency-Replayed" in first.headers, second.headers["Idempotency-Replayed"]) == (False, "true")
    assert Release.objects.count() == 1


def test_without_a_key_every_request_counts(lead: Client) -> None:
    for _number in range(2):
        lead.post(RELEASES, {}, content_type="application/json")
    assert Release.objects.count() == 2


def test_another_key_is_another_request(lead: Client) -> None:
    assert make(lead, "k1").json()["version"] != make(lead, "k2").json()["version"]


def test_a_key_is_not_taken_for_another_request(lead: Client) -> None:
    make(lead, "k1", note="x")
    for late in (make(lead, "k1", note="y"), bring(lead, "k1", jsonl([row(1)]))):
        assert (late.status_code, late.json()["code"], late.json()["where"]) == (409, "key_reused", "Idempotency-Key")
    assert (Release.objects.count(), Batch.objects.count()) == (1, 0)


def test_a_file_is_part_of_the_request(lead: Client) -> None:
    assert bring(lead, "k1", jsonl([row(1)])).json()["id"] == bring(lead, "k1", jsonl([row(1)])).json()["id"]
    assert bring(lead, "k1", jsonl([row(2)])).status_code == 409
    assert Batch.objects.count() == 1


def test_the_name_of_a_file_is_part_of_the_request(lead: Client) -> None:
    def send(name: str) -> Any:
        return lead.post(
            IMPORTS, {"file": SimpleUploadedFile(name, jsonl([row(1)]))}, headers={"Idempotency-Key": "k1"}
        )

    assert send("a.jsonl").status_code == 201
    assert send("b.jsonl").json()["code"] == "key_reused"


def test_a_key_that_is_given_back_at_this_very_moment_is_no_fault_of_ours(
    lead: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def taken(*_args: object, **_columns: object) -> None:
        raise IntegrityError  # by a request that was refused before this one looks it up

    monkeypatch.setattr(Repeatable.objects, "create", taken)
    answer = make(lead, "k1")
    assert (answer.status_code, answer.json()["code"]) == (409, "unfinished")


def test_keys_of_two_programs_have_nothing_to_do_with_each_other(case: Case, lead: Client) -> None:
    make(lead, "k1")
    assert make(program(case.member(case.lead)), "k1").json()["version"] == 2


def test_what_was_refused_may_be_tried_again_with_its_key(lead: Client) -> None:
    assert make(lead, "k1", splits={"train": 0.5}).status_code == 422
    assert make(lead, "k1", splits={"train": 1}).status_code == 201


def test_a_fault_leaves_the_key_free(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    client = program(case.member(case.lead), raise_request_exception=False)
    with monkeypatch.context() as broken:
        broken.setattr("annotate.releases.actions.plan", lambda **_: 1 / 0)
        assert make(client, "k1").status_code == 500
    assert make(client, "k1").status_code == 201


def test_while_the_first_is_worked_on_the_second_is_put_off(lead: Client) -> None:
    make(lead, "k1")
    Repeatable.objects.update(status=None)
    answer = make(lead, "k1")
    assert (answer.status_code, answer.json()["code"]) == (409, "unfinished")
    assert Release.objects.count() == 1


@pytest.mark.parametrize("key", ["", " ", "ä", "x" * 81, "a b", "a\tb"])
def test_what_is_no_key_is_refused(lead: Client, key: str) -> None:
    answer = make(lead, key)
    assert (answer.status_code, answer.json()["where"]) == (422, "Idempotency-Key")
    assert not Release.objects.exists()


def test_keys_are_forgotten_after_a_day(lead: Client) -> None:
    make(lead, "k1")
    assert idempotency.forget_old() == 0
    Repeatable.objects.update(created_at=timezone.now() - timedelta(days=1, minutes=1))
    assert idempotency.forget_old() == 1
    assert make(lead, "k1").json()["version"] == 2
