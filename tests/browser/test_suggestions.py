"""Candidates and newer suggestions in Chromium: by keys, in place, and without scripts."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.work_desk import Desk
from tests.support.chromium import OpenPage
from tests.support.installation import Installation

pytestmark = pytest.mark.browser
_numbers = count(1)

MAINTAINED = """
from tests.support.suggestions import maintained
project = Project.objects.create(slug=slug, name="Moons", kind_slug="feedback")
person = User.objects.create_user(user, password="long enough for a test")
Member.objects.create(project=project, user=person, role="annotator")
maintained(project, key=slug)
"""
CORRECTED = """
from tests.support.people import DRAFT, make_item
project = Project.objects.create(slug=slug, name="Moons", kind_slug="feedback")
person = User.objects.create_user(user, password="long enough for a test")
Member.objects.create(project=project, user=person, role="annotator")
make_item(project, key=slug, suggestion=DRAFT)
"""
NEWER = """
from tests.support.suggestions import newer
newer(Item.objects.get(key=slug), feedback="That is a moon too many.", error_type=["Logical Error"])
"""


@pytest.fixture
def desk(desk_installation: Installation, browser_page: OpenPage) -> Callable[..., Desk]:
    def made(world: str, **options: Any) -> Desk:
        slug = user = f"picks-{next(_numbers)}"
        desk_installation.python(world, slug=slug, user=user)
        one = Desk(desk_installation, browser_page(desk_installation, user=user, **options), slug, user)
        one.start()
        return one

    return made


def test_a_candidate_is_picked_by_keys_and_then_rewritten(desk: Callable[..., Desk]) -> None:
    ada = desk(MAINTAINED)
    ada.page.locator("#field-candidates").focus()
    ada.press("2")
    expect(ada.page.locator("#box-feedback")).to_have_value("Are you quite sure about that?")
    expect(ada.page.locator("#field-feedback_type input:checked")).to_have_value("Simple Questioning")
    assert ada.focused() == "field-candidates"
    expect(ada.page.locator("#field-candidates [aria-pressed=true]")).to_contain_text("Picked")
    ada.press("ArrowDown", "1")
    expect(ada.page.locator("#box-feedback")).to_have_value("NASA says three.")
    ada.press("ArrowDown", "ArrowDown")
    assert ada.focused() == "field-feedback"
    ada.press("Enter", "End")
    ada.page.keyboard.type(" I read it there.")
    ada.press("Escape")
    expect(ada.page.locator("#origin-feedback")).to_contain_text("Edited")
    assert ada.feedback() == "NASA says three. I read it there."
    assert ada.stored()[0]["draft"]["feedback_type"] == ["Credibility Support"]


def test_from_a_picked_candidate_one_goes_straight_to_its_text(desk: Callable[..., Desk]) -> None:
    ada = desk(MAINTAINED)
    ada.page.locator("button[value='pick:0']").click()
    ada.page.get_by_role("link", name="Rewrite it").click()
    expect(ada.page.locator("#box-feedback")).to_be_focused()


def test_what_was_typed_before_a_pick_in_another_field_stays(desk: Callable[..., Desk]) -> None:
    ada = desk(MAINTAINED)
    ada.page.locator("#field-checklist [name=question]").first.fill("Does it stay calm?")
    ada.page.locator("button[value='pick:3']").click()
    expect(ada.page.locator("#box-feedback")).to_have_value("Say three, or else.")
    expect(ada.page.locator("#field-checklist [name=question]").first).to_have_value("Does it stay calm?")
    assert ada.stored()[0]["draft"]["checklist"] == ["Does it stay calm?"]


def test_another_item_is_made_and_the_work_goes_on(desk: Callable[..., Desk]) -> None:
    ada = desk(MAINTAINED)
    ada.page.locator("#box-feedback").fill("Mine.")
    ada.page.locator("button[name=candidate][value='2']").click()
    expect(ada.page.locator("#field-candidates-2")).to_contain_text(f"created as {ada.slug}/2")
    expect(ada.page.locator("#box-feedback")).to_have_value("Mine.")
    keys = ada.installation.python("result = list(Item.objects.filter(project__slug=slug).values_list('key', 'state'))",
                                   slug=ada.slug)  # fmt: skip
    assert [f"{ada.slug}/2", "ready"] in keys


def test_a_newer_suggestion_is_offered_after_a_save_and_taken_over_in_place(desk: Callable[..., Desk]) -> None:
    ada = desk(CORRECTED)
    ada.installation.python(NEWER, slug=ada.slug)
    expect(ada.page.locator("#newer-suggestion")).to_have_count(0)
    ada.page.locator("#field-suitable input[value=yes]").check(force=True)
    expect(ada.page.locator("#newer-suggestion summary")).to_contain_text("There is a newer suggestion by drafter-c.")
    expect(ada.page.locator("#box-feedback")).to_have_value("That is one moon too many.")
    ada.page.locator("#newer-suggestion summary").click()
    ada.page.locator("button[value='take:feedback']").click()
    expect(ada.page.locator("#box-feedback")).to_have_value("That is a moon too many.")
    expect(ada.page.locator("#newer-suggestion")).to_have_attribute("open", "")
    expect(ada.page.locator("#newer-suggestion summary")).to_contain_text("1 place")
    expect(ada.page.locator("#origin-feedback")).to_contain_text("Edited")
    assert ada.stored()[0]["draft"]["error_type"] == ["Factual Error"]


def test_texts_that_share_nothing_stand_side_by_side_each_in_its_language(desk: Callable[..., Desk]) -> None:
    ada = desk(CORRECTED, locale="zh-CN")
    ada.installation.python(NEWER.replace("That is a moon too many.", "火星只有两颗卫星。"), slug=ada.slug)
    ada.page.reload()
    ada.page.locator("#newer-suggestion summary").click()
    texts = ada.page.locator("#newer-suggestion .texts").first
    expect(texts.locator(".readbox")).to_have_text(["That is one moon too many.", "火星只有两颗卫星。"])
    languages = [box.get_attribute("lang") for box in texts.locator(".readbox").all()]
    assert languages == ["", "zh-Hans"], "what cannot be told is not taken for the language of the page"


def test_all_of_it_works_without_scripts(desk: Callable[..., Desk]) -> None:
    ada = desk(MAINTAINED, java_script_enabled=False)
    ada.page.locator("button[value='pick:2']").click()
    expect(ada.page.locator("#box-feedback")).to_have_value("NASA says three.")
    ada.page.locator("button[name=candidate][value='0']").click()
    expect(ada.page.locator("#field-candidates")).to_contain_text(f"created as {ada.slug}/2")
    bob = desk(CORRECTED, java_script_enabled=False)
    bob.installation.python(NEWER, slug=bob.slug)
    bob.page.reload()
    bob.page.locator("#newer-suggestion summary").click()
    bob.page.locator("button[value='take:all']").click()
    expect(bob.page.locator("#box-feedback")).to_have_value("That is a moon too many.")
    expect(bob.page.locator("#newer-suggestion")).to_have_count(0)
