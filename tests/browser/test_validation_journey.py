"""Perturbations validated by two annotators and an adjudicator, from a file to a release, by keyboard alone.

Once in English and once in Chinese. The first is valid for both, about the second they disagree, the third is
corrected. Items come in any order, so that people go by the number that stands before each question.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.canals import published
from tests.support.chromium import OpenPage
from tests.support.files import write_rows
from tests.support.installation import Installation
from tests.support.journeys import PASSWORD
from tests.support.keyboard import Keyboard, signed_in

pytestmark = [pytest.mark.browser, pytest.mark.slow]
CORRECT = "correct"
STATES = "result = {one.key.rpartition('/')[2].split('_')[0]: one.state for one in Item.objects.all()}"
OPENED = "from django.utils.timezone import now\nresult = Slot.objects.update(opens_at=now())"
BEGIN = """
User.objects.update(language=language)
result = Item.objects.count()
"""


@dataclass(frozen=True)
class Texts:
    """A language's tuple and correction. begun: what is typed before the perturbed answer."""

    language: str
    question: str
    gold: str
    perturbed: str
    marks: tuple[str, str]
    begun: str
    says: str
    disagree: str


ENGLISH = Texts(
    "en",
    "How long is the canal?",
    "The canal is 82 kilometres long, and its locks lift ships by 26 metres.",
    "The canal is 28 kilometres long, and its locks lift ships by 26 metres.",
    ("82", "28"),
    "Surely, ",
    "another person reviews it next",
    "Disagree",
)
CHINESE = Texts(
    "zh-hans",
    "运河有多长？",
    "运河全长82千米，船闸把船抬高26米。",
    "运河全长28千米，船闸把船抬高26米。",
    ("82", "28"),
    "显然，",
    "接下来由另一个人审核",
    "有分歧",
)


def rows(texts: Texts) -> list[dict[str, Any]]:
    said = {"og": texts.gold, "perturbed_gpt4": texts.perturbed}
    return [published(no, question=f"{no}: {texts.question}", **said) for no in (1, 2, 3)]


@pytest.fixture
def installation(sqlite_installation: Installation, texts: Texts, tmp_path: Path) -> Installation:
    made = sqlite_installation
    made.manage("create_project", "canals", "--kind", "perturbation", "--name", "Canals", "--overlap", "2")
    for name, role in (("anna", "annotator"), ("bea", "annotator"), ("ola", "lead")):
        made.manage("add_member", "canals", name, "--role", role, "--password", PASSWORD)
    path = write_rows(tmp_path / "tuples.jsonl", rows(texts))
    made.manage("import_items", "canals", path, "--format", "fbi")
    assert made.python(BEGIN, language=texts.language) == 3
    return made


def start_work(one: Keyboard) -> None:
    one.page.goto("/p/canals/work/")
    one.enter("#ready button")
    expect(one.page.locator("#field-verdict")).to_be_focused()


def look_at_the_change(one: Keyboard, texts: Texts) -> None:
    here = one.page.locator("#difference .view .here:visible")
    for _view in range(3):
        one.press("n")
        expect(here).to_have_text([*texts.marks])
        one.press("v")
    one.press("p")
    expect(here).to_have_text([*texts.marks])


def correct(one: Keyboard, texts: Texts) -> None:
    one.press("ArrowDown", "Enter", "Control+Home")
    one.type(texts.begun)
    expect(one.page.locator("#difference-inline ins").first).to_contain_text(texts.begun.strip())
    expect(one.page.locator("#revised")).to_contain_text(texts.says)
    one.press("Escape", "1")
    one.submit()
    expect(one.page.locator("body")).to_contain_text(texts.says)


def work_off(one: Keyboard, texts: Texts, said: dict[str, str]) -> None:
    """said: number of the question -> the key of a verdict, or `correct`."""
    for _item in said:
        expect(one.page.locator("#field-verdict")).to_be_focused()
        key = said[one.page.locator("#turn-1 .turn__raw").text_content()[0]]
        if key == CORRECT:
            correct(one, texts)
        else:
            judge(one, key)


def judge(one: Keyboard, verdict: str) -> None:
    one.press(verdict)
    expect(one.page.locator(f".verdict:nth-child({verdict}) input")).to_be_checked()
    one.submit()


def adjudicate(ola: Keyboard, texts: Texts) -> None:
    ola.page.goto("/p/canals/review/")
    ola.enter("main form[action$='/review/next/'] button")
    point = ola.page.locator("#point-verdict")
    expect(point).to_contain_text(texts.disagree)
    expect(ola.page.locator("main")).not_to_contain_text("anna")
    ola.press("ArrowDown")
    expect(point).to_be_focused()
    ola.press("1")
    expect(point.locator(".card--chosen")).to_be_visible()
    with ola.page.expect_navigation():
        ola.press("a")


def release(ola: Keyboard, installation: Installation, folder: Path) -> list[dict[str, Any]]:
    ola.page.goto("/p/canals/releases/")
    ola.tab_to("[name=licence]")
    ola.type("CC BY 4.0")
    with ola.page.expect_navigation():
        ola.press("Enter")
    installation.manage("reconcile")
    expect(ola.page.locator("a[href$='/download/']").first).to_be_visible()  # by itself, without a reload
    ola.tab_to("a[href$='/download/']")
    with ola.page.expect_download() as download:
        ola.press("Enter")
    download.value.save_as(folder / "released.jsonl")
    return [json.loads(line) for line in (folder / "released.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("texts", [ENGLISH, CHINESE], ids=lambda texts: texts.language)
def test_from_a_file_to_a_release_without_a_mouse(
    installation: Installation, browser_page: OpenPage, texts: Texts, tmp_path: Path
) -> None:
    anna, bea, ola = (signed_in(installation, browser_page, name) for name in ("anna", "bea", "ola"))
    expect(anna.page.locator("html")).to_have_attribute("lang", texts.language)
    start_work(anna)
    look_at_the_change(anna, texts)
    work_off(anna, texts, {"1": "1", "2": "1", "3": CORRECT})
    start_work(bea)
    work_off(bea, texts, {"1": "1", "2": "2", "3": "1"})
    installation.python(OPENED)
    assert installation.python(STATES) == {"factual-1": "accepted", "factual-2": "adjudicating", "factual-3": "ready"}
    adjudicate(ola, texts)
    start_work(ola)
    work_off(ola, texts, {"3": "1"})
    assert set(installation.python(STATES).values()) == {"accepted"}
    released = release(ola, installation, tmp_path)
    corrected = rows(texts)[2] | {"perturbed_gpt4": texts.begun + texts.perturbed}
    for row, tuple_ in zip(released, [*rows(texts)[:2], corrected], strict=True):
        assert [name for name in row if name in tuple_] == list(tuple_)
        assert {name: row[name] for name in tuple_} == tuple_
        assert row["verdict"] == "valid"
        assert row["provenance"]["state"] == "accepted"
