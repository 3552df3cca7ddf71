"""The validation desk in Chromium by keyboard alone: views, changes, verdicts, corrections; English and Chinese."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.test_accessibility import complaints as faults_on
from tests.support.canals import DRAFT, FACTS
from tests.support.chromium import OpenPage
from tests.support.installation import Installation

pytestmark = pytest.mark.browser
_numbers = count(1)

PROJECT = """
from tests.support.people import make_item
project = Project.objects.create(slug=slug, name="Canals", kind_slug="perturbation", reviews=0)
person = User.objects.create_user(user, password="long enough for a test", language=language)
Member.objects.create(project=project, user=person, role="annotator")
for number in range(items):
    shown = {"prompt": f"{number}: {facts['prompt']}", "cdx": f"factual-{number}_number-errors"}
    make_item(project, key=f"{slug}-{number}", facts=facts | shown, suggestion=draft)
"""
PROMPTS = """
from tests.support.people import make_item
project = Project.objects.create(slug=slug, name="Prompts", kind_slug="prompt", reviews=0)
person = User.objects.create_user(user, password="long enough for a test")
Member.objects.create(project=project, user=person, role="annotator")
make_item(project, key=slug, facts={"prompt": "How many legs has a spider?", "gold_answer": "Six."})
"""
STORED = """
found = Annotation.objects.filter(slot__project__slug=slug, author__isnull=False).order_by("id")
result = [{"draft": one.draft, "submitted": one.submitted_at is not None} for one in found]
"""
WITHOUT_MARKS = """(shown, marks) => {
  const copy = shown.cloneNode(true);
  for (const mark of copy.querySelectorAll(marks)) mark.remove();
  return copy.textContent;
}"""
CHINESE = "运河全长82千米，船闸把船抬高26米。水靠自身重量流入闸室，不需要水泵。👩‍🔧"


@dataclass
class Desk:
    """A validator in a project of their own."""

    installation: Installation
    page: Page
    slug: str

    def start(self) -> None:
        self.page.goto(f"/p/{self.slug}/work/")
        self.page.locator("#ready button").focus()
        self.press("Enter")
        expect(self.page.locator("#annotation")).to_be_visible()
        self.page.wait_for_load_state()

    def stored(self) -> list[dict[str, Any]]:
        return self.installation.python(STORED, slug=self.slug)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def here(self) -> Locator:
        """The marks of the change that is looked at."""
        return self.page.locator("#difference .view .here:visible")

    def text_of(self, view: str, *, without: str) -> str:
        """What a view shows, without the marks of one sort."""
        return str(self.page.locator(view).evaluate(WITHOUT_MARKS, without))


@pytest.fixture
def desk(desk_installation: Installation, browser_page: OpenPage) -> Callable[..., Desk]:
    def made(*, items: int = 2, language: str = "en", facts: Any = None, perturbed: str = "") -> Desk:
        slug = user = f"canals-{next(_numbers)}"
        draft = DRAFT | {"verdict": None} | ({"perturbed_answer": perturbed} if perturbed else {})
        desk_installation.python(
            PROJECT, slug=slug, user=user, items=items, language=language, facts=FACTS | (facts or {}), draft=draft
        )
        one = Desk(desk_installation, browser_page(desk_installation, user=user, reduced_motion="reduce"), slug)
        one.start()
        return one

    return made


def test_an_item_is_validated_without_the_mouse(desk: Callable[..., Desk]) -> None:
    ada = desk()
    expect(ada.page.locator("#field-verdict")).to_be_focused()
    expect(ada.page.locator("#material")).to_contain_text("One or more numbers are replaced by wrong ones.")
    expect(ada.page.locator("#material")).to_contain_text("82 became 28")
    ada.press("n")
    expect(ada.here).to_have_text(["82", "28"])
    expect(ada.page.locator("#difference-count")).to_have_text("Change 1 of 1")
    ada.press("1", "Control+Enter")
    expect(ada.page).to_have_title("Item 2 of 2 · Canals · Touchstone")
    ada.press("5", "Control+Enter")
    expect(ada.page.locator("#toast")).to_be_visible()
    assert [one["draft"]["verdict"] for one in ada.stored()] == ["valid", "not_sure"]
    assert all(one["submitted"] for one in ada.stored())


def test_a_key_goes_through_the_ways_of_showing_the_difference(desk: Callable[..., Desk]) -> None:
    ada = desk(perturbed=DRAFT["perturbed_answer"].replace("26", "62"))
    ada.press("n", "n")
    expect(ada.here).to_have_text(["26", "62"])
    ada.press("v")
    expect(ada.page.locator("#difference-sides")).to_be_visible()
    expect(ada.page.locator("#difference-inline")).to_be_hidden()
    expect(ada.here).to_have_text(["26", "62"])  # the same change, in its two columns
    ada.press("v")
    expect(ada.page.locator("#difference-only .change")).to_have_count(1)
    expect(ada.here).to_have_text(["26", "62"])
    ada.press("n", "p", "p")
    expect(ada.page.locator("#difference-count")).to_have_text("Change 1 of 2")
    ada.press("v")
    expect(ada.page.locator("#difference-inline")).to_be_visible()


def test_a_correction_changes_the_difference_while_one_types(desk: Callable[..., Desk]) -> None:
    ada = desk()
    ada.press("2", "Enter", "Control+Home")
    ada.page.keyboard.type("Well, 1 2. ")
    expect(ada.page.locator("#difference-inline ins").first).to_contain_text("Well")
    expect(ada.page.locator("#revised")).to_contain_text("another person reviews it next")
    expect(ada.page.locator("#box-perturbed_answer")).to_be_focused()
    ada.press("Escape", "1")  # out of the text a number is a verdict again, wherever one is
    expect(ada.page.locator("input[value=valid]")).to_be_checked()
    ada.press("Control+Enter")
    expect(ada.page).to_have_title("Item 2 of 2 · Canals · Touchstone")
    expect(ada.page.locator("body")).to_contain_text("You changed the text, so another person reviews it next.")
    expect(ada.page.locator("#toast")).to_have_count(0)  # nothing to take back: others have it
    assert ada.stored()[0]["draft"]["verdict"] == "valid"
    assert ada.stored()[0]["draft"]["perturbed_answer"].startswith("Well, 1 2. The canal")


def test_doubts_stand_above_the_form(desk: Callable[..., Desk]) -> None:
    ada = desk(perturbed=FACTS["gold_answer"])
    expect(ada.page.locator("#doubts")).to_contain_text("It is the gold answer, character for character.")
    expect(ada.page.locator("#difference-said")).to_contain_text("Both answers are identical")
    ada.press("n")  # nothing to go to, and nothing happens
    expect(ada.page.locator("#difference-count")).to_have_text("no difference")


def test_a_difference_that_says_nothing_says_so(desk: Callable[..., Desk]) -> None:
    ada = desk(perturbed="Ask a sailor; books and maps tell other stories about lakes, hills, winds, harbours, birds.")
    expect(ada.page.locator("#difference-said")).to_contain_text("too different to compare by difference")
    expect(ada.page.locator("#difference-inline .texts")).to_be_visible()
    expect(ada.page.locator("#difference-inline ins")).to_have_count(0)


def test_a_chinese_desk_marks_characters_and_is_worked_by_the_same_keys(desk: Callable[..., Desk]) -> None:
    perturbed = CHINESE.replace("82", "28").replace("不需要", "需要")
    facts = {"prompt": "运河有多长？", "gold_answer": CHINESE, "explanation": "把82改成28。"}
    ada = desk(language="zh-hans", facts=facts, perturbed=perturbed)
    expect(ada.page.locator("html")).to_have_attribute("lang", "zh-hans")
    expect(ada.page.locator("#material")).to_contain_text("一个或几个数字被换成错误的数字")
    ada.press("n")
    expect(ada.here).to_have_text(["82", "28"])
    ada.press("n")
    expect(ada.here).to_have_text(["不"])
    assert ada.text_of("#difference-inline .text__body", without="ins") == CHINESE
    assert ada.text_of("#difference-inline .text__body", without="del") == perturbed
    ada.press("3", "Control+Enter")
    expect(ada.page.locator("#toast")).to_be_visible()
    assert ada.stored()[0]["draft"]["verdict"] == "score_invariant"


def test_long_texts_are_compared_while_one_types(desk: Callable[..., Desk]) -> None:
    gold = "".join(f"第{number}段：运河水位为{number}米，每天有{number + 3}艘船通过。\n" for number in range(800))
    assert len(gold) > 20_000
    ada = desk(facts={"gold_answer": gold}, perturbed=gold.replace("第400段", "第004段"))
    ada.press("n")
    expect(ada.here.first).to_be_in_viewport()
    ada.press("ArrowDown", "Enter", "Control+End")
    ada.page.keyboard.type("完")
    expect(ada.page.locator("#difference-inline ins").last).to_contain_text("完")


def test_a_prompt_is_sorted_and_its_gold_answer_verified_without_the_mouse(
    desk_installation: Installation, browser_page: OpenPage
) -> None:
    slug = user = f"prompts-{next(_numbers)}"
    desk_installation.python(PROMPTS, slug=slug, user=user)
    ada = Desk(desk_installation, browser_page(desk_installation, user=user), slug)
    ada.start()
    expect(ada.page.locator("#field-ability")).to_be_focused()
    ada.press("2", "3", "Enter")
    ada.page.keyboard.type("Eight legs.")
    ada.press("Control+Enter")
    expect(ada.page.locator("#toast")).to_be_visible()
    assert ada.stored()[0]["draft"] == {
        "ability": "factual",
        "gold_verdict": "edited",
        "edited_answer": "Eight legs.",
        "note": "",
    }


def test_texts_are_shown_as_they_are_and_nothing_in_them_runs(
    desk: Callable[..., Desk], complaints: Callable[[Page], list[str]]
) -> None:
    attack = "<img src=x onerror=\"document.title='broken'\"><ins data-change='9'>{{ 7 }}</ins> 82 & more"
    ada = desk(facts={"gold_answer": attack, "explanation": attack}, perturbed=attack.replace("82", "28"))
    heard = complaints(ada.page)
    ada.page.reload()
    ada.press("n", "v", "n", "v", "n")
    expect(ada.page.locator("#difference-count")).to_have_text("Change 1 of 1")
    assert ada.text_of("#difference-inline .text__body", without="ins") == attack
    assert "broken" not in ada.page.title()
    assert heard == []


@pytest.mark.slow
def test_the_desk_and_the_coverage_are_for_everybody(desk: Callable[..., Desk]) -> None:
    ada = desk(perturbed=DRAFT["perturbed_answer"].replace("canal", "channel"))
    for _way in range(3):
        assert faults_on(ada.page) == []
        ada.page.set_viewport_size({"width": 1440, "height": 900})
        ada.press("v")
    ada.page.goto(f"/p/{ada.slug}/")
    expect(ada.page.locator("#coverage")).to_contain_text("Number errors")
    assert faults_on(ada.page) == []
