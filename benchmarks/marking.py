import json
from collections.abc import Iterator
from itertools import chain
from statistics import median, quantiles

from playwright.sync_api import Page, sync_playwright

from benchmarks.figures import Figure, at_most
from benchmarks.in_process import looked
from benchmarks.places import installation
from tests.support.chromium import launch_options, session_cookie
from tests.support.installation import Installation

ABOUT = (
    "Marking spans by keys in Chromium, in a text of 20,000 characters with 400 spans and, in the same run, with 4: "
    "the time from a key to the frame that shows what it did, which includes the wait for that frame (16.7 ms). "
    "Rendered: the same with 400 spans on Markdown with lists, tables, links and emphasis."
)
CHARACTERS, MANY, FEW, ROUNDS = 20_000, 400, 4, 12
TARGET = 50  # milliseconds
# One round: by words, a span of three words with label and severity, its end moved, the next span and back,
# the span taken away and brought back, the ends of the line.
ROUND = {
    "move": ["ArrowRight", "ArrowRight", "ArrowDown", "Home", "End"],
    "extend": ["m", "ArrowRight", "ArrowRight"],
    "mark": ["Enter"],
    "label": ["1", "a"],
    "move edges": ["e", "ArrowRight", "Enter"],
    "choose": ["Tab", "Shift+Tab"],
    "remove": ["Alt+x", "Control+z"],
}


def measure() -> Iterator[Figure]:
    with installation("sqlite") as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options())
        place.serve(forked=False)
        texts = {"few": (FEW, _text()), "many": (MANY, _text()), "rendered": (MANY, _markdown())}
        paths = {
            slug: place.python(HELD, slug=f"spans-{slug}", text=text, spans=_spans(spans, text))
            for slug, (spans, text) in texts.items()
        }
        few, many, rendered = (
            _of_a_page(browser.new_context(base_url=place.url).new_page(), place, slug, path, texts[slug][0])
            for slug, path in paths.items()
        )
        browser.close()
        for slug, kind in (("many", ""), ("rendered", ", rendered")):
            look = looked(place, f"spans-{slug}", paths[slug])
            assert look.status == 200, f"{paths[slug]} answers {look.status}."
            yield at_most(f"{MANY} spans{kind}: the page at the server, CPU", round(look.web, 1), 150, "ms")
    for kind, times in (("", many), (", rendered", rendered)):
        for action, milliseconds in times.items():
            name = f"{MANY} spans{kind}: {action}, p95"
            yield at_most(name, round(quantiles(milliseconds, n=20)[-1], 1), TARGET, "ms")
    medians = [median(chain(*of.values())) for of in (few, many, rendered)]
    for kind, middle in zip((f"{FEW} spans", f"{MANY} spans", f"{MANY} spans, rendered"), medians, strict=True):
        yield Figure(f"{kind}: median of all keys", round(middle, 1), unit="ms")
    yield Figure(f"median with {MANY} spans by median with {FEW}", round(medians[1] / medians[0], 2))


def _of_a_page(page: Page, place: Installation, slug: str, path: str, spans: int) -> dict[str, list[float]]:
    """action -> milliseconds of its keys."""
    page.context.add_cookies([session_cookie(place, f"spans-{slug}")])  # type: ignore[list-item]
    page.add_init_script(LISTEN)  # before the page's own listeners, which let no other one have their keys
    page.goto(path, wait_until="networkidle")
    page.locator("#field-errors").focus()
    page.keyboard.press("m")
    for key in ["ArrowDown"] * 3:
        page.keyboard.press(key)
    found: dict[str, list[float]] = {action: [] for action in ROUND}
    for _round in range(ROUNDS):
        for action, keys in ROUND.items():
            found[action] += [_painted(page, key) for key in keys]
    marked = len(json.loads(page.locator("#field-errors textarea[name=q-errors]").first.input_value())) - spans
    assert marked >= ROUNDS // 2, f"{ROUNDS} rounds marked {marked} spans; the keys of a round no longer do it."
    return found


def _painted(page: Page, key: str) -> float:
    page.evaluate("() => { window.painted = new Promise((resolve) => { window.tell = resolve; }); }")
    page.keyboard.press(key)
    return float(page.evaluate("() => window.painted"))


LISTEN = """
window.tell = () => {};
addEventListener("keydown", (event) => {
  if (["Shift", "Alt", "Control"].includes(event.key)) return;
  const { timeStamp } = event, channel = new MessageChannel();
  channel.port1.onmessage = () => tell(performance.now() - timeStamp);
  requestAnimationFrame(() => channel.port2.postMessage(null)); // comes after the frame has been painted
}, { capture: true });
"""
HELD = '''
from annotate.project.actions import create_project
from annotate.work import desk
from tests.support.people import make_item, written
definition = """show: [{field: target}]
questions:
  - {name: errors, type: spans, on: [target], labels: [Wrong, Missing], attributes: {severity: [Minor, Major]}}
"""
project = create_project(slug=slug, kind="form", reviews=0, definition=definition)
make_item(project, facts={"target": text})
user = User.objects.create_user(slug)
member = Member.objects.create(project=project, user=user, role="annotator")
slot = desk.open_next(member)
written(slot, member, {"errors": spans})
result = f"/p/{slug}/work/{slot.pk}/"
'''


def _text() -> str:
    """Paragraphs of some hundred characters."""
    sentence = "The house on the hill was built of stone by people who came from the north and stayed for a year. "
    paragraph = sentence * 6
    return "\n".join([paragraph.strip()] * (CHARACTERS // len(paragraph) + 1))[:CHARACTERS]


def _markdown() -> str:
    """Parts of a heading, a paragraph, a list and a table; about every tenth word has a mark."""
    sentence = "The **house** on the hill was built of *stone* by people who [came](https://a.example) from the north. "
    item = "- stayed for a `year`, and then\n  - went on to the **south**\n"
    table = "\n| who | how long |\n|---|---|\n| the *first* | one year |\n| the second | ten years |\n\n"
    part = f"## What was built\n\n{sentence * 4}\n\n{item * 3}{table}"
    return (part * (CHARACTERS // len(part) + 1))[:CHARACTERS]


def _spans(number: int, text: str) -> list[dict[str, object]]:
    """Spread over the text; where there are many, every other one overlaps the next."""
    step = CHARACTERS // (number + 1)
    return [_span(place, step // 2 + place * step, text) for place in range(number)]


def _span(place: int, start: int, text: str) -> dict[str, object]:
    end = start + 30 + 30 * (place % 2)
    label, severity = ("Wrong", "Missing")[place % 2], ("Major", "Minor", "Minor")[place % 3]
    span = {"field": "target", "start": start, "end": end, "text": text[start:end]}
    return span | {"label": label, "severity": severity}
