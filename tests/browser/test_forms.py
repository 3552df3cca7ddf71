"""Own questions in a browser: every type answered by keys alone, conditions at once, and the page that makes them."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.test_accessibility import complaints
from tests.support.chromium import OpenPage
from tests.support.every_question import ANSWERS, OTHER_ANSWERS
from tests.support.installation import Installation
from tests.support.keyboard import Keyboard
from tests.support.pictures import packed

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SET_UP = '''
from annotate.project.actions import create_project
from tests.support.people import make_item
definition = """show: [{field: prompt}, {field: a}, {field: b}]
questions:
  - {name: fluency, type: rating, ask: How natural?, scale: {"1": bad, "5": good}}
  - {name: safe, type: choice, options: ["yes", "no"], when: {fluency: at least 2}}
  - {name: better, type: pair, of: [a, b]}
  - {name: order, type: ranking, of: [a, b]}
  - {name: topics, type: choices, options: [news, code], required: false}
  - {name: price, type: number, required: false}
  - {name: why, type: text, start: a, compare: a}
"""
project = create_project(slug="forms", kind="form", reviews=0, definition=definition)
for number in range(2):
    facts = {"prompt": f"Question {number}", "a": "one fish", "b": "two fish"}
    make_item(project, facts=facts, metadata={"model": "m"})
for name, role in (("fay", "annotator"), ("lena", "lead")):
    user = User.objects.get_or_create(username=name)[0]
    Member.objects.create(project=project, user=user, role=role)
'''
ANSWER = """
item = Item.objects.filter(project__slug="forms", state="accepted").get()
result = item.base.draft
"""


@pytest.fixture
def fay(desk_installation: Installation, browser_page: OpenPage) -> Page:
    desk_installation.python(SET_UP)
    page = browser_page(desk_installation, user="fay", locale="en-GB")
    page.goto("/p/forms/work/")
    page.locator("form[action$='/work/next/'] button").click()
    page.wait_for_url("**/work/*/")
    return page


def test_every_question_is_answered_by_keys_and_the_definition_is_changed(
    fay: Page, desk_installation: Installation, browser_page: OpenPage
) -> None:
    safe = fay.locator("#field-safe")
    expect(safe).to_be_hidden()
    fay.keyboard.press("1")  # bad: not safe to ask
    expect(safe).to_be_hidden()
    fay.keyboard.press("ArrowUp")
    fay.keyboard.press("4")
    expect(safe).to_be_visible()
    expect(safe).to_be_focused()
    for key in ("1", "1", "2", "1", "2", "ArrowDown", "Enter"):  # safe; better; both ranks; a topic; on; the price
        fay.keyboard.press(key)
    fay.keyboard.type("2,5")
    fay.keyboard.press("Escape")
    fay.keyboard.press("ArrowDown")
    fay.keyboard.press("Enter")
    fay.keyboard.press("End")
    fay.keyboard.type(" and more")
    expect(fay.locator("#compared-why")).to_contain_text("and more")
    assert complaints(fay) == []
    fay.keyboard.press("Control+Enter")
    expect(fay).to_have_title(re.compile("Item 2 of 2"))
    draft = desk_installation.python(ANSWER)
    assert (draft["fluency"], draft["safe"], draft["topics"]) == (4, "yes", ["code"])
    assert sorted(draft["order"]) == [1, 2]
    assert (draft["price"], draft["why"]) == (2.5, "one fish and more")

    lena = browser_page(desk_installation, user="lena", locale="en-GB")
    lena.goto("/p/forms/questions/?edit=text")
    text = lena.get_by_label("Questions, as YAML")
    text.fill(
        text.input_value().replace("name: fluency", "name: natural, formerly: fluency").replace("{fluency", "{natural")
    )
    expect(lena.get_by_role("row", name="natural")).to_contain_text("under a new name")
    assert complaints(lena) == []
    lena.get_by_role("button", name="Save as new version").click()
    expect(lena.get_by_text("Everyone now works on version 2")).to_be_visible()

    lena.get_by_label("Type of the new question").select_option("choice")
    lena.get_by_role("button", name="Add a question").click()
    expect(lena.locator("#id_card-name")).to_have_value("choice")  # instead of the card that was open
    lena.locator("#id_card-ask-all").fill("Is it polite?")
    expect(lena.locator("#preview")).to_contain_text("Is it polite?")
    lena.get_by_role("button", name="Move choice up").click()
    expect(lena.locator("#up-questions\\.6")).to_be_focused()
    assert complaints(lena) == []
    lena.get_by_role("button", name="Save as new version").click()
    expect(lena.get_by_text("Everyone now works on version 3")).to_be_visible()

    lena.get_by_role("link", name="From Label Studio or Argilla").click()
    lena.get_by_label("Paste it here").fill(CONFIG)
    lena.get_by_role("button", name="Convert").click()
    expect(lena.get_by_text("this tag has no counterpart")).to_be_visible()
    assert complaints(lena) == []
    lena.get_by_role("button", name="Open in the editor").click()
    expect(lena.locator("#preview")).to_contain_text("Is it kind?")

    lena.goto("/p/forms/agreement/")
    assert complaints(lena) == []
    item = desk_installation.python("result = Item.objects.filter(project__slug='forms', state='accepted').get().pk")
    lena.goto(f"/p/forms/agreement/items/{item}/")
    expect(lena.locator("#answers")).to_contain_text("one fish and more")
    assert complaints(lena) == []
    lena.goto("/p/forms/files/")
    assert complaints(lena) == []
    lena.get_by_label("Files", exact=True).set_input_files(
        [
            {"name": "a.txt", "mimeType": "text/plain", "buffer": b"a"},
            {"name": "set.zip", "mimeType": "application/zip", "buffer": packed({"b.txt": b"b", "c.html": b"<html>"})},
        ]
    )
    lena.get_by_role("button", name="Add files").click()
    expect(lena.get_by_text("1 file added.")).to_be_visible()
    desk_installation.python(UNPACK)
    expect(lena.locator("#outcomes")).to_contain_text("b.txt")
    expect(lena.locator("#batch-head")).to_contain_text("Done")
    assert complaints(lena) == []
    lena.goto("/p/forms/files/")
    lena.get_by_role("link", name="Remove files that no item names").click()
    expect(lena.get_by_role("heading", name="Remove 2 files that no item names?")).to_be_visible()
    assert complaints(lena) == []


UNPACK = """
from annotate.chores import run_batch
run_batch.work(Batch.objects.get(project__slug="forms").pk, whole=True)
result = True
"""
CONFIG = """<View><Text name="prompt" value="$prompt"/><Header value="Is it kind?"/>
<Rating name="kind" toName="prompt"/><DateTime name="day" toName="prompt"/></View>"""
SPANS = '''
from annotate.project.actions import create_project
from tests.support.people import make_item
definition = """show: [{field: target}, {field: source}]
questions:
  - {name: errors, type: spans, on: [target, source], labels: [Wrong, Missing], attributes: {severity: [Minor, Major]}}
