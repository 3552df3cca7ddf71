"""The pages of blind spots in Chromium: whole matrices, by keyboard, and axe in four appearances.

The world of the access matrix has no project of perturbations, so that these pages stand here and not in its list.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import UNFOLD, complaints
from tests.support.chromium import OpenPage
from tests.support.installation import Installation

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.long]

SET_UP = """
import random
from pathlib import Path
from tempfile import mkdtemp
from annotate.kinds.perturbation.shapes import shipped
from judging.models import Verdict
from tests.support.perturbed import brought, pairwise, perturbation, perturbation_project, reference, single
draw = random.Random(5)
project = perturbation_project(slug="spots")
Member.objects.create(project=project, user=User.objects.get(username="lena"), role="lead")
categories = [(slug, one["ability"]) for slug, one in shipped()["categories"].items()]
items = [perturbation(project, no, *category) for category in categories for no in range(1, 12)]
rows = []
for judge in ("sim-judge-l", "a-judge-with-a-very-long-name-0725-preview"):
    for item in items:
        for way in ("Vanilla*", "Vanilla", "Rubric", "Axis", "Axis+Rubric"):
            named = {"judge": judge, "strategy": way, "found_in_explanation": False}
            rows.append(single(item, 9, draw.choice([9, 7, None]), **named))
        for way in ("Pairwise*", "Pairwise", "Rules", "Axis (pairs)", "Axis+Rules"):
            chosen = draw.choice(["gold", "both_good", "inconsistent", None])
            rows.append(pairwise(item, chosen, judge=judge, strategy=way))
        rows.append(reference(item, draw.choice([10, 9, 8, 2]), judge=judge))
brought(project, Path(mkdtemp()), rows)
Verdict.objects.filter(judge__strategy="Vanilla").update(reason="Fluent, and every moon is named.")
result = len(items)
"""


@pytest.fixture
def lena(desk_installation: Installation, browser_page: OpenPage) -> Page:
    page = browser_page(desk_installation, user="lena", reduced_motion="reduce")
    assert desk_installation.python(SET_UP) == 11 * 25
    return page


def let_a_worker_compute(installation: Installation, page: Page) -> None:
    """The figures that the page has left to a worker, if it has; it shows them by itself."""
    installation.manage("reconcile")
    expect(page.locator("#computing")).to_have_count(0, timeout=20_000)


def test_a_matrix_is_read_and_opened_by_keyboard_in_every_appearance(
    lena: Page, desk_installation: Installation
) -> None:
    lena.goto("/p/spots/blindspots/?judge=sim-judge-l")
    let_a_worker_compute(desk_installation, lena)
    cells = lena.locator("#matrix a.cell")
    expect(cells).to_have_count(25 * 11)
    lena.evaluate(UNFOLD)
    assert complaints(lena) == []
    cell = lena.get_by_role("link", name="Spelling, Vanilla: ")
    cell.focus()
    with lena.expect_navigation():
        cell.press("Enter")
    let_a_worker_compute(desk_installation, lena)
    expect(lena.get_by_role("heading", level=1)).to_have_text("Spelling")
    lena.get_by_label("Outcome").select_option("")
    with lena.expect_navigation():
        lena.get_by_role("button", name="Show").click()
    let_a_worker_compute(desk_installation, lena)
    expect(lena.locator("article.pair")).to_have_count(11)
    expect(lena.locator("article.pair ins").first).to_have_text("Titan")
    expect(lena.get_by_text("Fluent, and every moon is named.").first).to_be_visible()
    assert complaints(lena) == []
