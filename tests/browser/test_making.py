"""Gold answers and perturbations by models, as people see them in Chromium."""

from itertools import count

import pytest
from playwright.sync_api import expect

from tests.browser.test_accessibility import complaints as faults_on
from tests.support.chromium import OpenPage
from tests.support.installation import Installation

pytestmark = pytest.mark.browser
_numbers = count(1)

MADE = """
from annotate.models import Item
from tests.annotate.purposes.test_perturb import prompt
from tests.annotate.prompts.test_instructions import made_by_a_run, said
source = Project.objects.create(slug=slug, name="Questions", kind_slug="prompt")
target = Project.objects.create(slug=f"{slug}-worse", name="Made worse", kind_slug="perturbation")
person = User.objects.create_user(slug, password="long enough for a test")
for project in (source, target):
    lead = Member.objects.create(project=project, user=person, role="lead")
for number in range(4):
    prompt(source)
right, wrong, *_others = made_by_a_run(source, target)
said(right, lead)
said(wrong, lead, verdict="invalid")
"""
SUGGESTED = """
from tests.support.people import make_item
project = Project.objects.create(slug=slug, name="Questions", kind_slug="prompt", reviews=0)
person = User.objects.create_user(slug, password="long enough for a test")
Member.objects.create(project=project, user=person, role="annotator")
draft = {"ability": "", "gold_verdict": None, "edited_answer": "Eight.", "note": ""}
make_item(project, key=slug, facts={"prompt": "How many legs has a spider?"}, suggestion=draft)
"""
STORED = """
result = Annotation.objects.get(item__project__slug=slug, submitted_at__isnull=False).draft
"""


def test_from_what_passed_to_making_only_that_category_again(
    desk_installation: Installation, browser_page: OpenPage
) -> None:
    slug = f"made-{next(_numbers)}"
    desk_installation.python(MADE, slug=slug)
    page = browser_page(desk_installation, user=slug, reduced_motion="reduce")
    page.goto(f"/p/{slug}/prompts/")
    page.get_by_role("link", name="Prompt performance").click()
    row = page.get_by_role("row", name="Factual: Number errors")
    expect(row).to_contain_text("1 of 2; 4 drawn")
    expect(row).to_contain_text("50")
    assert faults_on(page) == []
    row.get_by_role("link", name="Regenerate").click()
    expect(page.get_by_label("Recreate what is not accepted")).to_be_checked()
    expect(page.get_by_label("Factual: Number errors")).to_be_checked()
    expect(page.get_by_label("Factual: Opposite fact")).not_to_be_checked()
    assert faults_on(page) == []


def test_a_gold_answer_that_a_model_wrote_is_verified_on_the_desk(
    desk_installation: Installation, browser_page: OpenPage
) -> None:
    slug = f"gold-{next(_numbers)}"
    desk_installation.python(SUGGESTED, slug=slug)
    page = browser_page(desk_installation, user=slug, reduced_motion="reduce")
    page.goto(f"/p/{slug}/work/")
    page.locator("#ready button").click()
    expect(page.locator("#annotation")).to_be_visible()
    expect(page.get_by_role("textbox", name="Gold answer")).to_have_value("Eight.")
    page.locator("[name=ability][value=factual]").check()
    page.locator("[name=gold_verdict][value=right]").check()
    assert faults_on(page) == []
    page.keyboard.press("Control+Enter")
    expect(page.locator("#toast")).to_be_visible()
    stored = desk_installation.python(STORED, slug=slug)
    assert (stored["ability"], stored["gold_verdict"], stored["edited_answer"]) == ("factual", "right", "Eight.")
