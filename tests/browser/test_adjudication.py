"""An adjudicator at the desk, in Chromium, by keys alone."""

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.support.chromium import OpenPage
from tests.support.connections import expect_to_stay, refused
from tests.support.installation import Installation
from tests.support.installations import Installations

pytestmark = [pytest.mark.browser, pytest.mark.slow]

BEGIN = """
from django.utils import timezone
from annotate.items import queue
from annotate.review import claim, decisions
from tests.support.reviews import Case, make_case

Project.objects.all().delete()
User.objects.all().delete()
case = make_case(reviews=2)
Member.objects.filter(user=case.viewer).update(role="reviewer")
for key in ("k-1", "k-2"):
    item = case.item(key)
    case.written(item)
    for person, changes in (
        (case.reviewer, {"feedback": "Shorter, please.", "error_type": ["Factual Error"]}),
        (case.lead, {"feedback": "Both weigh a kilogram."}),
    ):
        slot = claim.take_next(case.member(person))
        review = Annotation.objects.select_related("slot").get(slot=slot)
        Case.fix(review, **changes)
        review.refresh_from_db()
        decisions.fix_and_accept(review=review, token=slot.token, by=person, note=f"{person} says why.")
Slot.objects.filter(stage="adjudicate").update(opens_at=timezone.now())
if language:
    User.objects.filter(pk=case.viewer.pk).update(language=language)
result = Slot.objects.filter(stage="adjudicate").order_by("id").first().pk
"""
DECIDED = """
item = Item.objects.select_related("base").get(key="k-1")
result = {"state": item.state, "feedback": item.base.draft["feedback"], "error_type": item.base.draft["error_type"],
          "note": item.events.last().note}
"""


@pytest.fixture(scope="module")
def served(installations: Installations) -> Iterator[Installation]:
    with installations.serving("sqlite") as installation:
        yield installation


@pytest.fixture
def desk(served: Installation, browser_page: OpenPage) -> Page:
    served.python(BEGIN, language="")
    return taken_up(browser_page(served, user="viewer"))


def taken_up(page: Page) -> Page:
    page.goto("/p/fb/review/")
    page.locator("a.queue__item", has_text="k-1").click()
    page.locator("#decisions [data-take]").wait_for()
    page.keyboard.press("Enter")
    page.locator("#annotation").wait_for(state="attached")
    return page


def test_each_field_is_adopted_by_its_number_and_the_whole_accepted(desk: Page, served: Installation) -> None:
    expect(desk.locator(".point")).to_have_count(2)
    desk.keyboard.press("a")
    expect(desk.locator("[data-decides=accept]")).to_be_focused()
    desk.locator("#point-error_type").focus()
    desk.keyboard.press("1")
    expect(desk.locator("#point-error_type .state--decided").first).to_be_visible()
    desk.locator("#point-feedback").focus()
    desk.keyboard.press("3")
    expect(desk.locator("#point-feedback .card--chosen")).to_contain_text("Both weigh a kilogram.")
    expect(desk.locator("#box-feedback")).to_have_value("Both weigh a kilogram.")
    expect(desk.locator("#point-feedback")).to_be_focused()
    desk.keyboard.press("a")
    expect(desk.get_by_role("heading", level=1)).to_have_text("k-2")
    assert served.python(DECIDED) == {
        "state": "accepted",
        "feedback": "Both weigh a kilogram.",
        "error_type": ["Logical Error"],
        "note": "",
    }


def test_ones_own_text_is_written_with_a_note(desk: Page, served: Installation) -> None:
    desk.locator("#main").focus()
    desk.keyboard.press("2")
    expect(desk.locator(".card--chosen")).to_have_count(2)
    desk.locator("#point-feedback").focus()
    desk.keyboard.press("e")
    desk.locator("#box-feedback").fill("Neither is heavier.")
    expect(desk.locator("#point-feedback")).to_contain_text("Overridden")
    desk.keyboard.press("Control+Enter")
    expect(desk.get_by_role("alert").first).to_contain_text("override everyone")
    desk.locator("#fix-note").fill("All miss the point.")
    desk.keyboard.press("Control+Enter")
    expect(desk.get_by_role("heading", level=1)).to_have_text("k-2")
    told = served.python(DECIDED)
    assert (told["feedback"], told["note"]) == ("Neither is heavier.", "All miss the point.")


def test_a_refused_connection_leaves_the_desk_and_its_choices(desk: Page, served: Installation) -> None:
    here = desk.url
    desk.locator("#main").focus()
    desk.keyboard.press("2")
    expect(desk.locator(".card--chosen")).to_have_count(2)
    with refused(desk):
        desk.locator("#main").focus()
        desk.keyboard.press("a")
        expect_to_stay(desk, here)
    expect(desk.locator(".card--chosen")).to_have_count(2)
    desk.keyboard.press("a")
    expect(desk.get_by_role("heading", level=1)).to_have_text("k-2")
    assert served.python(DECIDED)["state"] == "accepted"


@pytest.mark.parametrize(
    ("language", "scheme", "width"), [("", "light", 1440), ("", "dark", 390), ("zh-hans", "dark", 1440)]
)
def test_the_desk_is_for_everybody(
    served: Installation, browser_page: OpenPage, language: str, scheme: str, width: int
) -> None:
    served.python(BEGIN, language=language)
    page = browser_page(served, user="viewer", theme=scheme, width=width, reduced_motion="reduce")
    taken_up(page)
    page.locator("#point-feedback button[data-take]").first.click()
    page.locator(".card--chosen").wait_for()
    found = Axe().run(page).response["violations"]
    assert [one["id"] for one in found] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
