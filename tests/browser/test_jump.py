"""Ctrl+K in Chromium: by keys alone, beside the keys of the work page, in Chinese, and without scripts."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.chromium import OpenPage
from tests.support.installation import Installation

pytestmark = pytest.mark.browser

PROJECT = """
from tests.support.people import DRAFT, make_item
project = Project.objects.create(slug="moons", name="Moons of Mars", kind_slug="feedback")
for role in ("lead", "annotator"):
    person = User.objects.create_user("moons-" + role, password="long enough for a test")
    Member.objects.create(project=project, user=person, role=role)
for number in range(3):
    make_item(project, key=f"moon-{number}", suggestion=DRAFT)
"""


@pytest.fixture(scope="module")
def moons(desk_installation: Installation) -> Installation:
    desk_installation.python(PROJECT)
    return desk_installation


@pytest.fixture
def opened(moons: Installation, browser_page: OpenPage) -> Callable[..., Page]:
    def page_of(role: str, address: str, **options: Any) -> Page:
        page = browser_page(moons, user=f"moons-{role}", **options)
        page.goto(address)
        return page

    return page_of


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_it_jumps_to_a_page_an_item_and_a_project_by_keys_alone(opened: Callable[..., Page]) -> None:
    page = opened("lead", "/p/moons/")
    for text, address in (("webh", "/p/moons/webhooks/"), ("moon-2", "/p/moons/items/"), ("Moons of", "/p/moons/")):
        press(page, "Control+k")
        expect(page.locator("#jump-q")).to_be_focused()
        page.keyboard.type(text)
        with page.expect_navigation():
            press(page, "Enter")  # may come before the answer: it waits for it
        assert re.search(f"{address}([0-9]+/)?$", page.url)


def test_arrows_choose_and_escape_closes(opened: Callable[..., Page]) -> None:
    page = opened("lead", "/p/moons/items/")
    press(page, "Control+k")
    page.keyboard.type("data")
    found = page.locator("#jump-found a")
    expect(page.locator("#jump-found[data-q=data]")).to_be_visible()
    press(page, "ArrowDown", "ArrowDown")
    expect(found.nth(1)).to_be_focused()
    press(page, "ArrowUp", "ArrowUp")
    expect(page.locator("#jump-q")).to_be_focused()
    press(page, "Escape")
    expect(page.locator("#jump")).to_be_hidden()


def test_on_the_work_page_it_takes_no_key_from_whoever_types(opened: Callable[..., Page]) -> None:
    page = opened("annotator", "/p/moons/work/")
    if page.locator("#ready button").is_visible():
        page.click("#ready button")
    expect(page.locator("#annotation")).to_be_visible()
    page.locator("#annotation textarea").first.focus()
    press(page, "Control+k")
    expect(page.locator("#jump")).to_be_hidden()
    press(page, "Escape", "Control+k")
    expect(page.locator("#jump-q")).to_be_focused()
    decided = page.locator("[data-unanswered]").count()
    page.keyboard.type("ks1?")
    press(page, "Control+Enter")
    expect(page.locator("#jump")).to_be_visible()
    assert page.locator("[data-unanswered]").count() == decided
    assert page.locator("#keys").is_hidden()


def test_in_chinese_it_finds_chinese_and_english_titles(opened: Callable[..., Page]) -> None:
    page = opened("lead", "/p/moons/items/", locale="zh-CN")
    press(page, "Control+k")
    for text in ("发布", "release"):
        page.locator("#jump-q").fill(text)
        expect(page.locator('#jump-found a[href="/p/moons/releases/"]')).to_be_visible()


def test_without_scripts_the_link_leads_to_a_page(opened: Callable[..., Page]) -> None:
    page = opened("lead", "/p/moons/items/", java_script_enabled=False)
    page.click("#jump-link")
    page.fill("#jump-q", "webhooks")
    press(page, "Enter")
    page.click('#jump-found a[href="/p/moons/webhooks/"]')
    expect(page.locator("#trail")).to_contain_text("Webhooks")
