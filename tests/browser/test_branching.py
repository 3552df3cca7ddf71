"""The tree of criteria in Chromium: moved, merged and dropped by keys, scored, corrected with a live difference.

And what judges said by criteria: pages and the lists behind their numbers.
"""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.test_accessibility import UNFOLD
from tests.browser.test_accessibility import complaints as faults_on
from tests.support.chromium import OpenPage
from tests.support.installation import Installation
from tests.support.trees import DRAFT, PAIR, branch, tree

pytestmark = pytest.mark.browser

PROJECT = """
from tests.support.people import make_item
project = Project.objects.create(slug=slug, name="Trees", kind_slug="branching", reviews=0)
person = User.objects.create_user(slug, password="long enough for a test")
Member.objects.create(project=project, user=person, role="annotator")
make_item(project, key=slug, facts=facts, suggestion=draft)
"""
STORED = """
result = Annotation.objects.get(slot__project__slug=slug, author__isnull=False).draft
"""
THREE: dict[str, Any] = tree(branch(1, 2, 5), branch(2, 3, 4), branch(3, 4, 4))


def desk(installation: Installation, browser_page: OpenPage, slug: str, draft: dict[str, Any], **facts: Any) -> Any:
    installation.python(PROJECT, slug=slug, facts=PAIR | facts, draft=draft)
    page = browser_page(installation, user=slug, reduced_motion="reduce")
    page.goto(f"/p/{slug}/work/")
    page.locator("#ready button").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#annotation")).to_be_visible()
    page.wait_for_load_state()
    return page


def test_keys_move_merge_and_drop_and_the_focus_goes_along(
    desk_installation: Installation, browser_page: OpenPage
) -> None:
    page = desk(desk_installation, browser_page, "tree-keys", THREE)
    names = page.locator("[name=criterion_name]")
    names.nth(2).focus()
    page.keyboard.press("Alt+ArrowUp")
    expect(names.nth(1)).to_have_value("Name 3")
    expect(names.nth(1)).to_be_focused()
    page.keyboard.press("Alt+ArrowUp")
    expect(names.nth(0)).to_have_value("Name 3")
    names.nth(2).focus()
    page.keyboard.press("Alt+m")
    expect(names).to_have_count(2)
    expect(names.nth(1)).to_have_value("Name 1 / Name 2")
    expect(names.nth(1)).to_be_focused()
    names.nth(0).focus()
    page.keyboard.press("Alt+x")
    expect(names).to_have_count(1)
    expect(names.nth(0)).to_be_focused()
    (left,) = desk_installation.python(STORED, slug="tree-keys")["branches"]
    assert (left["id"], left["merged"]) == ("c1", ["c2"])


def test_what_was_dropped_or_merged_comes_back_and_a_new_criterion_is_written_at_once(
    desk_installation: Installation, browser_page: OpenPage
) -> None:
    page = desk(desk_installation, browser_page, "tree-undo", tree(*THREE["branches"], grounds_first=["j1", "j2"]))
    names, undo = page.locator("[name=criterion_name]"), page.locator("[data-taken]:visible button")
    names.nth(1).fill("Legs")
    page.keyboard.press("Alt+x")
    expect(names).to_have_count(2)
    undo.focus()
    page.keyboard.press("Enter")
    expect(names.nth(1)).to_have_value("Legs")
    expect(names.nth(1)).to_be_focused()
    expect(undo).to_have_count(0)
    page.keyboard.press("Alt+m")
    expect(names).to_have_count(2)
    undo.focus()
    page.keyboard.press("Enter")
    expect(names).to_have_count(3)
    expect(names.nth(1)).to_be_focused()
    expect(undo).to_have_count(0)
    page.keyboard.press("Alt+Enter")
    expect(names).to_have_count(4)
    expect(names.nth(3)).to_be_focused()
    expect(undo).to_have_count(0)
    stored = desk_installation.python(STORED, slug="tree-undo")
    assert [(one["id"], one["name"]) for one in stored["branches"]] == [
        ("c1", "Name 1"), ("c2", "Legs"), ("c3", "Name 3"), ("c4", ""),
    ]  # fmt: skip
    assert stored["grounds_first"] == ["j1", "j2"]


def test_sums_and_the_difference_follow_what_is_typed(desk_installation: Installation, browser_page: OpenPage) -> None:
    page = desk(desk_installation, browser_page, "tree-live", DRAFT)
    expect(page.locator("#tree-sums")).to_contain_text("A 5, B 9")
    page.locator("[name=score_first]").nth(0).fill("5")
    page.keyboard.press("Tab")
    expect(page.locator("#tree-sums")).to_contain_text("A 8, B 9")
    page.locator("[name=correction_first]").fill("Eight, as all insects.")
    page.keyboard.press("Tab")
    expect(page.locator("#corrections ins")).to_have_text(["Eight"])


def test_the_desk_has_no_accessibility_faults(desk_installation: Installation, browser_page: OpenPage) -> None:
    """In both appearances, wide and narrow; with the levels of a guideline open, and a judgement from elsewhere."""
    said = {"style": "scores", "score_first": 3, "score_second": 8, "lowest": 1, "highest": 10, "verdict": "second"}
    more = {"judge": "judge-m", "text": "The second counts right.", "swapped": "tie", "rubric": "Counts."}
    page = desk(desk_installation, browser_page, "tree-looks", DRAFT, original=said | more)
    expect(page.locator("#original")).to_contain_text("A 3 : B 8")
    page.locator("details.tree__levels summary").first.click()
    assert faults_on(page) == []


JUDGED = """
from tests.support.branched import branching_project, compared_and_corrected
project = branching_project(slug="judged-trees")
compared_and_corrected(project, *["second", "tie", "first"] * 4)
lena = User.objects.filter(username="lena").first() or User.objects.create_user("lena")
Member.objects.create(project=project, user=lena, role="lead")
result = 1
"""
JUDGING = "/p/judged-trees/branches/"
BEHIND = {"": "pairs/?", "gain/": "gain/items/?"}  # page -> where its numbers lead


def test_pages_about_criteria_and_what_is_behind_their_numbers_are_for_everybody(
    desk_installation: Installation, browser_page: OpenPage
) -> None:
    desk_installation.python(JUDGED)
    page = browser_page(desk_installation, user="lena", reduced_motion="reduce")
    for end in ("", "gain/", "criteria/", "systems/"):
        page.goto(JUDGING + end)
        page.evaluate(UNFOLD)
        assert faults_on(page) == [], end
        if end in BEHIND:
            page.locator(f"main a[href*='{JUDGING}{BEHIND[end]}']").first.click()
            expect(page).to_have_url(re.compile(re.escape(JUDGING + BEHIND[end])))
            expect(page.locator("main article, main tbody tr").first).to_be_visible()
            assert faults_on(page) == [], page.url
