"""Role × field: which fields each role gets of each resource, and none besides."""

from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from annotate.chores import make_release
from annotate.items import comments
from annotate.releases import actions
from annotate.releases.actions import ReleaseFilters
from annotate.review import decisions
from tests.support.programs_with_tokens import program
from tests.support.reviews import Case
from tests.support.runs import make_run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_folder")]
ROLES = ("lead", "reviewer", "viewer", "annotator")

PROJECT = "slug name kind languages role paused guideline_version"
MORE_OF_PROJECT = "people_per_item reviews_per_item licence items_by_state created_at"
ITEM = "id key title state drop_reason round group language priority purpose changed_at"
TEXT = "by origin prompt_version simulated round stage outcome submitted_at draft"
REMARK = "id author text answer created_at"
RUN = "id purpose state endpoint options budget shares_replies parameters calls tokens_in tokens_out cost by"
RELEASE = "version state rows sha256 filters note licence by created_at withdrawn_at"
IMPORT = "id file_name sha256 format state read kept duplicates rejected by created_at finished_at"
HISTORY = "fb/items/{item}/history/"

# Resource: address, the way to one object in the answer, its fields, who gets them. Whoever is not named is refused.
TABLE = f"""
projects         | fb/../                   | results 0           | {PROJECT} {MORE_OF_PROJECT} | lead reviewer viewer
projects less    | fb/../                   | results 0           | {PROJECT}                   | annotator
project          | fb/                      |                     | {PROJECT} {MORE_OF_PROJECT} | lead reviewer viewer
project less     | fb/                      |                     | {PROJECT}                   | annotator
items            | fb/items/                | results 0           | {ITEM} imported_by assigned_to held_by open_comments excerpt | lead reviewer viewer
item             | fb/items/{{item}}/          |                     | {ITEM} created_at facts current | lead reviewer viewer annotator
current          | fb/items/{{item}}/          | current             | {TEXT} | lead reviewer viewer annotator
history          | {HISTORY} |                     | texts events slots skips | lead reviewer viewer annotator
texts            | {HISTORY} | texts 0             | {TEXT} note guideline_version active_seconds unchanged changed | lead reviewer viewer annotator
events           | {HISTORY} | events 0            | at verb by note from_state to_state round | lead reviewer viewer annotator
slots            | {HISTORY} | slots 0             | stage round no state holder reserved_for lease_until | lead reviewer viewer annotator
threads          | fb/items/{{item}}/comments/ | results 0           | {REMARK} field span round resolved_at resolved_by replies | lead reviewer viewer annotator
replies          | fb/items/{{item}}/comments/ | results 0 replies 0 | {REMARK} | lead reviewer viewer annotator
imports          | fb/imports/              | results 0           | {IMPORT} | lead
import           | fb/imports/{{batch}}/       |                     | {IMPORT} problems unlisted | lead
runs             | fb/runs/                 | results 0           | {RUN} created_at started_at ended_at | lead
endpoint         | fb/runs/{{run}}/            | endpoint            | name model simulated | lead
releases         | fb/releases/             | results 0           | {RELEASE} | lead reviewer viewer
release          | fb/releases/1/           |                     | {RELEASE} manifest | lead reviewer viewer
"""  # noqa: E501 - a table


@dataclass(frozen=True)
class Line:
    name: str
    address: str
    way: tuple[Any, ...]
    fields: set[str]
    roles: set[str]

    def got(self, client: Client, ids: dict[str, int]) -> set[str]:
        """Nothing where it is refused."""
        address = self.address.format(**ids).replace("fb/../", "")
        answer = client.get(f"/api/v1/projects/{address}")
        if answer.status_code in (403, 404):
            return set()
        told = answer.json()
        for step in self.way:
            told = told[step]
        return set(told)


def lines() -> list[Line]:
    cells = [[cell.strip() for cell in line.split("|")] for line in TABLE.strip().splitlines()]
    ways = {name: tuple(int(one) if one.isdecimal() else one for one in way.split()) for name, _a, way, _f, _r in cells}
    return [
        Line(name, address, ways[name], set(fields.split()), set(roles.split()))
        for name, address, _way, fields, roles in cells
    ]


@pytest.fixture
def ids(case: Case) -> dict[str, int]:
    """An item with everything in its history, on which the annotator has worked; an import, a run, a release."""
    review = case.under_review()
    thread = comments.start(item=review.item, by=case.reviewer, text="Why?")
    comments.answer(thread=thread, by=case.annotator, text="Because.")
    decisions.accept(review=review, token=review.slot.token, by=case.reviewer)
    make_release.work(actions.plan(project=case.project, filters=ReleaseFilters(), by=case.lead).pk)
    lead = program(case.member(case.lead))
    batch = lead.post("/api/v1/projects/fb/imports/", b"{}\n", content_type="application/jsonl").json()["id"]
    return {"item": review.item_id, "batch": batch, "run": make_run(case.project).pk}


@pytest.mark.parametrize("role", ROLES)
def test_a_role_gets_its_fields_and_no_other(case: Case, ids: dict[str, int], role: str) -> None:
    client = program(case.member(getattr(case, role)))
    addresses = {line.name.removesuffix(" less"): line for line in lines()}
    got = {name: line.got(client, ids) for name, line in addresses.items()}
    wanted = dict.fromkeys(addresses, frozenset[str]())
    wanted |= {line.name.removesuffix(" less"): frozenset(line.fields) for line in lines() if role in line.roles}
    assert got == wanted


def test_what_is_inside_a_line_is_as_bare(case: Case, ids: dict[str, int], lead: Client) -> None:
    """People are a number and a name at most, imports a number and the name of a file."""
    from annotate.items import queue

    item = case.item("held")
    queue.claim(case.open_slot(item, "annotate").pk, case.member(case.annotator))
    (row,) = lead.get("/api/v1/projects/fb/items/", {"q": "held"}).json()["results"]
    assert row["held_by"] == [{"id": case.annotator.pk, "name": "annotator"}]
