"""The main job in Chromium, from a file to a release: a lead, an annotator, a reviewer, each signed in by the form."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.chromium import OpenPage
from tests.support.installation import Installation
from tests.support.journeys import (
    PASSWORD,
    accept_next,
    ask_for_a_release,
    download_the_release,
    let_reviews_open,
    sign_in,
)
from tests.support.reviews import FACTS, SUGGESTED

pytestmark = [pytest.mark.browser, pytest.mark.slow]

REASON = "Too short: say why both weigh the same."
WRITTEN = " A kilogram is a kilogram."


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """A row to be refined, and one whose question is missing."""
    broken = {key: value for key, value in FACTS.items() if key != "user_query"}
    content = [{"key": "iron", **FACTS, **SUGGESTED}, {"key": "broken", **broken}]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in content))
    return path


@pytest.fixture
def installation(live_installation: Installation) -> Installation:
    live_installation.manage("create_project", "weights", "--kind", "feedback", "--name", "Weights")
    for name, role in (("lena", "lead"), ("anna", "annotator"), ("ravi", "reviewer")):
        live_installation.manage("add_member", "weights", name, "--role", role, "--password", PASSWORD)
    return live_installation


def import_the_file(lena: Page, installation: Installation, rows: Path) -> None:
    lena.goto("/p/weights/import/")
    lena.get_by_label("Drop a file here, or choose one").set_input_files(rows)
    lena.get_by_role("button", name="Upload and preview").click()
    expect(lena.locator("#counted")).to_contain_text("The whole file")
    expect(lena.locator("#preview-problems")).to_contain_text("user_query")
    lena.get_by_role("button", name="Import").click()
    installation.manage("reconcile")
    expect(lena.locator("#batch")).to_contain_text("Rejected rows")
    assert installation.python("result = list(Item.objects.values_list('key', 'state'))") == [["iron", "ready"]]


def write_by_keyboard(anna: Page) -> None:
    anna.get_by_role("button", name="Start").click()
    expect(anna.locator("#field-suitable")).to_be_focused()
    anna.keyboard.press("1")
    for _field in ("deficiencies", "feedback"):
        anna.keyboard.press("ArrowDown")
    anna.keyboard.press("Enter")
    expect(anna.locator("#box-feedback")).to_be_focused()
    anna.keyboard.press("Control+End")
    anna.keyboard.type(" Iron is not heavier.")
    anna.keyboard.press("Control+Enter")
    expect(anna.locator("#toast")).to_contain_text("Submitted")


def send_back(ravi: Page, installation: Installation) -> None:
    let_reviews_open(installation)
    ravi.goto("/p/weights/review/")
    ravi.get_by_role("button", name="Review next item").click()
    ravi.locator("#point-feedback").get_by_role("button", name="Request change").click()
    dialog = ravi.get_by_role("dialog")
    expect(dialog.get_by_label("About")).to_have_value("feedback")
    dialog.get_by_label("What should change").fill(REASON)
    dialog.get_by_role("button", name="Return", exact=True).click()
    expect(ravi).to_have_url(f"{installation.url}/p/weights/review/")


def fix_and_answer(anna: Page) -> None:
    anna.goto("/")
    expect(anna.locator(".waiting")).to_contain_text("Returned or assigned to you")
    anna.get_by_role("button", name="Open the next one").click()
    expect(anna.locator("#sent-back")).to_contain_text(REASON)
    thread = anna.locator(".thread").filter(has_text=REASON)
    thread.locator("summary", has_text="Answer").click()
    thread.get_by_label("Answer").fill("Now it says why.")
    thread.get_by_role("button", name="Fixed").click()
    expect(anna.locator("#threads")).to_contain_text("Now it says why.")
    box = anna.locator("#box-feedback")
    box.click()
    box.press("Control+End")
    box.press_sequentially(WRITTEN)
    anna.keyboard.press("Control+Enter")
    expect(anna.locator("#toast")).to_contain_text("Submitted")


def test_from_a_file_to_a_release(
    installation: Installation, browser_page: OpenPage, rows: Path, tmp_path: Path
) -> None:
    lena, anna, ravi = (sign_in(browser_page(installation), name) for name in ("lena", "anna", "ravi"))
    import_the_file(lena, installation, rows)
    anna.reload()
    write_by_keyboard(anna)
    send_back(ravi, installation)
    fix_and_answer(anna)
    accept_next(ravi, installation, "weights", feedback="kilogram")
    ask_for_a_release(lena, "weights")
    installation.manage("reconcile")
    path = download_the_release(lena, "weights", tmp_path)
    installation.manage("verify", path)
    [row] = [json.loads(line) for line in path.read_text().splitlines()]
    provenance = row.pop("provenance")
    expected = FACTS | SUGGESTED | {"feedback": f"{SUGGESTED['feedback']} Iron is not heavier.{WRITTEN}"}
    assert {name: row[name] for name in expected} == expected
    assert "anna" in json.dumps(provenance)
    assert "ravi" in json.dumps(provenance)
