"""A study from its design to its end: a lead makes it in the browser, three people vote by keyboard until its budget is
used up, one of them twice on one pair and one who recognises a model; the live page, and the ranking once it is closed.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.support.chromium import OpenPage
from tests.support.installation import Installation
from tests.support.keyboard import Keyboard

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SOURCE, VOTES = "designed-source", "designed-votes"
PEOPLE = {"designed-ann": 3, "designed-ben": 2, "designed-cem": 1}  # of five pairs and one repetition
SET_UP = """
from tests.support.judged import CORRECTION, answer_of, decided_item
from tests.support.people import make_project

source = make_project(slug=slug, name="Moons")
for number in range(6):
    item = decided_item(source, CORRECTION)
    for author in ("Opal", "Quartz"):
        answer_of(item, author, text=f"I am {author}: case {number} has {2 if author == 'Opal' else 3} moons.")
person, _made = User.objects.get_or_create(username=slug + "-lead")
Member.objects.create(project=source, user=person, role="lead")
"""
LET_IN = """
project = Project.objects.get(slug=slug)
for name in people:
    person, _made = User.objects.get_or_create(username=name)
    Member.objects.create(project=project, user=person, role="annotator")
# Who comes first gets the pair that is asked again first, whatever chance would have given.
repeated = project.items.exclude(parent=None).values_list("parent", flat=True)
Slot.objects.filter(item__in=repeated).update(priority=9)
"""
GO_HOME = """
from annotate.items import leases
for slot in Slot.objects.held().filter(project__slug=slug):
    leases.free(slot)
"""
STORED = """
rows = Annotation.objects.filter(slot__project__slug=slug, submitted_at__isnull=False).order_by("submitted_at")
result = [[one.author.username, one.item.parent_id or one.item_id, one.item.parent_id is not None,
           one.draft["choice"], one.draft["recognised"]] for one in rows.select_related("author", "item")]
"""


def test_a_study_from_its_design_to_its_ranking(desk_installation: Installation, browser_page: OpenPage) -> None:
    desk_installation.python(SET_UP, slug=SOURCE)
    lena = browser_page(desk_installation, user=f"{SOURCE}-lead", width=1440, reduced_motion="reduce")
    the_lead_draws(lena)
    desk_installation.python(LET_IN, slug=VOTES, people=list(PEOPLE))
    for name, votes in PEOPLE.items():
        one = Keyboard(browser_page(desk_installation, user=name, width=1440, reduced_motion="reduce"))
        somebody_votes(one, votes, recognises=name == "designed-ben")
        desk_installation.python(GO_HOME, slug=VOTES)  # what they have in hand is for the next one
    said = desk_installation.python(STORED, slug=VOTES)
    assert [row[0] for row in said].count("designed-ann") == 3
    twice = [row for row in said if row[1] == next(row[1] for row in said if row[2])]
    # Ann took the left answer both times, with another pair in between: the sides were exchanged.
    assert [(row[0], row[2]) for row in twice] == [("designed-ann", False), ("designed-ann", True)]
    assert said.index(twice[1]) - said.index(twice[0]) == 2
    assert [row[3] for row in twice] == [twice[0][3], twice[0][3]]
    assert sum(row[4] for row in said) == 1
    the_lead_looks(lena)


def the_lead_draws(page: Page) -> None:
    page.goto(f"/p/{SOURCE}/studies/")
    page.select_option("[name=kind]", "preference")
    page.check("[name=authors][value=Opal]")
    page.check("[name=authors][value=Quartz]")
    page.select_option("[name=design]", "balanced")
    page.click("#repetitions summary")
    for name, value in {"items": "6", "overlap": "1", "votes": "6", "repeats": "20", "apart": "1", "seed": "11",
                        "into": VOTES, "name": "Autumn"}.items():  # fmt: skip
        page.fill(f"[name={name}]", value)
    page.click("#study-form button[type=submit]")
    preview = page.locator("#new-study [role=status]")
    expect(preview).to_contain_text("6 in total, 1 on each")
    expect(preview).to_contain_text("Repeated with sides swapped")
    expect(preview).to_contain_text("Answers that name a model")
    page.click("#new-study form[method=post] button")
    expect(page.locator("#messages")).to_contain_text("6 votes are waiting")


def somebody_votes(one: Keyboard, votes: int, *, recognises: bool) -> None:
    one.page.goto(f"/p/{VOTES}/work/")
    one.enter("#ready button")
    for number in range(votes):
        expect(one.page.locator("button[data-vote=a]")).to_be_enabled()
        content = one.page.content()
        assert "Opal" not in content
        assert "Quartz" not in content
        if recognises and number == 0:
            one.press("i")
            expect(one.page.locator("[name=recognised]")).to_be_checked()
        with one.page.expect_navigation():
            one.press("a")
    if votes == 1:  # the last one
        expect(one.page.locator("#nothing")).to_contain_text("All votes are in, thank you")


def the_lead_looks(page: Page) -> None:
    page.goto(f"/p/{SOURCE}/studies/")
    page.click(".panel__head h2 a")
    votes = page.locator("#votes")
    expect(votes).to_contain_text("6 / 6")
    expect(votes).to_contain_text("The budget is used up")
    expect(votes).to_contain_text("Same side both times")
    expect(page.locator("#people tbody tr")).to_have_count(3)
    expect(page.locator("#results")).to_have_count(0)
    page.click("form[action$='/close/'] button")
    page.click(".panel__head h2 a")
    expect(page.locator("#results tbody tr")).to_have_count(2)
    page.goto(page.url + "leaks/")
    expect(page.locator("#findings")).to_contain_text("Nothing found")
    expect(page.locator("#named tbody tr")).to_have_count(10)