"""
project = create_project(slug="spans", kind="form", reviews=0, definition=definition)
make_item(project, facts={"target": "Open 👩‍👧 until nine o’clock.", "source": "周六👩‍👧开放至九点"})
for name, role in (("sam", "annotator"), ("lena", "lead")):
    Member.objects.create(project=project, user=User.objects.get_or_create(username=name)[0], role=role)
'''
MARKED = """
item = Item.objects.filter(project__slug="spans", state="accepted").get()
result = item.base.draft["errors"]
"""
# Into the text, to its end and back by clauses, to “until”, two words; the first label, Major; its end one word back;
# the second label instead.
IN_ENGLISH = "m Control+→ Control+← → → m → → Enter 1 a e Alt+← Alt+← ← Enter 2"
# Down into the Chinese text, over two characters; the whole emoji and one character more; labelled like the last one,
# but Minor; gone and back again.
IN_CHINESE = "↓ ↓ Home → → m Alt+→ → . i Alt+x Control+z"


# The line around each place of a text that the page breaks, also of a place at the end of a line.
LINES = """(text) => {
  const element = Object.assign(document.createElement("div"), { textContent: text });
  element.style = "width: 6em; font: 16px monospace; white-space: pre-wrap";
  document.body.append(element);
  const marked = new MarkedText(element, new MarkedText.StoredText(text, "")), lines = [];
  for (marked.caret = 0; marked.caret <= text.length; marked.caret += 1) {
    const { start, end } = marked.lineAround();
    lines.push(text.slice(start, end));
    marked.lineEnd = end;
  }
  element.remove();
  return [...new Set(lines)];
}"""


def test_spans_are_marked_by_keys_in_words_and_in_characters(
    desk_installation: Installation, browser_page: OpenPage
) -> None:
    desk_installation.python(SPANS)
    page = browser_page(desk_installation, user="sam", locale="en-GB")
    page.goto("/p/spans/work/")
    page.locator("form[action$='/work/next/'] button").click()
    page.wait_for_url("**/work/*/")
    for key in f"{IN_ENGLISH} {IN_CHINESE}".split():
        page.keyboard.press(key.replace("→", "ArrowRight").replace("←", "ArrowLeft").replace("↓", "ArrowDown"))
    expect(page.locator("[data-spans-said]")).to_have_text("Undone.")
    assert page.evaluate(LINES, "One two three.\n\n一二三四五六七八") == [
        "One two",
        "three.",
        "",
        "一二三四五六",
        "七八",
    ]
    assert complaints(page) == []
    page.keyboard.press("Control+Enter")
    expect(page).not_to_have_url(re.compile(r"/work/\d+/"))
    assert desk_installation.python(MARKED) == [
        {"field": "target", "start": 9, "end": 14, "text": "until", "label": "Missing", "severity": "Major"},
        {"field": "source", "start": 2, "end": 6, "text": "👩‍👧开", "label": "Missing", "severity": "Minor"},
    ]

    lena = browser_page(desk_installation, user="lena", locale="en-GB")
    lena.goto("/p/spans/questions/")
    rows = lena.locator("[data-span-rows] li")
    lena.locator("#id_card-ask-all").fill("What is wrong?")
    expect(lena.locator("#preview #field-errors")).to_contain_text("What is wrong?")
    lena.locator("#preview #field-errors").focus()
    for key in ("m", "m", "ArrowRight", "Enter", "1", "a"):  # the preview was made anew, with its texts and its keys
        lena.keyboard.press(key)
    expect(rows).to_have_text(re.compile("Open.*Wrong.*Major", re.DOTALL))
    lena.locator("#id_card-ask-all").fill("Which words are wrong?")  # answers that still fit stay
    expect(lena.locator("#preview #field-errors")).to_contain_text("Which words are wrong?")
    expect(rows).to_have_text(re.compile("Open.*Wrong.*Major", re.DOTALL))


EVERY = """
from django.utils import timezone
from annotate.project.actions import create_project
from annotate.work import submit
from tests.support.every_question import ANSWERS, COLUMNS, EVERY_TYPE, OTHER_ANSWERS
from tests.support.people import make_item, written
from tests.support.units import taken
project = create_project(slug="every", kind="form", reviews=0, overlap=2, definition=EVERY_TYPE)
make_item(project, facts={name: value for name, value in COLUMNS.items() if name != "model"})
people = [User.objects.get_or_create(username=name)[0] for name in ("ada", "ben", "zoe")]
for user, draft in zip(people, (ANSWERS | {"topics": ["news"]}, OTHER_ANSWERS)):
    member = Member.objects.create(project=project, user=user, role="annotator")
    slot = taken(member)
    submit.submit(annotation=written(slot, member, draft), token=slot.token, by=user)
