"""The calibration in Chromium by keyboard alone: not passed, again, passed, into the queue; English and Chinese."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import complaints as faults_on
from tests.support.canals import DRAFT, FACTS
from tests.support.chromium import OpenPage
from tests.support.installation import Installation
from tests.support.keyboard import Keyboard

pytestmark = pytest.mark.browser
_numbers = count(1)

PROJECT = """
from tests.support.checks import asking, check
from tests.support.people import make_item

project = asking(project={"slug": slug, "name": "Canals", "kind_slug": "perturbation", "reviews": 0},
                 calibration_each=1, passes_at="1", check_share="0.5", window=1, floor="0.9")
for user, role in ((worker, "annotator"), (worker + "-lead", "lead")):
    person = User.objects.create_user(user, password="long enough for a test", language=language)
    Member.objects.create(project=project, user=person, role=role)

def shown(number):
    return facts | {"prompt": f"{number}: {facts['prompt']}", "cdx": f"factual-{number}_number-errors"}

for number, group in enumerate(["Numbers", "Numbers", "Spelling"]):
    item = check(project, key=f"{slug}-c{number}", title=f"Calibration {number}", facts=shown(number), group=group,
                 suggestion=draft, expected=draft | {"verdict": "valid"})
    Comment.objects.create(item=item, field="verdict", author=person, text="82 became 28: that is what was asked for.")
for number in range(2):
    make_item(project, key=f"{slug}-{number}", facts=shown(10 + number), suggestion=draft)
"""


@pytest.fixture
def walk(desk_installation: Installation, browser_page: OpenPage) -> Callable[..., Keyboard]:
    def made(language: str = "en", role: str = "", **look: Any) -> Keyboard:
        slug = worker = f"calibration-{next(_numbers)}"
        draft = DRAFT | {"verdict": None}
        desk_installation.python(PROJECT, slug=slug, worker=worker, language=language, facts=FACTS, draft=draft)
        one = Keyboard(browser_page(desk_installation, user=worker + role, reduced_motion="reduce", **look))
        one.page.goto(f"/p/{slug}/work/")
        return one

    return made


def judge(one: Keyboard, verdict: str) -> None:
    """From the item in hand to what was expected of it."""
    expect(one.page.locator("#annotation")).to_be_visible()
    one.page.wait_for_load_state()
    one.press(verdict)
    one.submit()


def test_somebody_passes_at_the_second_attempt_without_the_mouse(walk: Callable[..., Keyboard]) -> None:
    ada = walk()
    expect(ada.page.locator("#standing")).to_contain_text("The queue opens when 100 % of the fields are as expected.")
    ada.enter("#standing button")
    expect(ada.page).to_have_title("Item 1 of 2 · Canals · Touchstone")
    expect(ada.page.locator("#main")).to_contain_text("Calibration: after you submit, you see what was expected")
    judge(ada, "2")
    verdict = ada.page.locator("#expected-verdict")
    expect(verdict).to_contain_text("Different from the expected answer")
    expect(verdict).to_contain_text("82 became 28: that is what was asked for.")
    assert faults_on(ada.page) == []
    ada.enter("#standing button")
    judge(ada, "1")
    expect(ada.page.locator("#expected-verdict")).to_contain_text("As expected")
    expect(ada.page.locator("#standing")).to_contain_text("Not passed yet")
    ada.enter("#standing form[action$='/again/'] button")
    expect(ada.page.locator("#standing")).to_contain_text("This is attempt 2.")
    for _turn in range(2):
        ada.enter("#standing button")
        judge(ada, "1")
    expect(ada.page.locator("#standing")).to_contain_text("You can start working.")
    ada.enter("#standing button")
    expect(ada.page).to_have_title("Item 1 of 2 · Canals · Touchstone")
    expect(ada.page.locator("#main")).not_to_contain_text("Calibration")


def test_a_lead_reads_how_it_went_and_lets_in_without_the_mouse(
    walk: Callable[..., Keyboard], browser_page: OpenPage, desk_installation: Installation
) -> None:
    ada = walk()
    ada.enter("#standing button")
    judge(ada, "2")
    slug = ada.page.url.split("/p/")[1].split("/")[0]
    lena = Keyboard(browser_page(desk_installation, user=f"{slug}-lead", reduced_motion="reduce"))
    lena.page.goto(f"/p/{slug}/readiness/")
    expect(lena.page.locator("#ready-people")).to_contain_text("1 of 2")
    assert faults_on(lena.page) == []
    lena.enter("#ready-people .row-link")
    expect(lena.page.locator("#calibrations-head + details")).to_contain_text("Different from the expected answer")
    assert faults_on(lena.page) == []
    lena.enter("#decide button[value=let_in]")
    expect(lena.page.locator("#ready-people")).to_contain_text("Passed")
    ada.page.goto(f"/p/{slug}/work/")
    ada.enter("#ready button")
    expect(ada.page.locator("#annotation")).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_chinese_page_of_feedback_fits_a_phone(walk: Callable[..., Keyboard], theme: str) -> None:
    ada = walk("zh-hans", locale="zh-CN", theme=theme, width=390, height=844)
    expect(ada.page.locator("html")).to_have_attribute("lang", "zh-hans")
    ada.enter("#standing button")
    judge(ada, "2")
    expect(ada.page.locator("#expected-verdict .state--disagree")).to_be_visible()
    assert faults_on(ada.page) == []
    assert wide(ada.page) <= 390


def wide(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth"))
