"""The first project in Chromium: from an empty home to an imported example, by keyboard, and without scripts."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotate.kinds import all_kinds
from tests.support.chromium import OpenPage
from tests.support.installation import Installation

pytestmark = [pytest.mark.browser, pytest.mark.slow]

MANY = """
user = User.objects.create_user("busy-" + kind, is_staff=True)
for number in range(projects):
    name = f"Project {number} of many words " * 3
    project = Project.objects.create(slug=f"{kind}-{number}", name=name, kind_slug=kind)
    Member.objects.create(project=project, user=user, role="lead")
"""


def administrator(installation: Installation, name: str) -> str:
    installation.python("User.objects.create_user(name, is_staff=True)", name=name)
    return name


def test_a_project_is_created_by_keyboard_and_its_example_imported(
    desk_installation: Installation, browser_page: OpenPage, complaints: Callable[[Page], list[str]], tmp_path: Path
) -> None:
    page = browser_page(desk_installation, user=administrator(desk_installation, "first"))
    heard = complaints(page)
    page.goto("/")
    page.locator("main").get_by_role("link", name="New project").click()
    page.get_by_role("radio", name="Branching judgements").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="Feedback samples")).to_be_checked()
    page.get_by_label("Name", exact=True).fill("Réponses: à  voyager!")
    expect(page.get_by_role("textbox", name="Address")).to_have_value("reponses-a-voyager")
    page.keyboard.press("Control+Enter")
    expect(page).to_have_url(re.compile("/p/reponses-a-voyager/$"))
    steps = page.locator("#next-steps")
    expect(steps).to_contain_text("0 of 6 steps done")
    with page.expect_download() as download:
        steps.get_by_role("link", name="Download an example").click()
    example = tmp_path / download.value.suggested_filename
    download.value.save_as(example)
    steps.get_by_role("link", name="Import a file").click()
    page.get_by_label("Drop a file here, or choose one").set_input_files(example)
    page.get_by_role("button", name="Upload and preview").click()
    page.get_by_role("button", name="Import").click()
    desk_installation.manage("reconcile")
    page.goto("/p/reponses-a-voyager/")
    expect(steps).to_contain_text("1 of 6 steps done")
    expect(steps.locator("[aria-current=step]")).to_contain_text("Write the guidelines")
    assert heard == []


def test_an_address_of_ones_own_is_kept_and_one_that_is_taken_gets_a_number(
    desk_installation: Installation, browser_page: OpenPage
) -> None:
    page = browser_page(desk_installation, user=administrator(desk_installation, "second"))
    for name, address, made in (("Twice", "", "twice"), ("Twice", "", "twice-2"), ("Twice", "my-own", "my-own")):
        page.goto("/projects/new/")
        page.get_by_role("radio", name="Prompts").check()
        if address:
            page.get_by_role("textbox", name="Address").fill(address)
        page.get_by_label("Name", exact=True).fill(name)
        expect(page.get_by_role("textbox", name="Address")).to_have_value(address or "twice")
        page.get_by_role("button", name="Create project").click()
        expect(page).to_have_url(re.compile(f"/p/{made}/$"))


def test_a_kind_is_found_by_its_words(desk_installation: Installation, browser_page: OpenPage) -> None:
    page = browser_page(desk_installation, user=administrator(desk_installation, "finder"))
    page.goto("/projects/new/")
    total = page.locator(".kind-card").count()
    page.get_by_label("Find a kind").fill("Leaderboard scored")
    expect(page.locator("#kinds-found")).to_have_text("Kinds with these words: 2")
    assert page.locator(".kind-card:visible").count() == 2
    expect(page.get_by_role("heading", name="Vote on answers")).to_be_hidden()
    page.get_by_label("Find a kind").press("Enter")
    expect(page).to_have_url(re.compile("/projects/new/$"))
    page.get_by_role("radio", name="Feedback samples").check()
    expect(page.locator("#kind-chosen")).to_have_text("Kind of work: Feedback samples")
    page.get_by_label("Name", exact=True).fill("旅客问答")
    expect(page.get_by_role("textbox", name="Address")).to_have_value("feedback")
    page.get_by_label("Find a kind").fill("")
    assert page.locator(".kind-card:visible").count() == total
    page.get_by_role("button", name="Create project").click()
    expect(page).to_have_url(re.compile(r"/p/feedback(-\d+)?/$"))


def test_a_project_is_created_without_scripts(desk_installation: Installation, browser_page: OpenPage) -> None:
    user = administrator(desk_installation, "third")
    page = browser_page(desk_installation, user=user, java_script_enabled=False, width=390, height=844)
    page.goto("/projects/new/")
    page.get_by_role("radio", name="Preference votes").check()
    page.get_by_label("Name", exact=True).fill("Pairs of answers")
    page.get_by_role("button", name="Create project").click()
    expect(page).to_have_url(re.compile("/p/pairs-of-answers/$"))
    expect(page.locator("#next-steps")).to_contain_text("0 of 5 steps done")


@pytest.mark.parametrize("projects", [0, 3, 40])
def test_home_and_the_cards_fit_a_phone(desk_installation: Installation, browser_page: OpenPage, projects: int) -> None:
    kind = list(all_kinds())[projects % 7]
    desk_installation.python(MANY, kind=kind, projects=projects)
    page = browser_page(desk_installation, user=f"busy-{kind}", theme="dark", locale="zh-CN", width=390, height=844)
    for path in ("/", "/projects/new/", *([f"/p/{kind}-0/"] if projects else [])):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