Slot.objects.filter(item__project=project, stage="adjudicate").update(opens_at=timezone.now())
Member.objects.create(project=project, user=people[-1], role="reviewer")
"""
SETTLED = ANSWER.replace('slug="forms"', 'slug="every"')


def test_every_question_is_settled_by_keys_alone(desk_installation: Installation, browser_page: OpenPage) -> None:
    desk_installation.python(EVERY)
    zoe = Keyboard(browser_page(desk_installation, user="zoe", locale="en-GB"))
    zoe.page.goto("/p/every/review/")
    zoe.enter("main form[action$='/review/next/'] button")
    points = zoe.page.locator("#points .point")
    expect(points).to_have_count(12)
    for place, name in enumerate(ANSWERS):
        zoe.press("ArrowDown")
        expect(zoe.page.locator(f"#point-{name}")).to_be_focused()
        if name == "errors":
            settle_groups(zoe)
        else:
            zoe.press(str(1 + place % 2))
        expect(zoe.page.locator(f"#point-{name} .state--decided").first).to_be_visible()
    edit_while_the_adoption_is_saved(zoe)  # the last one in own words, from which Escape leads back
    expect(zoe.page.locator("#field-ideal-0 textarea")).to_be_focused()
    zoe.press("Escape", "Escape")
    expect(zoe.page.locator("#point-ideal")).to_be_focused()
    assert complaints(zoe.page) == []
    zoe.press("a")
    expect(zoe.page.locator("#annotation")).to_have_count(0)
    assert desk_installation.python(SETTLED) == {
        name: (ANSWERS | {"topics": ["news"]}, OTHER_ANSWERS)[place % 2][name] for place, name in enumerate(ANSWERS)
    } | {"errors": [*ANSWERS["errors"], *OTHER_ANSWERS["errors"][1:]], "ideal": ANSWERS["ideal"]}


def settle_groups(zoe: Keyboard) -> None:
    """The first person's span in the one group, and the second person's in the other: both are somebody's.

    The first person has marked nothing there: their number leaves the group out, and nothing else.
    """
    zoe.press("ArrowDown")
    expect(zoe.page.locator("#groups-errors-1")).to_be_focused()
    zoe.press("1")
    second = zoe.page.locator("#groups-errors-2")
    expect(second).to_be_focused()
    zoe.press("1")
    expect(second.locator("[data-final]")).to_have_text("left out")
    zoe.press("2")
    expect(second.locator("[data-final]")).to_contain_text("Two")


def edit_while_the_adoption_is_saved(zoe: Keyboard) -> None:
    """The first person's criteria instead, and the key for the field before the server has answered."""
    held: list[Route] = []
    zoe.page.route("**/save/", lambda route: held.append(route), times=1)
    zoe.press("2")  # is adopted already: answers nothing else either
    with zoe.page.expect_request("**/save/"):
        zoe.press("1")
    zoe.press("e")
    held[0].continue_()


