"""A picture of each type of question, for docs/forms.md: of one item that is asked all of them, in English."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Locator, Page, sync_playwright

from scripts.guide.pages import ROOT
from scripts.guide.pictures import small_picture
from tests.support.chromium import browser_pages, launch_options
from tests.support.installations import Installations

FOLDER = ROOT / "docs" / "images" / "questions"
MOST = 40_000  # bytes of a picture
WIDE, HIGH, ROOM = 1280, 900, 12
SET_UP = '''
from annotate.project.actions import create_project
from tests.support.people import make_item
definition = """
show:
  - {field: answer, as: text, title: Answer}
  - {field: log, as: chat, title: Log}
  - {field: response_a}
  - {field: response_b}
questions:
  - {name: errors, type: spans, on: [answer], ask: Which errors does it have?, labels: {Accuracy: [Wrong, Made up],
     Style: []}, attributes: {severity: [Minor, Major]}, none: No error}
  - {name: steps, type: choice, options: [right, wrong], on_each: turns, of: log, ask: Is each step right?}
  - {name: first_wrong, type: step, of: log, roles: [assistant], none: No wrong step, ask: Which step is the first wrong
     one?}
  - {name: fluency, type: rating, ask: How natural is it?, scale: {"1": unreadable, "3": fair, "5": native}}
  - {name: safe, type: choice, ask: Is it safe?, options: ["yes", "no", cannot tell]}
  - {name: topics, type: choices, ask: What is it about?, options: [travel, food, health, money], least: 1}
  - {name: better, type: pair, of: [response_a, response_b], ask: Which response is better?}
  - {name: order, type: ranking, of: [response_a, response_b], ask: Rank the responses}
  - {name: fixed, type: text, start: answer, compare: answer, ask: Correct the answer}
  - {name: price, type: number, min: "0", step: "0.01", unit: euros, ask: What does it cost?}
  - {name: rubric, type: rubric, from: rubrics, ask: What does the answer do?}
  - {name: wanted, type: criteria, ask: Which criteria should a good answer meet?}
"""
project = create_project(slug="types", name="Types", kind="form", reviews=0, definition=definition)
call = {"id": "c", "function": {"name": "timetable", "arguments": '{"to": "Ghent", "day": "Sunday"}'}}
make_item(project, key="trip", facts={
    "answer": "The first train to Ghent leaves before dawn on Sundays and tickets is free for children.",
    "log": [
        {"role": "user", "content": "When is the first train to Ghent on Sunday?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "06:40, 07:40, 08:40"},
        {"role": "assistant", "content": "It leaves at 5:40."},
    ],
    "response_a": "It leaves at 6:40, from platform 3.",
    "response_b": "Trains leave all day.",
    "rubrics": [
        {"criterion": "Says when the first train leaves.", "points": 5, "tags": ["content"]},
        {"criterion": "Says on which day.", "points": 2},
        {"criterion": "Names a wrong time.", "points": -4},
    ],
})
user = User.objects.create(username="ana")
Member.objects.create(project=project, user=user, role="annotator")
User.objects.update(tours={"lead": 0, "work": 0})
'''


@dataclass(frozen=True)
class TypeShot:
    """name: of the picture. question: its name. act: answers it. beside: another part of the page that it shows."""

    name: str
    question: str
    act: Callable[[Page, Locator], None]
    beside: str = ""


def _press(*keys: str) -> Callable[[Page, Locator], None]:
    def press(page: Page, field: Locator) -> None:
        field.focus()
        for key in keys:
            page.keyboard.press(key)

    return press


def _type(text: str, then: str = "") -> Callable[[Page, Locator], None]:
    """then: what is there once the answer is saved."""

    def fill(page: Page, field: Locator) -> None:
        field.locator("textarea, input").first.fill(text)
        if then:
            page.locator(then).first.wait_for()

    return fill


def _write_criteria(page: Page, field: Locator) -> None:
    for row, (criterion, points, tags) in enumerate(CRITERIA):
        if row:
            page.keyboard.press("Alt+Enter")
        places = field.locator("[data-row-no]").nth(row).locator("textarea, input").all()
        for place, words in zip(places, (criterion, points, tags), strict=True):
            place.fill(words)
        field.locator("textarea").nth(row).focus()


CRITERIA = (
    ("Says when the first train leaves.", "5", "content"),
    ("Says on which day.", "2", "content"),
    ("Names a wrong time.", "-4", ""),
)
CORRECTED = "The first train to Ghent leaves at 6:40 on Sundays and tickets are free for children."
# The eighth word is wrong, the verb four words after it is bad style.
MARKS = ("m", *["ArrowRight"] * 7, "m", "ArrowRight", "Enter", "1", "a", *["ArrowRight"] * 4, "m", "ArrowRight")
SHOTS = (
    TypeShot("spans", "errors", _press(*MARKS, "ArrowRight", "Enter", "3", "i", "Escape"), "#turn-1"),
    TypeShot("turns", "steps", _press("1", "2"), "#turn-2"),
    TypeShot("step", "first_wrong", _type("4")),
    TypeShot("rating", "fluency", _press("4")),
    TypeShot("choice", "safe", _press("1")),
    TypeShot("choices", "topics", _press("1", "4")),
    TypeShot("pair", "better", _press("1")),
    TypeShot("ranking", "order", _press("1", "2")),
    TypeShot("text", "fixed", _type(CORRECTED, "#compared-fixed ins"), "#compared-fixed"),
    TypeShot("number", "price", _type("12.50")),
    TypeShot("rubric", "rubric", _press("1", "1", "1")),
    TypeShot("criteria", "wanted", _write_criteria),
)


def make_question_pictures(made: Installations, folder: Path) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with made.serving("sqlite") as installation, sync_playwright() as playwright:
        installation.python(SET_UP)
        browser = playwright.chromium.launch(**launch_options())
        with browser_pages(browser) as open_page:
            page = open_page(installation, user="ana", locale="en-GB", width=WIDE, height=HIGH)
            page.goto("/p/types/work/")
            page.locator("form[action$='/work/next/'] button").click()
            page.wait_for_load_state("networkidle")
            for shot in SHOTS:
                path = FOLDER / f"{shot.name}.png"
                path.write_bytes(_taken(page, shot))
                assert path.stat().st_size <= MOST, f"{path.name}: {path.stat().st_size} bytes"
                print(path.name, path.stat().st_size, flush=True)


def _taken(page: Page, shot: TypeShot) -> bytes:
    field = page.locator(f"#field-{shot.question}")
    shot.act(page, field)
    field.focus()
    parts = [field, *([page.locator(shot.beside)] if shot.beside else [])]
    for part in reversed(parts):
        part.evaluate("place => place.scrollIntoView({block: 'start'})")
    page.wait_for_timeout(400)
    boxes = [box for part in parts if (box := part.bounding_box())]
    left, top = min(box["x"] for box in boxes) - ROOM, max(0, min(box["y"] for box in boxes) - ROOM)
    right = max(box["x"] + box["width"] for box in boxes) + ROOM
    bottom = min(HIGH, max(box["y"] + box["height"] for box in boxes) + ROOM)
    clip = {"x": left, "y": top, "width": right - left, "height": bottom - top}
    return small_picture(page, page.screenshot(animations="disabled", caret="hide", clip=clip))
