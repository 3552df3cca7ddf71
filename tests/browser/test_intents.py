"""Use cases and intents in Chromium: the desk by keyboard, the page of means, axe in four appearances.

The world of the access matrix has no project of use cases, so that these pages stand here and not in its list.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import UNFOLD, complaints
from tests.support.chromium import OpenPage
from tests.support.installation import Installation

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SET_UP = """
from tests.support.people import make_item
from tests.support.use_cases import FACTS, decided_case, intent_judge, scored, use_case_project
project = use_case_project(slug="cases", reviews=0)
lena = User.objects.filter(username="lena").first() or User.objects.create_user("lena")
Member.objects.create(project=project, user=lena, role="lead")
judge = intent_judge(project)
for number in range(12):
    item = decided_case(project, ("Factual_QA", "Leisure", "API")[number % 3], ("EN", "CN")[number % 2])
    for place, author in enumerate(("one", "two", "three", "an-author-with-a-long-name-0725-preview")):
        score = 9.0 - place - number % 2
        scored(item, author, judge, score, factuality=score, user_satisfaction=10 - score)
make_item(project, facts=FACTS)
User.objects.get_or_create(username="lead")
from annotate.engine.addresses import announced
from lib.simulated.server import serving
from judging.demo import demo_cases
with serving(latency=0.0) as model, announced(model.base_url):
    demo_cases.seed({"lena": "lead"})
result = 1
"""
APPEARANCES = [(theme, width) for theme in ("light", "dark") for width in (1280, 390)]


@pytest.fixture
def cases(desk_installation: Installation) -> Installation:
    if not desk_installation.python('result = Project.objects.filter(slug="cases").exists()'):
        desk_installation.python(SET_UP)
    return desk_installation


@pytest.mark.parametrize(("theme", "width"), APPEARANCES)
def test_the_page_of_means_has_no_complaint(
    cases: Installation, browser_page: OpenPage, theme: str, width: int
) -> None:
    page = browser_page(cases, user="lena", theme=theme, width=width, reduced_motion="reduce")
    page.goto("/p/cases/intents/?satisfied-Leisure=4&satisfied-API=3&satisfied-Factual_QA=3.5")
    expect(page.get_by_role("heading", level=1)).to_have_text("Intents")
    assert complaints(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


REPORTS = ("rating-bias/", "judge-settings/", "arithmetic/?length=12", "reported/", "intents/")


@pytest.mark.parametrize("path", REPORTS)
def test_the_reports_of_use_cases_have_no_complaint_in_any_appearance(
    cases: Installation, browser_page: OpenPage, path: str
) -> None:
    page = browser_page(cases, user="lena", reduced_motion="reduce")
    page.goto(f"/p/demo-cases/{path}")
    expect(page.locator("main table").first).to_be_attached()
    assert complaints(page) == []


@pytest.mark.parametrize(("theme", "width"), APPEARANCES)
def test_the_desk_of_a_case_has_no_complaint(
    cases: Installation, browser_page: OpenPage, theme: str, width: int
) -> None:
    page = browser_page(cases, user="lena", theme=theme, width=width, reduced_motion="reduce")
    _opened(page)
    page.evaluate(UNFOLD)
    assert complaints(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_case_that_is_dropped_asks_for_its_reason_and_nothing_else(
    cases: Installation, browser_page: OpenPage
) -> None:
    page = browser_page(cases, user="lena", reduced_motion="reduce")
    _opened(page)
    reason = page.get_by_role("textbox", name="Reason", exact=True)
    expect(reason).to_be_hidden()
    page.get_by_role("radio", name="No, drop it").check()
    expect(reason).to_be_visible()
    expect(page.locator("#field-harmless")).to_be_hidden()


def _opened(page: Page) -> None:
    """The only open case, taken or taken up again."""
    page.goto("/p/cases/work/")
    if page.locator("#ready button").count():
        page.locator("#ready button").first.click()
    expect(page.locator("#annotation")).to_be_visible()
    page.wait_for_load_state()
