"""A blinded vote study, from the draw to the question which judge may stand in for people.

Twenty items, each answered by two authors and judged by two simulated judges, one of which throws a coin now and then.
A lead draws a study in Chromium; three people vote on all forty answers by keyboard alone, each with slips of their
own; the lead closes it. People decide by what stands on their screen, so that no name can reach them.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from lib.simulated.candidate import merit
from lib.simulated.chance import Draw
from tests.support.chromium import OpenPage
from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.journeys import PASSWORD
from tests.support.keyboard import Keyboard, signed_in
from tests.support.model_server import ModelServer

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.long]

ITEMS, AUTHORS, QUESTIONS = 20, ("Opal", "Quartz"), 2
VOTES = ITEMS * len(AUTHORS)
UNITS = VOTES * QUESTIONS
MODELS = {
    "strong": "simulated-strong",
    "weak": "simulated-weak",
    "careful": "simulated-judge",
    "careless": "simulated-judge-noisy",
}
CAREFUL, CARELESS = MODELS["careful"], MODELS["careless"]
PEOPLE = ("ann", "ben", "cho")
SLIPS = 0.08  # share of the questions that a person answers the other way round
SET_UP = """
from tests.support.judged import CORRECTION, decided_item
from tests.support.people import make_project

project = make_project(slug="moons", name="Moons")
for number in range(items):
    asked = [[f"Does it correct statement {number}?", 0.6], [f"Does it give a reason for correction {number}?", 0.4]]
    item = decided_item(project, CORRECTION, checklist=asked,
                        feedback=f"Statement {number} is wrong. Show the sum of step {number}. Name both moons.")
    Item.objects.filter(pk=item.pk).update(group="Coding" if number % 4 else "Reasoning")
