"""A bulk action with nothing ticked, in Chromium: its buttons read as unavailable, and the page is not left."""

import pytest
from playwright.sync_api import expect

from tests.support.chromium import OpenPage
from tests.support.installation import Installation

pytestmark = pytest.mark.browser
MADE = """
from tests.support.people import make_item
project = Project.objects.create(slug="ticked", name="Ticked", kind_slug="feedback")
person = User.objects.create_user("ticked", password="long enough for a test")
Member.objects.create(project=project, user=person, role="lead")
for number in range(2):
    make_item(project, key=f"t-{number}")
"""


def test_nothing_ticked_is_said_where_the_boxes_are(desk_installation: Installation, browser_page: OpenPage) -> None:
    desk_installation.python(MADE)
    page = browser_page(desk_installation, user="ticked", reduced_motion="reduce")
    page.goto("/p/ticked/items/")
    expect(page.locator("#bulk-nothing")).to_be_hidden()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator("#filter-state")).to_be_hidden()
    page.locator("#filters-fold").press("Space")
    expect(page.locator("#filter-state")).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator("#filters details summary").click()
    expect(page.locator("#bulk button[value=drop]")).to_be_disabled()
    expect(page.locator("#bulk-picked")).to_have_text("Tick items to use the buttons, or:")
    page.locator("#bulk button[value=drop]").press("Enter")
    expect(page.locator("#bulk-nothing")).to_be_focused()
    expect(page.locator("#filters details")).to_have_attribute("open", "")
    assert page.url.endswith("/p/ticked/items/")
    page.locator("[name=item]").first.check()
    expect(page.locator("#bulk-nothing")).to_be_hidden()
    page.locator("#bulk button[value=drop]").click()
    expect(page.locator("h1")).to_contain_text("1 item")
