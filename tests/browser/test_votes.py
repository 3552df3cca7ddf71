"""Blind votes in Chromium, by keyboard alone: reading unlocks, one letter votes, what is stored is in facts' order."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import complaints as faults_on
from tests.support.chromium import OpenPage
from tests.support.connections import expect_to_stay, refused
from tests.support.installation import Installation

pytestmark = pytest.mark.browser

PROJECT = """
from tests.support.people import make_item
project = Project.objects.create(slug=slug, name="Votes", kind_slug=kind, reviews=0, overlap=2, options=options)
person = User.objects.create_user(slug, password="long enough for a test", language=language)
Member.objects.create(project=project, user=person, role="annotator")
for number, one in enumerate(facts):
    make_item(project, key=f"{slug}-{number}", facts=one)
"""
STORED = """
found = Annotation.objects.filter(slot__project__slug=slug, submitted_at__isnull=False).order_by("submitted_at")
result = [{"draft": one.draft, "facts": one.item.facts} for one in found]
"""
LONG = "\n\n".join(f"Paragraph {number}. " + "Shade and water help the plants. " * 12 for number in range(14))
PAIRS = [{"prompt": f"Question {number}?", "first": f"One. {LONG}", "second": f"Two. {LONG}"} for number in range(3)]
SHORT = [{"prompt": "Which?", "first": "This one.", "second": "That one."}] * 2
CHECKED = [{"prompt": "How many legs has a spider?", "answer": "Eight.", "questions": ["Is it eight?", "Is it short?"]}]
TO_THE_END = "side => { side.scrollTop = side.scrollHeight }"


@dataclass
class Voter:
    installation: Installation
    page: Page
    slug: str

    def start(self) -> None:
        self.page.goto(f"/p/{self.slug}/work/")
        self.page.locator("#ready button").focus()
        self.page.keyboard.press("Enter")
        expect(self.page.locator("#annotation")).to_be_visible()
        self.page.wait_for_load_state()

    def side(self, letter: str) -> str:
        return self.page.locator(f"article[aria-labelledby=side-{letter}] [data-side]").inner_text()[:4]

    def stored(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.installation.python(STORED, slug=self.slug)
        return found


@pytest.fixture
def voter(desk_installation: Installation, browser_page: OpenPage) -> Callable[..., Voter]:
    def make(slug: str, kind: str, facts: list[dict[str, Any]], **page: Any) -> Voter:
        options = page.pop("options", {})
        language = page.pop("language", "en")
        said = {"kind": kind, "facts": facts, "options": options, "language": language}
        desk_installation.python(PROJECT, slug=slug, **said)
        return Voter(
            desk_installation, browser_page(desk_installation, user=slug, reduced_motion="reduce", **page), slug
        )

    return make


def test_a_letter_votes_once_both_answers_were_shown_to_their_ends(
    voter: Callable[..., Voter], complaints: Callable[[Page], list[str]]
) -> None:
    ann = voter("pairs", "preference", PAIRS)
    heard = complaints(ann.page)
    ann.start()
    expect(ann.page.locator("button[data-vote]").first).to_be_disabled()
    expect(ann.page.get_by_text("Read both answers to the end first.")).to_be_visible()
    ann.page.keyboard.press("a")  # locked: nothing happens
    sides = ann.page.locator("[data-side]")
    sides.first.focus()
    ann.page.keyboard.press("End")  # the other text follows it
    expect(ann.page.locator("[data-side-read]:visible")).to_have_count(2)
    expect(ann.page.locator("button[data-vote=a]")).to_be_enabled()
    shown, before = ann.side("A"), ann.page.url
    ann.page.keyboard.press("a")
    ann.page.wait_for_url(lambda url: url != before)
    expect(ann.page.locator("#toast")).to_be_visible()
    [first] = ann.stored()
    assert first["facts"][first["draft"]["choice"]].startswith(shown)
    assert heard == []


WIDE = "| a | b |\n|---|---|\n| " + "cell " * 20 + " | " + "w" * 80 + " |\n\n```\n" + "x = y * z + " * 20 + "\n```"
WORDY = [{"prompt": "A" * 90, "first": f"{WIDE}\n\n{LONG}", "second": f"{LONG}\n\n{WIDE}"}]
# Where the middle of the element is covered by something else.
COVERED = """element => { const box = element.getBoundingClientRect();
  const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return !(top && (element.contains(top) || top.contains(element))); }"""


def test_on_a_phone_both_answers_and_all_votes_are_in_reach(voter: Callable[..., Voter]) -> None:
    ann = voter("phone", "preference", WORDY, width=390, height=844)
    ann.start()
    page = ann.page
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for button in page.locator("button[data-vote]").all():
        expect(button).to_be_in_viewport(ratio=1)
    links = page.locator("[data-side-link]")
    for number in (1, 0):
        links.nth(number).click()
        expect(links.nth(number)).to_have_attribute("aria-current", "true")
        expect(page.locator(".sides article").nth(number)).to_be_in_viewport(ratio=0.1)
        page.locator("[data-side-end]").nth(number).scroll_into_view_if_needed()
        expect(links.nth(number).locator("[data-side-seen]")).to_be_visible()
        expect(links.nth(number)).to_be_in_viewport(ratio=1)
    expect(page.locator("button[data-vote=b]")).to_be_enabled()
    page.locator("#box-reason").focus()
    assert not page.locator("#box-reason").evaluate(COVERED)
    page.locator("button[data-vote=b]").click()
    expect(page.locator("#annotation")).to_have_count(0)
    assert len(ann.stored()) == 1


def test_texts_scroll_alone_when_they_are_not_linked(voter: Callable[..., Voter]) -> None:
    ann = voter("unlinked", "preference", PAIRS)
    ann.start()
    ann.page.keyboard.press("l")
    expect(ann.page.locator("[data-scroll-together]")).not_to_be_checked()
    left, right = ann.page.locator("[data-side]").all()
    left.evaluate(TO_THE_END)
    expect(ann.page.locator("[data-side-read]:visible")).to_have_count(1)
    assert right.evaluate("side => side.scrollTop") == 0
    expect(ann.page.locator("button[data-vote=a]")).to_be_disabled()


@pytest.mark.parametrize(("key", "choice"), [("e", "tie"), ("n", "both_bad"), ("x", "cannot_tell")])
def test_the_other_letters_vote_too_and_undo_takes_a_vote_back(
    voter: Callable[..., Voter], key: str, choice: str
) -> None:
    ann = voter(f"letter-{key}", "preference", SHORT)
    ann.start()
    expect(ann.page.locator("button[data-vote=a]")).to_be_enabled()
    ann.page.get_by_label("Reason (optional)").fill("an e, an n and an x")  # letters in a text are letters
    ann.page.keyboard.press("Escape")
    before = ann.page.url
    ann.page.locator("#field-choice").focus()
    ann.page.keyboard.press(key)
    ann.page.wait_for_url(lambda url: url != before)
    assert [(one["draft"]["choice"], one["draft"]["reason"]) for one in ann.stored()] == [
        (choice, "an e, an n and an x")
    ]
    ann.page.get_by_role("button", name="Undo").click()
    expect(ann.page.locator(f"button[data-vote={key}]")).to_have_attribute("aria-pressed", "true")
    assert ann.stored() == []


def test_votes_are_open_without_javascript(voter: Callable[..., Voter]) -> None:
    ann = voter("plain", "preference", PAIRS, java_script_enabled=False)
    ann.start()
    shown = ann.side("B")
    ann.page.get_by_role("button", name="B is better").click()
    [first] = ann.stored()
    assert first["facts"][first["draft"]["choice"]].startswith(shown)


def test_a_checklist_is_answered_by_numbers_alone(voter: Callable[..., Voter]) -> None:
    ann = voter("checks", "checklist_vote", CHECKED)
    ann.start()
    expect(ann.page.get_by_text("Check these first")).to_have_count(0)
    ann.page.keyboard.press("1")
    expect(ann.page.locator("#field-votes-1")).to_be_focused()
    ann.page.keyboard.press("3")
    ann.page.keyboard.press("Control+Enter")
    expect(ann.page.locator("#toast")).to_be_visible()
    assert [one["draft"]["votes"] for one in ann.stored()] == [["yes", "cannot_tell"]]


@pytest.mark.parametrize(
    ("kind", "facts"),
    [("preference", PAIRS), ("checklist_vote", CHECKED), ("score_vote", [{"prompt": "Why?", "answer": "So."}])],
)
@pytest.mark.slow
def test_axe_has_no_complaint(voter: Callable[..., Voter], kind: str, facts: list[dict[str, Any]]) -> None:
    """In light and dark, wide and narrow."""
    ann = voter(f"axe-{kind.replace('_', '-')}", kind, facts)
    ann.start()
    assert faults_on(ann.page) == []


def test_the_desk_speaks_chinese(voter: Callable[..., Voter]) -> None:
    ann = voter("chinese", "preference", SHORT, language="zh-hans", locale="zh-CN")
    ann.start()
    expect(ann.page.locator("html")).to_have_attribute("lang", "zh-hans")


def test_a_refused_connection_leaves_the_pair_and_the_reason(voter: Callable[..., Voter]) -> None:
    ada = voter("refused", "preference", SHORT)
    ada.start()
    here = ada.page.url
    expect(ada.page.locator("[data-vote=a]")).to_be_enabled()
    with refused(ada.page):
        ada.page.locator("#box-reason").fill("It is shorter.")
        ada.page.locator("[data-vote=a]").click()
        expect_to_stay(ada.page, here)
        expect(ada.page.locator("[data-vote=a]")).to_be_enabled()
    expect(ada.page.locator("#box-reason")).to_have_value("It is shorter.")
    ada.page.locator("[data-vote=a]").click()
    expect(ada.page.locator("#toast")).to_be_visible()
    assert [vote["draft"]["reason"] for vote in ada.stored()] == ["It is shorter."]
