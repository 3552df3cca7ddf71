"""A bulk action with nothing ticked, in Chromium: the page is not left."""

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
    page.locator("#filters details summary").click()
    page.locator("#bulk button[value=drop]").click()
    expect(page.locator("#bulk-nothing")).to_be_focused()
    expect(page.locator("#filters details")).to_have_attribute("open", "")
    assert page.url.endswith("/p/ticked/items/")
    page.locator("[name=item]").first.check()
    page.locator("#bulk button[value=drop]").click()
    expect(page.locator("h1")).to_contain_text("1 item")
