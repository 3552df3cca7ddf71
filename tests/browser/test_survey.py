"""The survey on a phone, in both languages: filled in, sent, withdrawn; and a check question that was not read."""

from collections.abc import Iterator
from itertools import count

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import complaints as faults_on
from tests.support.chromium import OpenPage
from tests.support.installation import Installation
from tests.support.installations import Installations

pytestmark = [pytest.mark.browser, pytest.mark.slow]
_numbers = count(1)
LOCALES = ["en-GB", "zh-CN"]
SIDEWAYS = "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
SURVEY = """
from tests.support.surveys import open_survey
from tests.support.use_cases import use_case_project

open_survey(use_case_project(slug=slug, name="Moons", reviews=0), least=2, most=3)
"""
ITEMS = """
result = [Item.objects.filter(project__slug=slug, state=state).count() for state in ("ready", "dropped")]
"""
SEARCH = """
from annotate.upkeep import reconciliation
from tests.support.withdrawn import let_settle, search

reconciliation.reconcile()
let_settle()
reconciliation.reconcile()
result = search("quokkaward")
"""


@pytest.fixture(scope="module")
def phones(installations: Installations) -> Iterator[Installation]:
    with installations.serving("sqlite") as installation:
        yield installation


class Phone:
    """Somebody at 390 px; no page lies beside the screen."""

    def __init__(self, page: Page, installation: Installation) -> None:
        self.page, self.installation = page, installation
        self.slug = f"moons-{next(_numbers)}"
        installation.python(SURVEY, slug=self.slug)
        page.goto(f"/survey/{self.slug}/")
        self.fits()

    def fits(self) -> None:
        """Nothing lies beside the screen."""
        assert self.page.evaluate(SIDEWAYS) <= 0

    def press(self, form: str) -> None:
        with self.page.expect_navigation():
            self.page.locator(f"{form} button[type=submit]").click()
        self.fits()

    def begin(self) -> None:
        """Whoever is too quick reads why, and presses again."""
        while self.page.locator("#consent-form").count():
            self.page.locator("[name=consent]").check()
            self.press("#consent-form")

    def report(self, number: int, text: str) -> None:
        self.page.goto(f"{self.own}cases/0/")
        self.page.locator("[name=service]").fill("Sorbot")
        self.page.locator("[name=conversation]").fill(f"User: {text} {number}?\nAssistant: quokkaward.")
        self.page.locator("[name=intent]").select_option("Leisure")
        self.page.locator("[name=difficulty][value='3']").check()
        self.page.locator("[name=satisfaction][value='4']").check()
        self.press("#case-form")

    def answer(self, anchor: str) -> None:
        self.page.goto(f"{self.own}answers/")
        self.page.locator("[name=frequency]").select_option("daily")
        self.page.locator(f"[name=anchor][value='{anchor}']").check()
        self.press("#answers-form")

    def fill_in(self, *, anchor: str = "2") -> None:
        self.begin()
        self.own = self.page.url
        for number in (1, 2):
            self.report(number, "Quo quokkaward")
        self.answer(anchor)
        self.page.goto(f"{self.own}send/")
        self.press("#send-form")


@pytest.fixture(params=LOCALES)
def phone(request: pytest.FixtureRequest, phones: Installation, browser_page: OpenPage) -> Phone:
    page = browser_page(phones, locale=request.param, width=390, height=844)
    return Phone(page, phones)


def items(phone: Phone) -> list[int]:
    return list(phone.installation.python(ITEMS, slug=phone.slug))


def test_it_is_filled_in_sent_and_taken_back(phone: Phone) -> None:
    phone.fill_in()
    assert items(phone) == [2, 0]
    assert phone.page.locator("#cases details[id^=case-]").count() == 2
    with phone.page.expect_navigation():
        phone.page.locator(f"a[href$='{phone.own.split(phone.slug)[1]}withdraw/']").click()
    phone.fits()
    phone.press("#main form[action$='/withdraw/']")
    expect(phone.page.locator("#main [role=status]")).to_be_visible()
    assert items(phone) == [0, 2]
    assert phone.installation.python(SEARCH) == []
    phone.page.reload()
    expect(phone.page.locator("#cases")).to_have_count(0)


def test_whoever_does_not_read_the_check_question_is_set_aside(phone: Phone) -> None:
    phone.fill_in(anchor="1")
    assert items(phone) == [0, 0]
    stored = phone.installation.python(
        "result = Participant.objects.get(survey__project__slug=slug).state", slug=phone.slug
    )
    assert stored == "aside"


def test_every_page_is_for_everybody(phones: Installation, browser_page: OpenPage) -> None:
    page = browser_page(phones, locale="en-GB", width=390, height=844, reduced_motion="reduce")
    one = Phone(page, phones)
    assert faults_on(page) == []
    one.begin()
    one.own = page.url
    one.report(1, "Mail jane.roe@mail-server.org, quokkaward")
    one.report(2, "Quo")
    for end in ("", "cases/0/", "cases/1/", "answers/", "send/", "withdraw/"):
        page.goto(one.own + end)
        assert faults_on(page) == [], end
    one.answer("2")
    page.goto(f"{one.own}send/")
    expect(page.locator("#personal-data")).to_contain_text("j•••@mail-server.org")
    assert faults_on(page) == []


def test_the_leads_pages_are_for_everybody(phones: Installation, browser_page: OpenPage) -> None:
    lead = """
from tests.support.people import make_member
result = make_member(Project.objects.get(slug=slug), "lead").user.username
"""
    one = Phone(browser_page(phones, width=390, height=844), phones)
    one.fill_in()
    page = browser_page(phones, user=phones.python(lead, slug=one.slug), reduced_motion="reduce")
    for end in ("survey/", "survey/preview/", "import/"):
        page.goto(f"/p/{one.slug}/{end}")
        assert faults_on(page) == [], end
