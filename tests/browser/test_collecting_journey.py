"""From a chat log to items in Chromium: rules, a replacement taken back, the import, a near-duplicate dropped."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import UNFOLD, complaints
from tests.support.chromium import OpenPage
from tests.support.installation import Installation

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LOG = Path(__file__).resolve().parents[2] / "fixtures" / "chat_log_demo.jsonl"
SET_UP = """
from tests.support.people import make_project
lena = User.objects.filter(username="lena").first() or User.objects.create_user("lena")
Member.objects.create(project=make_project(slug="logged", name="Logged"), user=lena, role="lead")
result = 1
"""
WORK = "from annotate.upkeep.reconciliation import reconcile\nreconcile()\nresult = 1"
FOUND = """
items = Item.objects.filter(project__slug="logged")
doubles = list(items.filter(drop_reason="duplicate").values_list("title", flat=True))
held = [sum(text in str(item.facts) for item in items) for text in ("dana.whitfield", "52.14.8.201")]
result = [items.filter(state="ready").count(), doubles, held]
"""


def shown(page: Page, label: str) -> str:
    return page.locator(".stat", has_text=label).locator(".stat__figure").inner_text()


def test_a_log_becomes_items_without_personal_data_and_without_doubles(
    desk_installation: Installation, browser_page: OpenPage
) -> None:
    desk_installation.python(SET_UP)
    page = browser_page(desk_installation, user="lena", reduced_motion="reduce")
    page.goto("/p/logged/import/")
    page.get_by_role("link", name="From a chat log").click()
    page.locator("[name=file]").set_input_files(LOG)
    page.get_by_role("button", name="Upload and preview").click()

    page.locator("[name=since]").fill("2026-08-01")
    page.get_by_role("button", name="Recount").click()
    assert (shown(page, "Conversations"), shown(page, "Kept")) == ("61", "39")
    page.locator("[name=since]").fill("soon")
    page.get_by_role("button", name="Recount").click()
    expect(page.locator("#id_since_error")).to_be_visible()
    page.goto(page.url)
    page.evaluate(UNFOLD)
    assert complaints(page) == []

    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("link", name="12 replacements").click()
    row = page.get_by_role("row", name=re.compile("52.14.8.201.*IP_1"))
    row.get_by_role("checkbox").check()
    page.get_by_role("button", name="Save choices").click()
    expect(page.locator("strong", has_text="52.14.8.201")).to_be_visible()
    page.get_by_role("button", name="Import what is kept").click()
    desk_installation.python(WORK)
    page.reload()
    assert shown(page, "Kept") == "39"

    page.goto("/p/logged/near-duplicates/")
    page.get_by_role("button", name="Compare all items").click()
    desk_installation.python(WORK)
    page.goto("/p/logged/near-duplicates/")
    pair = page.locator("section.panel", has_text="15 %").filter(has_text="Similarity 1.00")
    expect(pair).to_be_visible()
    pair.get_by_role("button", name="Keep the first, drop the second").click()
    expect(page.locator("section.panel", has_text="Similarity 1.00")).to_have_count(0)

    assert desk_installation.python(FOUND) == [38, ["What is 15 % of 240?"], [0, 1]]
