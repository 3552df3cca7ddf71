"""A study of blind pairs by keyboard alone, in English and Chinese, on a wide screen and on a phone.

Five pairs, one for each vote. Nothing can be voted on before both answers were shown to their ends; the lead then sees
that all votes are in, and what each of them says about the authors.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

import pytest
from playwright.sync_api import expect

from tests.support.chromium import OpenPage
from tests.support.installation import Installation
from tests.support.keyboard import Keyboard

pytestmark = [pytest.mark.browser, pytest.mark.slow]
_numbers = count(1)

PAINTED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
VOTES = ("a", "b", "e", "n", "x")
AUTHORS = ("Opal", "Quartz")
TEXTS = {
    "en": "Paragraph {n} of {author}. " + "Shade and water help the plants. " * 12,
    "zh-hans": "第 {n} 段，{author}。" + "遮阴和浇水对植物有好处。" * 24,
}
SET_UP = """
from tests.support.judged import CORRECTION, answer_of, decided_item
from tests.support.people import make_project
from tests.support.studies import drawn

source = make_project(slug=slug + "-source", name="Plants")
for number in range(5):
    item = decided_item(source, CORRECTION)
    for place, author in enumerate(authors):
        said = "\\n\\n".join(text.format(n=n, author="one" if place else "two") for n in range(1, 15))
        answer_of(item, author, text=f"Pair {number}: {said}")
drawn(source, into=slug, overlap=1, authors=authors)
lead = slug + "-lead"
for name, role, project in ((slug, "annotator", slug), (lead, "lead", slug), (lead, "lead", slug + "-source")):
    person, _made = User.objects.get_or_create(username=name, defaults={"language": language})
    Member.objects.create(project=Project.objects.get(slug=project), user=person, role=role)
"""
STORED = """
from judging.models import Ballot
found = Annotation.objects.filter(slot__project__slug=slug, submitted_at__isnull=False).order_by("submitted_at")
sides = {one.item_id: [one.first.text, one.second.text] for one in Ballot.objects.select_related("first", "second")}
result = [[one.draft["choice"], *sides[one.item_id]] for one in found]
"""


@dataclass
class Voter(Keyboard):
    slug: str

    def side(self, letter: str) -> str:
        return self.page.locator(f"article[aria-labelledby=side-{letter}] [data-side]").inner_text()

    def reads(self) -> None:
        """Both answers to their ends; until then no letter votes."""
        page = self.page
        here = page.url
        for place in (1, 2):
            expect(page.locator("button[data-vote=a]")).to_be_disabled()
            for vote in VOTES:
                self.press(vote)
            self.tab_to(f".sides article:nth-of-type({place}) [data-side]")
            page.evaluate(PAINTED)  # nobody presses two keys within one frame
            self.press("End")
            expect(page.locator(f".sides article:nth-of-type({place}) .text__foot--read")).to_be_attached()
            if page.locator("[data-scroll-together]").is_visible():
                break  # the other text went along
        expect(page.locator("button[data-vote=a]")).to_be_enabled()
        assert page.url == here

    def votes(self, letter: str) -> None:
        with self.page.expect_navigation():
            self.press(letter)


@pytest.fixture
def voter(desk_installation: Installation, browser_page: OpenPage) -> Callable[..., Voter]:
    def made(language: str, width: int) -> Voter:
        slug = f"pairs-{next(_numbers)}"
        said = {"language": language, "text": TEXTS[language], "authors": list(AUTHORS)}
        desk_installation.python(SET_UP, slug=slug, **said)
        page = browser_page(desk_installation, user=slug, width=width, height=844, reduced_motion="reduce")
        return Voter(page, slug)

    return made


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_vote_by_its_letter_once_both_texts_were_read(
    voter: Callable[..., Voter], desk_installation: Installation, browser_page: OpenPage, language: str, width: int
) -> None:
    ann = voter(language, width)
    ann.page.goto(f"/p/{ann.slug}/work/")
    ann.enter("#ready button")
    shown: list[tuple[str, str]] = []
    for letter in VOTES:
        expect(ann.page.locator("html")).to_have_attribute("lang", language)
        assert not [author for author in AUTHORS if author in ann.page.content()]
        assert ann.page.evaluate("document.documentElement.scrollWidth") <= width
        ann.reads()
        shown.append((ann.side("A"), ann.side("B")))
        ann.votes(letter)
    stored = desk_installation.python(STORED, slug=ann.slug)
    assert [agreed(letter, *sides, *row) for letter, sides, row in zip(VOTES, shown, stored, strict=True)] == [True] * 5
    lena = Keyboard(browser_page(desk_installation, user=f"{ann.slug}-lead", width=width, reduced_motion="reduce"))
    the_lead_closes(lena, ann.slug)
    told = json.loads(desk_installation.manage("report", f"{ann.slug}-source", "agreement", "--json").stdout)
    assert told["people"]["raters"] == [ann.slug]


def agreed(letter: str, left: str, right: str, choice: str, first: str, second: str) -> bool:
    """Whether what is stored is what stood on the side that was chosen; facts keep their own order."""
    if letter in "ab":
        chosen = {"first": first, "second": second}[choice]
        return same(chosen, left if letter == "a" else right)
    return {"e": "tie", "n": "both_bad", "x": "cannot_tell"}[letter] == choice and {first[:2], second[:2]} == {
        left[:2],
        right[:2],
    }


def same(stored: str, shown: str) -> bool:
    return "".join(stored.split()) == "".join(shown.split())


def the_lead_closes(lena: Keyboard, slug: str) -> None:
    lena.page.goto(f"/p/{slug}-source/studies/")
    expect(lena.page.locator(".panel .num").first).to_have_text("5 / 5")
    lena.enter("form[action$='/close/'] button")
    expect(lena.page.locator("#messages")).to_be_visible()
    expect(lena.page.locator("form[action$='/close/']")).to_have_count(0)
