"""Scores of ratings in a browser: page, items behind a number and print, light and dark, wide and narrow."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import complaints
from tests.support.chromium import OpenPage
from tests.support.installation import Installation

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SET_UP = """
import random
from annotate.definitions.templates import all_templates
from annotate.models import Annotation
from annotate.project.actions import create_project
from django.utils import timezone
from tests.support.people import make_item
project = create_project(slug="scored", kind="form", definition=all_templates()["mqm"].definition)
Member.objects.create(project=project, user=User.objects.get_or_create(username="lena")[0], role="lead")
chance = random.Random(1)
text = "It go away."
for number in range(60):
    system, facts = f"System {number % 5}", {"source": "它走了。", "target": text}
    item = make_item(project, facts=facts, metadata={"system": system, "doc": f"d{number // 5}"})
    for rater in ("Ann", "Bo"):
        errors = [
            {"field": "target", "start": 3, "end": 5, "text": "go", "label": "Fluency/Grammar", "severity": severity}
            for severity in chance.choices(["Minor", "Major"], k=chance.randrange(number % 5 + 1))
        ]
        draft = {"errors": errors}
        Annotation.objects.create(item=item, rater=rater, draft=draft, submitted_at=timezone.now(), outcome="annotated")
"""


def looked_at(page: Page) -> None:
    assert complaints(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_scores_are_compared_and_lead_to_their_items(desk_installation: Installation, browser_page: OpenPage) -> None:
    desk_installation.python(SET_UP)
    wide = browser_page(desk_installation, user="lena", locale="en-GB", width=1440)
    wide.goto("/p/scored/scores/")
    wide.get_by_label("Group by").select_option("system")
    wide.get_by_role("button", name="Show", exact=True).click()
    rows = wide.locator("#score-1 tbody tr")
    expect(rows).to_have_count(5)
    assert rows.first.locator("th").inner_text() == "System 0"
    looked_at(wide)
    narrow = browser_page(desk_installation, user="lena", theme="dark", locale="zh-CN", width=390)
    for address in ("?by=system", "units/?by=system&of=mqm/System+4", "one-page/?by=system"):
        narrow.goto(f"/p/scored/scores/{address}")
        looked_at(narrow)
    for address in ("", "units/?of=errors", "one-page/"):  # the same ratings, by how far people disagree
        narrow.goto(f"/p/scored/difficulty/{address}")
        looked_at(narrow)
