"""Pages on a phone, in Chromium: what stays on the screen, on one line, and compact."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.browser.test_accessibility import SIDEWAYS
from tests.support.chromium import OpenPage
from tests.support.installation import Installation
from tests.support.installations import Installations

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WIDTH, HEIGHT = 390, 844
NAME = "Feedback, the first part"
IN_ONE_PIECE = "/".join(["does-a-wrong-unit-count-as-a-factual-error"] * 4)
BEGIN = """
from django.db import transaction
from django.utils import timezone
from annotate.audit.trail import record
from tests.support.reviews import make_case
Project.objects.all().delete()
User.objects.all().delete()
case = make_case()
Project.objects.filter(pk=case.project.pk).update(name=name)
for key in ("k-1", "k-2"):
    case.written(case.item(key))
Precedent.objects.create(
    project=case.project, item=Item.objects.get(key="k-1"), field="feedback", question=question,
    asked_by=case.annotator, ruling="It does.", ruled_by=case.lead, ruled_at=timezone.now(),
)
for version in (1, 2):
    Release.objects.create(
        project=case.project, version=version, state="done", rows=4000, filters={"state": "accepted"},
        note="After the second round." if version == 2 else "", created_by=case.lead,
    )
with transaction.atomic():
    old, new = {"name": "old", "licence": ""}, {"name": "new", "licence": "CC0"}
    record("project.changed", case.project, before=old, after=new)
User.objects.create_user("root", is_staff=True)
for number in range(2):
    Endpoint.objects.create(name=f"model-{number}", base_url="http://127.0.0.1:9/v1", model=f"a-long-name-{number}")
result = case.open_slot(Item.objects.get(key="k-1"), "review").pk
"""


@pytest.fixture(scope="module")
def installation(installations: Installations) -> Iterator[Installation]:
    with installations.serving("sqlite") as installation:
        installation.python(BEGIN, name=NAME, question=IN_ONE_PIECE)
        yield installation


@pytest.fixture
def phone(installation: Installation, browser_page: OpenPage) -> Callable[[str, str], Page]:
    def opened(user: str, path: str) -> Page:
        page = browser_page(
            installation, user=user, width=WIDTH, height=HEIGHT, is_mobile=True, has_touch=True, reduced_motion="reduce"
        )
        page.goto(path)
        return page

    return opened


def box(part: Locator) -> FloatRect:
    rectangle = part.bounding_box()
    assert rectangle is not None
    return rectangle


def middle(part: Locator) -> float:
    return box(part)["y"] + box(part)["height"] / 2


def heights(rows: Locator) -> list[float]:
    return [box(row)["height"] for row in rows.all()]


def test_the_buttons_of_a_review_stay_on_the_screen_below_a_long_precedent(phone: Callable[[str, str], Page]) -> None:
    page = phone("reviewer", "/p/fb/review/")
    page.get_by_role("link", name="k-1").click()
    page.get_by_role("button", name="Review this item").click()
    expect(page.locator("#annotation")).to_be_attached()
    title = page.locator(".fold > summary > .clip", has_text=IN_ONE_PIECE[:40]).first
    expect(title).to_be_visible()
    assert page.evaluate(SIDEWAYS) == 0
    for name in ("Accept", "Return", "Drop"):
        button = box(page.locator(".action-bar .button:visible", has_text=name).first)
        assert button["x"] >= 0
        assert button["x"] + button["width"] <= WIDTH
        assert button["y"] + button["height"] <= HEIGHT
    arrow = title.locator("xpath=preceding-sibling::*[contains(@class, 'icon--turn')]")
    assert box(title)["y"] <= middle(arrow) <= box(title)["y"] + box(title)["height"]
    assert box(page.locator(".crumbs__here"))["width"] <= 1  # the bar says the same number
    assert page.locator(".crumbs__sep:visible").count() == 0


def test_the_name_of_a_project_has_two_lines(phone: Callable[[str, str], Page]) -> None:
    name = phone("lead", "/p/fb/").locator(".project-name > summary > .clip")
    assert name.evaluate("part => part.scrollWidth <= part.clientWidth")
    assert name.evaluate("part => part.scrollHeight <= part.clientHeight + 5")


def test_the_search_of_items_has_one_button_that_says_filter(phone: Callable[[str, str], Page]) -> None:
    page = phone("lead", "/p/fb/items/")
    button, search = page.locator(".filters > button[type=submit]:visible"), page.locator(".filters__search input")
    assert box(button)["width"] <= 60
    assert abs(middle(button) - middle(search)) <= 4


@pytest.mark.parametrize(
    ("user", "path", "rows", "height"),
    [
        ("lead", "/p/fb/releases/", "#releases tbody tr", 125),
        ("lead", "/p/fb/audit/", "#trail tbody tr", 110),
        ("root", "/endpoints/", "#endpoints tbody tr", 125),
    ],
)
def test_rows_are_compact(phone: Callable[[str, str], Page], user: str, path: str, rows: str, height: int) -> None:
    page = phone(user, path)
    assert page.locator(rows).count() > 0
    assert max(heights(page.locator(rows))) <= height
    assert page.evaluate(SIDEWAYS) == 0
    assert page.locator(rows).first.evaluate("row => row.scrollWidth <= row.parentElement.clientWidth")
