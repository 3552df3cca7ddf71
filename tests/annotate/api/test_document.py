"""The OpenAPI document: whole, valid, and without a warning."""

import json
import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from annotate.api.document import document
from annotate.notices.webhooks import EVENTS, PING
from annotate.web.error_pages import CODES, REMEDIES
from tests.security.addresses import addresses
from tests.support.installation import ROOT

DOCS = (ROOT / "docs" / "api.md").read_text()
BESIDE = {"api_schema", "api_docs"}


def operations() -> list[tuple[str, str, dict]]:
    return [(path, method, told) for path, methods in document()["paths"].items() for method, told in methods.items()]


def test_the_document_is_valid_and_no_part_of_it_is_guessed() -> None:
    call_command("spectacular", "--fail-on-warn", "--validate", stdout=StringIO())


def test_every_address_of_the_api_is_in_it() -> None:
    ours = {name for name in addresses() if name.startswith("api_")} - BESIDE
    assert len(document()["paths"]) == len(ours)


def test_every_operation_says_what_it_does_and_how_it_fails() -> None:
    for path, method, told in operations():
        assert told["summary"], (path, method)
        errors = {code: one for code, one in told["responses"].items() if code >= "400"}
        assert set(errors) >= {"400", "401", "403", "404", "429"}, (path, method)
        for one in errors.values():
            assert one["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Error"}


def test_names_of_operations_are_there_once() -> None:
    names = [told["operationId"] for _path, _method, told in operations()]
    assert sorted(names) == sorted(set(names))


def test_every_operation_takes_a_token() -> None:
    assert all(told["security"] == [{"token": []}] for _path, _method, told in operations())
    assert document()["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


def test_what_makes_something_can_be_repeated() -> None:
    made = [told for _path, _method, told in operations() if "201" in told["responses"]]
    assert len(made) == 3
    assert all("Idempotency-Key" in {one["name"] for one in told["parameters"]} for told in made)


def test_every_code_of_an_error_has_its_remedy() -> None:
    assert set(CODES.values()) <= set(REMEDIES)
    assert sorted(REMEDIES) == sorted(document()["components"]["schemas"]["CodeEnum"]["enum"])


def test_it_is_handed_out_to_everybody() -> None:
    answer = Client().get("/api/v1/schema/")
    assert answer.status_code == 200
    assert answer.json() == document()


@pytest.mark.django_db
def test_the_page_shows_every_operation_without_script_or_style() -> None:
    text = Client().get("/api/v1/docs/").content.decode()
    for path, _method, told in operations():
        assert f'id="{told["operationId"]}"' in text
        assert path in text
    assert not re.search(r"<script(?![^>]*src=)|<style|\sstyle=|//cdn|https?://(?!testserver|www\.w3\.org)", text)


@pytest.mark.django_db
@pytest.mark.parametrize("code", sorted(REMEDIES))
def test_the_page_lists_every_code(code: str) -> None:
    assert f"<code>{code}</code>" in Client().get("/api/v1/docs/").content.decode()


def test_the_guide_lists_every_code_and_every_event() -> None:
    tables = DOCS.split("## Errors")[1]
    codes = {
        name for cells in re.findall(r"^\| (`[^|]+) \| [0-9]", tables, re.M) for name in re.findall(r"`(\w+)`", cells)
    }
    assert codes == set(REMEDIES)
    assert set(re.findall(r"^\| `([\w.]+)` \| [^0-9]", DOCS.split("## Webhooks")[1], re.MULTILINE)) == {*EVENTS, PING}


@pytest.mark.django_db
def test_the_error_of_the_guide_is_what_is_answered(lead: Client) -> None:
    example = json.loads(re.findall(r"```json\n(.*?)```", DOCS, re.DOTALL)[0])
    form = {"splits": {"train": 0.5}}
    assert lead.post("/api/v1/projects/fb/releases/", form, content_type="application/json").json() == example