"""


@pytest.fixture
def installation(installations: Installations, model_server: ModelServer) -> Iterator[Installation]:
    """Answered and judged, not yet voted on."""
    with installations.serving("sqlite") as made:
        made.python(SET_UP, items=ITEMS)
        made.manage("add_member", "moons", "lena", "--role", "lead", "--password", PASSWORD)
        for name, model in MODELS.items():
            made.manage("endpoint", name, "--base-url", model_server.base_url, "--model", model, "--simulated")
        for author, endpoint in zip(AUTHORS, ("strong", "weak"), strict=True):
            made.manage("answer", "moons", "--endpoint", endpoint, "--author", author, "--wait")
        for judge in ("careful", "careless"):
            made.manage("judge", "moons", "--strategy", "checklist", "--endpoint", judge, "--wait")
        yield made


def asked(installation: Installation, *arguments: str) -> dict[str, Any]:
    return dict(json.loads(installation.manage(*arguments, "--json").stdout))


def draws(lena: Keyboard) -> None:
    """First what a draw would take, then the draw."""
    page = lena.page
    page.goto("/p/moons/")
    lena.enter("#project-doors a[href='/p/moons/results/']")
    lena.enter("#door-row a[href='/p/moons/studies/']")
    for author in range(len(AUTHORS)):
        lena.tab_to(f"#id_authors_{author}")
        lena.press("Space")
    for field, value in (("items", ITEMS), ("overlap", len(PEOPLE)), ("seed", 11), ("into", "moon-votes")):
        lena.tab_to(f"[name={field}]")
        lena.press("Control+a")
        lena.type(str(value))
    lena.enter("#study-form button[type=submit]")
    expect(page.locator("#new-study [role=status]")).to_contain_text(f"{ITEMS} items with {VOTES} answers")
    lena.enter("#new-study form[method=post] button")
    expect(page.locator("#messages")).to_contain_text(f"Study drawn: {VOTES} votes are waiting in")


def decides(person: str, answer: str, question: str) -> bool:
    """By how much of what was asked for the answer says to have settled, and a slip now and then."""
    fair = (merit(answer) or 0) > 0.5
    return fair != Draw(11, f"{person}\n{question}\n{answer}").happens(SLIPS, "slip")


def votes_on_everything(voter: Keyboard, name: str) -> None:
    page = voter.page
    page.goto("/p/moon-votes/work/")
    voter.enter("#ready button")
    for place in range(1, VOTES + 1):
        expect(page).to_have_title(re.compile(rf"^Item {place} of {VOTES}\b"))
        assert not [author for author in (*AUTHORS, *MODELS.values()) if author in page.content()]
        answer = page.locator("#material article [dir=auto]").first.inner_text()
        for number in range(QUESTIONS):
            question = page.locator(f"#question-{number + 1}").inner_text()
            voter.tab_to(f"#field-votes-{number} input[type=radio]")
            voter.press("1" if decides(name, answer, question) else "2")
        voter.submit()


def closes(lena: Keyboard) -> None:
    lena.page.goto("/p/moons/studies/")
    expect(lena.page.get_by_text("All votes are in")).to_be_visible()
    expect(lena.page.locator(".panel .num").first).to_have_text(f"{VOTES * len(PEOPLE)} / {VOTES * len(PEOPLE)}")
    lena.enter("form[action$='/close/'] button")
    expect(lena.page.locator("#messages")).to_contain_text("Study closed.")


def test_three_people_vote_blindly_and_the_careful_judge_is_ahead(
    installation: Installation, browser_page: OpenPage
) -> None:
    lena = signed_in(installation, browser_page, "lena")
    draws(lena)
    for name in PEOPLE:
        installation.manage("add_member", "moon-votes", name, "--role", "annotator", "--password", PASSWORD)
        votes_on_everything(signed_in(installation, browser_page, name), name)
    closes(lena)
    reports_say_so(installation)
    the_page_says_so(lena)
    every_number_opens(lena)


def reports_say_so(installation: Installation) -> None:
    told = asked(installation, "report", "moons", "agreement")
    accuracy = {row["judge"]: row["accuracy"] for row in told["judges"]}
    assert accuracy[CAREFUL] > accuracy[CARELESS] + 5
    assert {row["units"] for row in told["rows"]} == {UNITS}
    checklists = asked(installation, "report", "moons", "consistency")["checklists"]
    rates = {row["judge"]: row["per_question"] for row in checklists}
    assert rates[CAREFUL] > rates[CARELESS] + 5


def the_page_says_so(lena: Keyboard) -> None:
    """Who agrees with people more stands first in both columns, and is told apart by more than chance."""
    lena.page.goto("/p/moons/leaderboard/")
    lena.enter("#door-row a[href='/p/moons/agreement/']")
    figures = {name: with_people(lena.page, name) for name in (CAREFUL, CARELESS)}
    assert figures[CAREFUL] > figures[CARELESS]
    rates = {
        name: lena.page.locator("#rates tr").filter(has=lena.page.get_by_role("rowheader", name=name, exact=True))
        for name in (CAREFUL, CARELESS)
    }
    per_question = {name: float(row.locator("td.num.strong").first.inner_text()) for name, row in rates.items()}
    assert per_question[CAREFUL] > per_question[CARELESS] + 5


def with_people(page: Page, judge: str) -> float:
    """What stands in the column of people with the judge."""
    row = page.locator("#beside tbody tr").filter(has=page.get_by_text(re.compile(rf"^\s*{judge}\b(?!-)")))
    return float(row.locator("td").nth(2).locator("a.num").inner_text())


def every_number_opens(lena: Keyboard) -> None:
    """Each leads to the units that it was made of, as many as it says; one of them is opened by keyboard."""
    page = lena.page
    links = page.locator("main .panel a.figure-link, main .panel a.num").all()
    opened = {str(link.get_attribute("href")): link.inner_text() for link in links}
    assert len(opened) > 20
    for address, text in opened.items():
        answer = page.request.get(address)
        assert answer.status == 200, address
        total = re.search(r'id="pager".*?>\s*([\d,]+) units?\s*<', answer.text(), re.DOTALL)
        assert total, address
        if text.isdecimal() and "left=" not in address:
            assert total[1] == text, address
    lena.enter("#beside tbody td a.figure-link")
    first = page.locator("#units article").first
    expect(first.locator(".side")).to_have_count(len(PEOPLE) + 1)
    expect(first.locator(".side").filter(has_text=CAREFUL)).to_contain_text("The reply")
