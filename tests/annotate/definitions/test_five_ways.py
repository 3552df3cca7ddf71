"""A definition is changed five ways over answered items, and back: releases hold what was promised; nothing is lost."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotate.definitions.actions import checked, write_definition
from annotate.definitions.preview import effects
from annotate.items import queue
from annotate.models import Annotation, Item, Member, Project
from annotate.project.actions import create_project
from annotate.work import submit
from tests.support.files import command, imported, write_rows
from tests.support.people import make_member, written

pytestmark = pytest.mark.django_db

ITEMS = 60
FIRST = """
show: [{field: prompt}, {field: answer}]
questions:
  - {name: safe, type: choice, options: ["yes", "no", cannot tell]}
  - {name: fluency, type: rating, scale: {"1": bad, "5": good}}
  - {name: topics, type: choices, options: [news, code]}
  - {name: why, type: text, required: false}
"""
RENAMED = FIRST.replace("name: safe,", "name: harmless, formerly: safe,")
OPTION = RENAMED.replace(", formerly: safe", "").replace("cannot tell]", "unclear], was: {cannot tell: unclear}")
REMOVED = OPTION.replace("  - {name: why, type: text, required: false}\n", "").replace(
    ", was: {cannot tell: unclear}", ""
)
TYPED = REMOVED.replace("type: choices", "type: choice")
HIDDEN = TYPED.replace("{field: prompt}, {field: answer}", "{field: prompt}")
STEPS = {"renamed": RENAMED, "option": OPTION, "removed": REMOVED, "typed": TYPED, "hidden": HIDDEN}


def answers(n: int) -> dict[str, Any]:
    return {
        "safe": ["yes", "no", "cannot tell"][n % 3],
        "fluency": 1 + n % 5,
        "topics": [["news"], ["code"], ["news", "code"]][n % 3],
        "why": "" if n % 4 else f"Because of {n}.",
    }


def answered_project(folder: Path, items: int = ITEMS) -> Project:
    project = create_project(slug="own", kind="form", definition=FIRST, reviews=0)
    rows = [{"key": f"k-{n}", "prompt": f"Is {n} prime?", "answer": f"Yes, {n}.", "model": "m"} for n in range(items)]
    assert imported(project, write_rows(folder / "rows.jsonl", rows))["kept"] == items
    member = make_member(project)
    for _number in range(items):
        _answer(member)
    return project


def _answer(member: Member) -> None:
    slot = queue.claim_next(member, "annotate")
    assert slot is not None
    draft = answers(int(slot.item.key.removeprefix("k-")))
    submit.submit(annotation=written(slot, member, draft), token=slot.token, by=member.user)


def released(folder: Path, *words: str) -> dict[str, dict[str, Any]]:
    """key -> row, without provenance."""
    out = folder / "release.jsonl"
    code, _told, err = command("export_items", "own", "--out", out, *words)
    assert code == 0, err
    code, verified, err = command("verify", out)
    assert verified["ok"], (verified, err)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    return {row["key"]: {name: value for name, value in row.items() if name != "provenance"} for row in rows}


def promised(row: dict[str, Any], steps: int) -> dict[str, Any]:
    """The row of the first release after so many of the changes."""
    row = dict(row)
    if steps >= 1:
        row["harmless"] = row.pop("safe")
    if steps >= 2 and row["harmless"] == "cannot tell":
        row["harmless"] = "unclear"
    if steps >= 4:  # one topic stays, two have no place
        topics = row.pop("topics")
        row |= {"topics": topics[0]} if len(topics) == 1 else {}
    if steps >= 5:
        del row["answer"]
    return row


def test_five_changes_and_the_way_back_lose_nothing(tmp_path: Path) -> None:
    project = answered_project(tmp_path)
    stored = list(Annotation.objects.order_by("pk").values_list("draft", "schema", "submitted_at"))
    first = released(tmp_path)
    assert len(first) == ITEMS
    for step, text in enumerate(STEPS.values(), start=1):
        write_definition(project, text=text, by=None, based_on=step)
        assert released(tmp_path) == {key: promised(row, step) for key, row in first.items()}
    with_metadata = released(tmp_path, "--metadata")
    assert {row["metadata"]["answer"] for row in with_metadata.values()} == {f"Yes, {n}." for n in range(ITEMS)}
    back = FIRST.replace("name: safe,", "name: safe, formerly: harmless, was: {unclear: cannot tell},")
    write_definition(project, text=back, by=None, based_on=6)
    assert released(tmp_path) == first
    assert list(Annotation.objects.order_by("pk").values_list("draft", "schema", "submitted_at")) == stored
    assert set(Item.objects.values_list("state", flat=True)) == {"accepted"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (RENAMED, {("harmless", "mapped"): 12}),
        (FIRST.replace("cannot tell]", "unclear], was: {cannot tell: unclear}"), {("safe", "mapped"): 4}),
        (FIRST.replace("  - {name: why, type: text, required: false}\n", ""), {("why", "retired"): 3}),
        (FIRST.replace("type: choices", "type: choice"), {("topics", "mapped"): 8, ("topics", "no_place"): 4}),
    ],
)
def test_each_change_is_counted_before_it_is_made(tmp_path: Path, text: str, told: dict[Any, int]) -> None:
    project = answered_project(tmp_path, items=12)
    found = effects(project, checked(project, text))
    counts = {(effect.question, effect.fate): effect.count for effect in found.by_question if effect.fate != "kept"}
    assert counts == told
    assert found.answers == 12
