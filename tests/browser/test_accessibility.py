"""axe on every page, light and dark, wide and narrow; and the policy of every page, which nothing of ours breaks."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.pages import Place, filled, places
from tests.browser.visit import Visit
from tests.security.world import World
from tests.support.chromium import OpenPage, browser_pages
from tests.support.installation import Installation
from tests.support.installations import Installations

pytestmark = [pytest.mark.browser, pytest.mark.slow]

AXE = Axe().axe_script
RUN = "rules => axe.run(rules).then(results => results.violations)"
WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
# Everything is looked at twice; these rules depend on colours and sizes and are asked in all four appearances.
EVERYTHING: dict[str, Any] = {"resultTypes": ["violations"]}
APPEARANCE = EVERYTHING | {
    "runOnly": ["color-contrast", "target-size", "scrollable-region-focusable", "link-in-text-block"]
}
LOOKS = [
    ("light", WIDE, EVERYTHING),
    ("dark", WIDE, APPEARANCE),
    ("dark", NARROW, EVERYTHING),
    ("light", NARROW, APPEARANCE),
]
UNFOLD = "document.querySelectorAll('main details:not(.menu)').forEach(fold => { fold.open = true })"
SIDEWAYS = "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"

# More comments, events, texts, slots and skips than one page of each list shows, on the item of an open review.
LONG_LISTS = """
from django.utils import timezone
item = Slot.objects.get(pk=review).item
lead = User.objects.get(username="lead")
result = item.pk
Comment.objects.bulk_create(Comment(item=item, author=lead, text="Why?", field="feedback", round=1) for _ in range(60))
Event.objects.bulk_create(
    Event(item=item, project=item.project, actor=lead, verb="requeued", round=1) for _ in range(60)
)
people = User.objects.bulk_create(User(username=f"person-{number}") for number in range(60))
Skip.objects.bulk_create(Skip(item=item, person=person, reason="unclear") for person in people)
slots = Slot.objects.bulk_create(
    Slot(project=item.project, item=item, stage="annotate", round=1, no=10 + number, state="submitted", holder=person)
    for number, person in enumerate(people)
)
draft = Annotation.objects.filter(item=item).latest("pk").draft
Annotation.objects.bulk_create(
    Annotation(
        item=item, slot=slot, author=slot.holder, draft=draft, outcome="annotated", submitted_at=timezone.now()
    )
    for slot in slots
)
"""
SAMPLE = "Sample.objects.create(project=Project.objects.get(slug='ours'), tolerated='0.05', risk='0.05')"


@pytest.fixture(scope="module")
def installation(installations: Installations) -> Iterator[Installation]:
    with installations.serving("sqlite") as installation:
        yield installation


@pytest.fixture(scope="module")
def world(installation: Installation) -> World:
    return filled(installation)


@pytest.fixture(scope="module")
def window(installation: Installation, browser: Browser) -> Iterator[Callable[[str], Visit]]:
    """Gives the window of a person, one for the whole file, as at first: wide and light."""
    with browser_pages(browser) as open_page:

        @cache
        def opened(user: str) -> Visit:
            return Visit(open_page(installation, user=user, reduced_motion="reduce"), installation.url)

        def window(user: str) -> Visit:
            visit = opened(user)
            visit.heard.clear()
            visit.page.set_viewport_size(WIDE)  # type: ignore[arg-type]
            visit.page.emulate_media(color_scheme="light", reduced_motion="reduce")
            return visit

        yield window


def complaints(page: Page) -> list[str]:
    """What axe finds, in each appearance; and whether a narrow page scrolls sideways."""
    found = []
    page.evaluate(AXE)
    for theme, size, rules in LOOKS:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        # A colour that is still fading into the other theme would be measured half-way.
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
        found += [f"{theme} {size['width']}: {fault}" for fault in _faults(page, rules)]
        if page.evaluate(SIDEWAYS) > 0:
            found.append(f"{theme} {size['width']}: scrolls sideways")
    return found


def _faults(page: Page, rules: dict[str, Any]) -> list[str]:
    violations = page.evaluate(RUN, rules)
    return [
        f"{fault['id']} ({fault['impact']}) {node['target']} {node['html'][:120]}"
        for fault in violations
        for node in fault["nodes"][:3]
    ]


@pytest.mark.parametrize("place", list(places()), ids=str)
def test_a_page_is_for_everybody_and_obeys_its_policy(
    installation: Installation, world: World, window: Callable[[str], Visit], place: Place
) -> None:
    visit = window("" if place.role == "anonymous" else place.role)
    answer = visit.page.goto(place.path(world))
    assert answer is not None
    assert (answer.status, visit.page.url) == (200, installation.url + place.path(world))
    visit.page.evaluate(UNFOLD)
    assert complaints(visit.page) == []
    assert visit.left() == []


def test_pages_of_an_item_with_long_lists_are_for_everybody(
    installation: Installation, world: World, window: Callable[[str], Visit]
) -> None:
    review = Place("review_item", "reviewer", "open review")
    item = installation.python(LONG_LISTS, review=world.id_of("open review", "reviewer"))
    for role, path, lists in [
        ("lead", f"/p/ours/items/{item}/", ("threads", "history", "texts", "slots", "skips")),
        ("reviewer", review.path(world), ("threads", "history")),
    ]:
        page = window(role).page
        page.goto(path)
        for name in lists:
            expect(page.locator(f"#{name}-pages")).to_be_visible()
        assert complaints(page) == []


def test_samples_of_one_size_are_for_everybody(
    installation: Installation, world: World, window: Callable[[str], Visit]
) -> None:
    for _twin in range(2):
        installation.python(f"{SAMPLE}\nresult = None")
    page = window("lead").page
    page.goto("/p/ours/samples/")
    assert page.locator("[id^=sample-][id$=-head]").count() >= 2
    assert complaints(page) == []


@pytest.mark.parametrize(
    ("role", "path", "status"),
    [
        ("", "/nowhere/", 404),
        ("lead", "/nowhere/", 404),
        ("annotator", "/p/ours/items/", 403),
        ("annotator", "/invite/nothing/", 404),
        ("annotator", "/p/ours/review/", 403),
    ],
)
def test_a_page_that_refuses_is_for_everybody(
    world: World, window: Callable[[str], Visit], role: str, path: str, status: int
) -> None:
    page = window(role).page
    answer = page.goto(path)
    assert answer is not None
    assert answer.status == status
    assert complaints(page) == []


def test_the_page_behind_the_link_that_stops_mails_is_for_everybody(
    installation: Installation, world: World, browser_page: OpenPage
) -> None:
    code = "from annotate.notices.mails import stop_token\nresult = stop_token(User.objects.get(username='viewer'))"
    page = browser_page(installation, user="", reduced_motion="reduce")
    answer = page.goto(f"/mails/stop/{installation.python(code)}/")
    assert answer is not None
    assert answer.status == 200
    assert complaints(page) == []


def test_the_second_step_is_for_everybody(installation: Installation, world: World, browser_page: OpenPage) -> None:
    page = browser_page(installation, user="viewer", reduced_motion="reduce")
    page.goto("/accounts/2fa/totp/activate/")
    page.get_by_label("Password").fill("long enough for a test")
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url("**/totp/activate/")
    assert complaints(page) == []


@pytest.mark.parametrize(
    ("place", "key", "opened"),
    [
        (Place("work_item", "annotator"), "?", "#keys"),
        (Place("work_item", "annotator"), "s", "details[data-skip]"),
        (Place("review_item", "reviewer"), "s", "details[data-skip]"),
        (Place("review_item", "reviewer"), "r", "#return"),
        (Place("review_item", "reviewer"), "d", "#drop"),
        (Place("review_item", "reviewer"), "e", "#fix"),
    ],
    ids=lambda part: str(part),
)
def test_what_a_key_opens_is_for_everybody(
    installation: Installation, world: World, browser_page: OpenPage, place: Place, key: str, opened: str
) -> None:
    page = browser_page(installation, user=place.role, reduced_motion="reduce")
    page.goto(place.path(world))
    page.locator("h1").first.click()
    page.keyboard.press(key)
    expect(page.locator(opened)).to_have_attribute("open", "")
    assert complaints(page) == []


@pytest.mark.parametrize(
    ("role", "path", "form"),
    [
        ("staff", "/projects/new/", "main form"),
        ("staff", "/endpoints/new/", "#endpoint-form"),
        ("lead", "/p/ours/import/", "#upload-form"),
        ("lead", "/p/ours/people/", "form[action$='/invite/']"),
        ("lead", "/p/ours/settings/", "main form"),
        ("lead", "/preferences/", "main form"),
        ("", "/accounts/login/", "main form"),
    ],
)
def test_a_refused_form_is_for_everybody(
    installation: Installation, world: World, browser_page: OpenPage, role: str, path: str, form: str
) -> None:
    page = browser_page(installation, user=role, reduced_motion="reduce")
    page.goto(path)
    filled_in = page.locator(form).first
    for box in filled_in.locator(":is(input[type=text], input[type=email], textarea):visible").all():
        box.fill("not this {")
    for box in filled_in.locator("input[type=number]").all():
        box.fill("-7")
    filled_in.locator("button[type=submit]:not([name=preview])").last.click()
    expect(page.locator("[aria-invalid=true]").first).to_be_visible()
    assert complaints(page) == []
