"""Settings in Chromium: effects while somebody types, tables by keys, and the whole way without scripts."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.chromium import OpenPage
from tests.support.installation import Installation

pytestmark = pytest.mark.browser

PROJECT = """
from tests.support.people import make_item
project = Project.objects.create(slug="rules", name="Rules", kind_slug="feedback")
for role in ("lead", "annotator"):
    person = User.objects.create_user("rules-" + role, password="long enough for a test")
    Member.objects.create(project=project, user=person, role=role)
make_item(project)
"""


@pytest.fixture(scope="module")
def rules(desk_installation: Installation) -> Installation:
    desk_installation.python(PROJECT)
    return desk_installation


@pytest.fixture
def opened(rules: Installation, browser_page: OpenPage) -> Callable[..., Page]:
    def page_of(address: str, **options: Any) -> Page:
        page = browser_page(rules, user="rules-lead", **options)
        page.goto(address)
        return page

    return page_of


def test_effects_are_counted_while_somebody_types(opened: Callable[..., Page]) -> None:
    page = opened("/p/rules/settings/")
    page.select_option("#id_reviews", "2")
    expect(page.locator("#effects")).to_contain_text("1 item to be written: two independent reviews")
    page.locator("button[name=add_row][value=option-tasks]").press("Enter")
    expect(page.locator("#id_option-tasks-key-8")).to_be_focused()
    page.keyboard.type("Writing")
    page.locator("button[name=remove_row][value='option-tasks:0']").press("Enter")
    expect(page.locator("#id_option-tasks-key-7")).to_have_value("Writing")
    expect(page.locator("#effects")).to_contain_text("Tasks: models use it from the next run on.")
    page.locator("#id_licence").press("Enter")  # saves, and removes no row
    expect(page.locator("#messages")).to_contain_text("Settings saved.")
    expect(page.locator("#id_option-tasks-key-0")).to_have_value("Reasoning")
    page.goto("/p/rules/guidelines/edit/")
    page.locator("#id_text").press_sequentially("Be **brief**.")
    expect(page.locator("#preview strong")).to_have_text("brief")


def test_everything_works_without_scripts(opened: Callable[..., Page]) -> None:
    page = opened("/p/rules/readiness/settings/", java_script_enabled=False)
    page.fill("#id_calibration_each", "2")
    page.click("button[name=preview]")
    expect(page.locator("#effects")).to_contain_text("1 person will be paused until they pass the calibration:")
    page.goto("/p/rules/settings/")
    page.click("button[name=add_row][value=option-temperatures]")
    page.fill("#id_option-temperatures-key-3", "Coding")
    page.fill("#id_option-temperatures-number-3", "0.2")
    page.click("#settings-form .button--primary")
    expect(page.locator("#id_option-temperatures-key-3")).to_have_value("Coding")
