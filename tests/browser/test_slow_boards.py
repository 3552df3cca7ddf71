"""A board whose figures a worker computes, in Chromium: progress, stop, and the figures once they are ready."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import complaints
from tests.support.chromium import OpenPage
from tests.support.installation import Installation

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SET_UP = """
from django.core.cache import caches
from judging import patience
from tests.support.judged import CORRECTION, a_judge, answer_of, decided_item, verdict_on
from tests.support.people import make_project
project = make_project(slug="slow")
Member.objects.create(project=project, user=User.objects.get(username="lena"), role="lead")
verdict_on(answer_of(decided_item(project, CORRECTION), "Alpha"), a_judge(project), (1, 0))
keys = [f"item-of-many-{number}" for number in range(patience.SMALL)]
Item.objects.bulk_create(Item(project=project, key=key, title=key, facts={}, content_hash=key) for key in keys)
caches["default"].set("judging:seconds:scores", (60.0, 2000), None)  # as if it had taken a minute last time
"""


@pytest.fixture
def lena(desk_installation: Installation, browser_page: OpenPage) -> Page:
    page = browser_page(desk_installation, user="lena", reduced_motion="reduce")
    desk_installation.python(SET_UP)
    return page


def test_a_slow_board_is_stopped_begun_again_and_shown_when_it_is_ready(
    lena: Page, desk_installation: Installation
) -> None:
    lena.goto("/p/slow/leaderboard/")
    status = lena.locator("#computing-head")
    expect(status).to_have_text("A worker is computing these figures")
    expect(lena.get_by_text("No worker is running.")).to_be_visible()
    assert complaints(lena) == []
    lena.get_by_role("button", name="Stop").click()
    expect(status).to_have_text("The computation was stopped")
    lena.get_by_role("button", name="Compute").click()
    expect(status).to_have_text("A worker is computing these figures")
    desk_installation.manage("reconcile")
    expect(lena.locator("#standings").get_by_text("Alpha").first).to_be_visible(timeout=30_000)
    expect(lena.locator("#computing")).to_have_count(0)
