"""Charts and tables of a board are taken along: pictures that stand alone, tables for papers and spreadsheets."""

import csv
from itertools import count
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.test_accessibility import complaints
from tests.support.chromium import OpenPage
from tests.support.installation import Installation

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SET_UP = """
from tests.support.judged import CORRECTION, a_judge, answer_of, decided_item, verdict_on
from tests.support.people import make_project
project = make_project(slug=slug, name="Figures & tables")
Member.objects.create(project=project, user=User.objects.get(username="fay"), role="lead")
judge = a_judge(project)
for number in range(6):
    item = decided_item(project, CORRECTION)
    for author, marks in (("Alpha_1", (1, number % 2)), ("Beta", (0, 1))):
        verdict_on(answer_of(item, author), judge, marks)
for number in range(9):
    verdict_on(answer_of(item, f"M{number}"), judge, (1, 0))
"""
_numbers = count(1)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def fay(desk_installation: Installation, browser_page: OpenPage) -> Page:
    page = browser_page(desk_installation, user="fay", theme="dark")
    slug = f"figures-{next(_numbers)}"
    desk_installation.python(SET_UP, slug=slug)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"/p/{slug}/leaderboard/")
    return page


def saved(page: Page, button: Locator) -> Path:
    with page.expect_download() as waiting:
        button.click()
    return waiting.value.path()


def test_a_chart_is_taken_along_with_its_title_in_light_colours(fay: Page) -> None:
    button = fay.get_by_role("button", name="SVG").first
    picture = ElementTree.fromstring(saved(fay, button).read_bytes())
    assert picture.get("width") == "180mm"
    assert not list(picture.iter("style"))
    assert not [element for element in picture.iter() if element.get("class")]
    paper = picture.find(f"{SVG}rect")
    assert paper is not None
    assert paper.get("fill") == "#ffffff"
    words = " ".join("".join(element.itertext()) for element in picture.findall(f"{SVG}text"))
    assert "Figures & tables" in words
    assert fay.locator("html").get_attribute("data-theme") == "auto"
    image = saved(fay, fay.get_by_role("button", name="PNG").first).read_bytes()
    assert image[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(image[16:20]) == 2126


def test_a_table_is_copied_for_papers_and_saved_for_spreadsheets(fay: Page) -> None:
    tools = fay.locator(".figure-tools").filter(has_text="CSV").first
    tools.get_by_role("button", name="Copy as Markdown").click()
    expect(tools.get_by_role("button", name="Copied")).to_be_visible()
    markdown = fay.evaluate("navigator.clipboard.readText()")
    heading, _blank, head, bar, *rest = markdown.splitlines()
    assert heading.startswith("**")
    assert head.count("|") == bar.count("|") == next(row for row in rest if "Alpha_1" in row).count("|")
    tools.get_by_role("button", name="Copy as LaTeX").click()
    expect(tools.get_by_role("button", name="Copied")).to_have_count(2)
    latex = fay.evaluate("navigator.clipboard.readText()")
    assert "\\begin{tabular}" in latex
    assert "Alpha\\_1" in latex
    assert "Figures \\& tables" in latex
    content = saved(fay, tools.get_by_role("button", name="CSV")).read_bytes()
    assert content.startswith(b"\xef\xbb\xbf")
    assert b'"Alpha_1"' in content
    fay.evaluate("scrollTo(0, 0)")  # else the bar of the page covers links
    assert complaints(fay) == []


def test_a_table_is_sorted_and_filtered_and_taken_along_as_it_is_shown(fay: Page) -> None:
    table = fay.locator("#standings table")
    names = table.locator("tbody th[scope=row]:visible")
    head = table.locator("th.stick")
    button = head.get_by_role("button", name="Model")
    button.press("Enter")
    expect(head).to_have_attribute("aria-sort", "ascending")
    assert names.all_inner_texts() == ["Alpha_1", "Beta", *(f"M{number}" for number in range(9))]
    button.press("Enter")
    assert names.first.inner_text() == "M8"
    # Intervals are ordered by their estimates. All but two models have too few items for one: they stay behind.
    interval = table.locator("th").filter(has_text="Interval").first
    for first, last in (("Alpha_1", "Beta"), ("Beta", "Alpha_1")):
        interval.get_by_role("button").click()
        assert names.all_inner_texts() == [first, last, *(f"M{number}" for number in reversed(range(9)))]
    field = fay.locator("#standings .table-filter").get_by_label("Find by name")
    field.fill("m1")
    assert names.all_inner_texts() == ["M1"]
    expect(fay.locator("#standings .table-filter").get_by_role("status")).to_have_text("1 of 11")
    field.fill("A")
    content = saved(fay, fay.locator("#standings").get_by_role("button", name="CSV")).read_text("utf-8-sig")
    rows = list(csv.DictReader(content.splitlines()))
    assert [row["Model"] for row in rows] == ["Beta", "Alpha_1"]
    fay.evaluate("scrollTo(0, 0)")  # else the bar of the page covers links
    assert complaints(fay) == []
