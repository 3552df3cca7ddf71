"""The page of an item's verdicts in Chromium."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.chromium import OpenPage
from tests.support.installation import Installation

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SET_UP = """
from judging.models import Answer
from tests.support.judged import CORRECTION, a_judge, answer_of, decided_item, verdict_on
from tests.support.people import make_project
project = make_project()
Member.objects.create(project=project, user=User.objects.get(username="lena"), role="lead")
item, judge = decided_item(project, CORRECTION), a_judge(project)
answers = [answer_of(item, name) for name in ("Alpha", "Beta")]
for number, answer in enumerate(answers, start=1):
    Answer.objects.filter(pk=answer.pk).update(text=f"So it is $n^{number}$.")
    verdict_on(answer, judge, [1, 0])
result = f"/p/{project.slug}/items/{item.pk}/verdicts/?answer={answers[0].pk}"
"""


def test_formulas_of_the_answer_that_is_opened_are_typeset(
    desk_installation: Installation, browser_page: OpenPage, complaints: Callable[[Page], list[str]]
) -> None:
    lena = browser_page(desk_installation, user="lena", reduced_motion="reduce")
    heard = complaints(lena)
    lena.goto(desk_installation.python(SET_UP))
    opened = lena.locator("#opened")
    expect(opened.locator(".katex")).to_have_count(1)
    lena.locator("#matrix").get_by_role("link", name="Beta").click()
    expect(opened.get_by_role("heading", level=2)).to_have_text("Beta")
    expect(opened.locator("[data-math]")).to_have_attribute("title", "n^2")
    expect(opened.locator(".katex")).to_have_count(1)
    assert heard == []
