"""The pictures of the guide, all of them, in both languages: taken of a demo that has followed the guide."""

import base64
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from scripts.guide.pages import GUIDE, LANGUAGES, ROOT, blocks
from scripts.guide.running import following
from scripts.guide.small_png import small_png
from tests.support.chromium import browser_pages, launch_options
from tests.support.installations import Installations

# Who gets items in the language of the picture, and of no other.
WRITER = "writer"
WRITERS = {"en": "ana", "zh": "bo"}
JOIN = """
for language, name in writers.items():
    for project in Project.objects.filter(slug__in=["chats", "trees"]):
        given = {"role": Member.Role.ANNOTATOR, "languages": [language]}
        Member.objects.update_or_create(project=project, user=User.objects.get(username=name), defaults=given)
User.objects.update(tours={"lead": 0, "work": 0})  # nobody is offered one in a picture
"""
LOCALES = {"en": "en-GB", "zh": "zh-CN"}
WIDE, HIGH = 1280, 800
# The browser itself reads its picture, so that no library is needed for that.
PIXELS = """async (url) => {
  const image = new Image(); image.src = url; await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height), pen = canvas.getContext('2d');
  pen.drawImage(image, 0, 0);
  const bytes = pen.getImageData(0, 0, image.width, image.height).data;
  let text = '';
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return [image.width, image.height, btoa(text)];
}"""


@dataclass(frozen=True)
class Shot:
    """who: signed in as. at: the address. to: what stands at the top of the picture; "" for the page's own beginning.
    before: what is done on the page first."""

    name: str
    who: str
    at: str
    to: str = ""
    before: Callable[[Page], None] | None = None


def _take_up(page: Page) -> None:
    """The next item, unless one is held already."""
    begin = page.locator("main form button.button--primary[type=submit]")
    if "/work/" in page.url and page.url.endswith("/work/") and begin.count():
        begin.first.click()
        page.wait_for_load_state("networkidle")


def _open_review(page: Page) -> None:
    """The item that the reviewer has in hand, or the next one."""
    page.locator("main .button--primary").first.click()
    page.wait_for_load_state("networkidle")


def _look_at_log(page: Page) -> None:
    page.set_input_files("main input[type=file]", str(ROOT / "fixtures" / "chat_log_demo.jsonl"))
    page.locator("main form button.button--primary[type=submit]").first.click()
    page.wait_for_load_state("networkidle")


SHOTS = (
    Shot("overview", "lead", "/p/demo/"),
    Shot("collect", "lead", "/p/chats/collect/", before=_look_at_log),
    Shot("work", WRITER, "/p/chats/work/", before=_take_up),
    Shot("review", "rui", "/p/demo/review/", before=_open_review),
    Shot("leaderboard", "lead", "/p/bench/leaderboard/"),
    Shot("validate", "lead", "/p/worse/work/", before=_take_up),
    Shot("blindspots", "lead", "/p/blind/blindspots/"),
    Shot("vote", "ana", "/p/bench-votes/work/", before=_take_up),
    Shot("agreement", "lead", "/p/duels/agreement/"),
    Shot("ranking", "lead", "/p/duels/ranking/"),
    Shot("tree", WRITER, "/p/trees/work/", before=_take_up),
    Shot("training", "lead", "/p/trees/training/?state=any"),
    Shot("own_vote", "lead", "/p/ours/work/", before=_take_up),
    Shot("own_questions", "lead", "/p/ours/questions/"),
)


def make_all(made: Installations, folder: Path) -> None:
    (folder / "typing").mkdir()
    with made.serving("sqlite") as installation, following(installation, folder / "typing") as follower:
        for block in blocks(LANGUAGES[0]):
            follower.run(block)
        installation.python(JOIN, writers=WRITERS)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(**launch_options())
            for language in LANGUAGES:
                with browser_pages(browser) as open_page:
                    for shot in SHOTS:
                        who = WRITERS[language] if shot.who == WRITER else shot.who
                        page = open_page(installation, user=who, locale=LOCALES[language], width=WIDE, height=HIGH)
                        path = GUIDE / "images" / language / f"{shot.name}.png"
                        path.parent.mkdir(parents=True, exist_ok=True)
                        path.write_bytes(_taken(page, shot))
                        print(path.relative_to(GUIDE), path.stat().st_size, flush=True)


def _taken(page: Page, shot: Shot) -> bytes:
    answer = page.goto(shot.at)
    assert answer is not None
    assert answer.ok, f"{shot.at}: {answer.status}"
    page.wait_for_load_state("networkidle")
    if shot.before:
        shot.before(page)
    if shot.to:
        page.locator(shot.to).first.evaluate("place => place.scrollIntoView({block: 'start'})")
    page.wait_for_timeout(300)  # until what moves stands still
    return small_picture(page, page.screenshot(animations="disabled", caret="hide"))


def small_picture(page: Page, screenshot: bytes) -> bytes:
    picture = base64.b64encode(screenshot).decode()
    # A page without our content security policy may read pictures from an address of data.
    reader = page.context.new_page()
    wide, high, pixels = reader.evaluate(PIXELS, f"data:image/png;base64,{picture}")
    return small_png(wide, high, base64.b64decode(pixels))