PARTS = '''
from annotate.media.actions import add
from annotate.project.actions import create_project
from tests.support.people import make_item
from tests.support.pictures import picture
definition = """show: [{field: task}, {field: log, as: chat}]
questions:
  - {name: rubric, type: rubric, from: rubrics}
  - {name: ok, type: choice, options: [good, bad], on_each: turns, of: log}
  - {name: first_wrong, type: step, of: log, none: Nothing wrong}
"""
project = create_project(slug="parts", kind="form", reviews=0, definition=definition)
call = {"id": "c", "function": {"name": "search", "arguments": "{}"}}
log = [
    {"role": "user", "content": ["Find a train.", {"type": "image_url", "image_url": {"url": "shots/map.png"}}]},
    {"role": "assistant", "content": None, "tool_calls": [call]},
    {"role": "tool", "tool_call_id": "c", "content": "Error: no such station"},
    {"role": "assistant", "content": "There is none."},
    {"role": "tool", "content": "timetable " * 110_000},
]
add(project=project, name="shots/map.png", data=picture(size=(900, 600)), by=None)
rubrics = [{"criterion": "Says when.", "points": 5, "tags": ["content"]}, {"criterion": "Guesses.", "points": -3}]
make_item(project, facts={"task": "Find a train.", "log": log, "rubrics": rubrics})
gus = User.objects.get_or_create(username="gus")[0]
Member.objects.create(project=project, user=gus, role="annotator")
'''


def test_criteria_and_turns_are_answered_by_keys_with_the_turn_in_sight(
    desk_installation: Installation, browser_page: OpenPage
) -> None:
    desk_installation.python(PARTS)
    gus = browser_page(desk_installation, user="gus", locale="en-GB")
    gus.goto("/p/parts/work/")
    gus.locator("form[action$='/work/next/'] button").click()
    gus.wait_for_url("**/work/*/")
    for key in ("1", "3"):
        gus.keyboard.press(key)
    expect(gus.locator("#field-ok")).to_be_focused()
    gus.keyboard.press("t")  # to the call, and to the row that asks about it
    here = gus.locator(".message.here")
    expect(here).to_contain_text("search")
    expect(gus.locator("#field-ok-1")).to_be_focused()
    for key in ("1", "2"):
        gus.keyboard.press(key)
    expect(here).to_contain_text("There is none.")
    gus.keyboard.press("Enter")
    gus.keyboard.type("45")
    missing = gus.get_by_text("There is no turn 45; the transcript has 5.")
    expect(missing).to_be_visible()
    gus.keyboard.press("Backspace")
    expect(missing).to_be_hidden()
    gus.keyboard.press("Escape")
    assert complaints(gus) == []
    image, zoom = gus.locator(".message img"), gus.get_by_label("Enlarge: map.png")
    zoom.focus()
    expect(image).to_have_js_property("naturalWidth", 900)
    assert image.evaluate("(image) => image.width") < 300
    gus.keyboard.press("Space")
    expect(zoom).to_be_checked()
    assert image.evaluate("(image) => image.width") > 500
    gus.get_by_label("Search this transcript").fill("STATION")
    expect(gus.get_by_text("1 of 5 turns")).to_be_visible()
    expect(gus.locator(".message:visible")).to_have_count(1)
    gus.keyboard.press("Control+Enter")
    expect(gus.locator("#annotation")).to_have_count(0)
    draft = desk_installation.python(ANSWER.replace('slug="forms"', 'slug="parts"'))
    assert draft["rubric"] == ["met", "cannot_tell"]
    assert draft["ok"] == [{"turn": 1, "value": "good"}, {"turn": 3, "value": "bad"}]
    assert draft["first_wrong"] == 3
    item = desk_installation.python("result = Item.objects.get(project__slug='parts').pk")
    gus.goto(f"/p/parts/items/{item}/")
    gus.locator("#material > summary").click()
    gus.get_by_role("link", name="Show the turn in full").click()
    expect(gus.get_by_text("part 1 of 22")).to_be_visible()
    assert complaints(gus) == []
