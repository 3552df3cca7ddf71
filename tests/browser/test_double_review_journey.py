"""Two reviewers of feedback samples, each blind to the other, and a third who decides, by keyboard alone."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.chromium import OpenPage
from tests.support.files import write_rows
from tests.support.installation import Installation
from tests.support.journeys import PASSWORD
from tests.support.keyboard import Keyboard, signed_in
from tests.support.reviews import FACTS, SUGGESTED

pytestmark = [pytest.mark.browser, pytest.mark.slow]
BEGUN = "Rather: "
WHY = "Rita says why it starts otherwise."
OPENED = "from django.utils.timezone import now\nresult = Slot.objects.update(opens_at=now())"
STATES = "result = dict(Item.objects.values_list('key', 'state'))"
ITEM = """
item = Item.objects.get(key=key)
result = {
    "feedback": item.base.draft["feedback"],
    "by": item.base.author.username,
    "verbs": list(item.events.values_list("verb", flat=True).order_by("id")),
    "told": sorted(Notification.objects.filter(item=item).values_list("user__username", "verb")),
}
"""


@pytest.fixture
def installation(sqlite_installation: Installation, tmp_path: Path) -> Installation:
    made = sqlite_installation
    made.manage("create_project", "weights", "--kind", "feedback", "--name", "Weights", "--reviews", "2")
    for name, role in (("anna", "annotator"), ("ravi", "reviewer"), ("rita", "reviewer"), ("ola", "lead")):
        made.manage("add_member", "weights", name, "--role", role, "--password", PASSWORD)
    rows = [
        {"key": key, **FACTS, **SUGGESTED, "user_query": f"{key}: {FACTS['user_query']}"} for key in ("same", "split")
    ]
    made.manage("import_items", "weights", write_rows(tmp_path / "rows.jsonl", rows))
    return made


def write(anna: Keyboard) -> None:
    anna.page.goto("/p/weights/work/")
    anna.enter("#ready button")
    for _item in range(2):
        expect(anna.page.locator("#field-suitable")).to_be_focused()
        anna.press("1", "ArrowDown", "ArrowDown", "Enter")
        expect(anna.page.locator("#box-feedback")).to_be_focused()
        anna.press("Control+End")
        anna.type(" A kilogram is a kilogram.")
        anna.submit()


def take_up(one: Keyboard, key: str) -> None:
    one.page.goto("/p/weights/review/")
    one.enter(f"main a.queue__item:has-text('{key}')")
    with one.page.expect_navigation():
        one.press("Enter")  # nobody has taken it up yet
    expect(one.page.get_by_role("heading", level=1)).to_have_text(key)


def accept(one: Keyboard, key: str) -> None:
    expect(one.page.get_by_role("heading", level=1)).to_have_text(key)
    with one.page.expect_navigation():
        one.press("a")


def fix(rita: Keyboard, key: str) -> None:
    expect(rita.page.get_by_role("heading", level=1)).to_have_text(key)
    while not rita.page.locator("#point-feedback").evaluate("one => one === document.activeElement"):
        rita.press("ArrowDown")
    rita.press("e")
    expect(rita.page.locator("#box-feedback")).to_be_focused()
    rita.press("Control+Home")
    rita.type(BEGUN)
    expect(rita.page.locator("#point-feedback")).to_contain_text(BEGUN.strip())
    rita.tab_to("#fix-note")
    rita.type(WHY)
    rita.submit()
    expect(rita.page.locator("body")).to_contain_text("The other one differs, so someone else decides.")


def knows_nothing(one: Keyboard, path: str, *secrets: str) -> None:
    """The page neither shows nor hides a word of what the other has decided."""
    one.page.goto(path)
    whole = one.page.content()
    assert [secret for secret in secrets if secret in whole] == []


def adjudicate(ola: Keyboard) -> None:
    ola.page.goto("/p/weights/review/")
    ola.enter("main form[action$='/review/next/'] button")
    point = ola.page.locator("#point-feedback")
    expect(point.locator(".card")).to_have_count(2)
    expect(ola.page.locator("#opinions")).to_contain_text(WHY)
    expect(ola.page.locator("main")).not_to_contain_text("rita")
    ola.press("ArrowDown")
    expect(point).to_be_focused()
    ola.press("2")
    expect(point.locator(".card--chosen")).to_contain_text(BEGUN.strip())
    with ola.page.expect_navigation():
        ola.press("a")


def stored(installation: Installation, key: str) -> dict[str, Any]:
    return installation.python(ITEM, key=key)


def test_two_review_apart_and_a_third_decides(installation: Installation, browser_page: OpenPage) -> None:
    anna, ravi, rita, ola = (signed_in(installation, browser_page, name) for name in ("anna", "ravi", "rita", "ola"))
    write(anna)
    installation.python(OPENED)
    take_up(ravi, "same")
    accept(ravi, "same")
    accept(ravi, "split")  # which was taken up with the decision before
    split = installation.python("result = Item.objects.get(key='split').pk")
    for path in ("/p/weights/review/", f"/p/weights/items/{split}/"):
        knows_nothing(rita, path, "Accepted unchanged", "accepted it")
    take_up(rita, "same")
    accept(rita, "same")
    fix(rita, "split")
    assert installation.python(STATES) == {"same": "accepted", "split": "adjudicating"}
    knows_nothing(ravi, f"/p/weights/items/{split}/", WHY, BEGUN)
    installation.python(OPENED)
    adjudicate(ola)
    assert installation.python(STATES) == {"same": "accepted", "split": "accepted"}
    decided = stored(installation, "split")
    assert decided["feedback"].startswith(BEGUN)
    assert decided["by"] == "rita"
    assert decided["verbs"][-4:] == ["reviewed", "reviewed", "disputed", "accepted"]
    assert decided["told"] == [["anna", "accepted"], ["ravi", "accepted"], ["rita", "accepted"]]
