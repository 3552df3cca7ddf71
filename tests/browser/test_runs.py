"""A lead and a run of model work in Chromium: planned, watched, paused, resumed, repaired, read again."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import complaints as found_by_axe
from tests.support.chromium import OpenPage
from tests.support.installation import ROOT, Installation
from tests.support.model_server import ModelServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SET_UP = """
from tests.support.people import make_item, make_project
from tests.support.runs import make_endpoint
Endpoint.objects.filter(name="sim").exists() or make_endpoint(
    name="sim", base_url=base_url, simulated=True, attempts=2, max_in_flight=2
)
project = make_project()
Member.objects.create(project=project, user=User.objects.get(username="lena"), role="lead")
for number in range(items):
    make_item(project, key=f"item-{number}")
result = project.slug
"""
ROWS = """
from tests.support.runs import make_jobs, make_run
run = make_run(Project.objects.get(slug=slug), state=state, calls=5)
make_jobs(run, done=3, pending=4)
result = run.pk
"""


@pytest.fixture
def lena(desk_installation: Installation, browser_page: OpenPage) -> Page:
    return browser_page(desk_installation, user="lena", reduced_motion="reduce")


@pytest.fixture
def slug(desk_installation: Installation, lena: Page, model_server: ModelServer) -> str:
    return desk_installation.python(SET_UP, base_url=model_server.base_url, items=8)


@contextmanager
def worker(installation: Installation, slug: str, run: str) -> Iterator[None]:
    """Works at the run beside the browser, and ends when the run is paused or over."""
    command = [sys.executable, "manage.py", "preannotate", slug, "--run", run, "--wait"]
    with subprocess.Popen(
        command, cwd=ROOT, env=installation.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        yield
        _out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err


def plan(lena: Page, slug: str) -> str:
    """Through the form; the number of the run."""
    lena.goto(f"/p/{slug}/runs/")
    lena.get_by_role("link", name="Plan a run").first.click()
    lena.get_by_role("link", name="Plan… Pre-annotation").click()
    assert found_by_axe(lena) == []
    lena.set_viewport_size({"width": 1440, "height": 900})
    lena.get_by_label("Budget in USD").fill("3")
    lena.get_by_role("button", name="Preview run").click()
    expect(lena.locator("#estimate")).to_contain_text("40")  # eight items, five calls each
    return lena.url.rstrip("/").rpartition("/")[2]


def test_a_run_from_its_plan_to_its_replies_read_again(
    desk_installation: Installation,
    lena: Page,
    slug: str,
    model_server: ModelServer,
    complaints: Callable[[Page], list[str]],
) -> None:
    heard = complaints(lena)
    run = plan(lena, slug)
    assert model_server.calls.requests == 0
    model_server.turn(latency=2.0)  # a whole run would take half a minute: it is paused well before its end
    model_server.misbehave("filters", times=2)
    lena.get_by_role("button", name="Start").click()
    state, live = lena.locator("#run-state"), lena.locator("#live")
    expect(state).to_have_text("Running")
    with worker(desk_installation, slug, run):
        expect(lena.locator("#to-failed")).to_have_text("2", timeout=30_000)  # by itself, without a reload
        lena.locator("#pause").click()
        expect(state).to_have_text("Paused")
    done = desk_installation.python("result = Job.objects.filter(run=pk, state='done').count()", pk=int(run))
    assert done < 6
    lena.get_by_role("button", name="Resume").click()
    expect(state).to_have_text("Running")
    model_server.turn(latency=0)
    with worker(desk_installation, slug, run):
        expect(state).to_have_text("Finished", timeout=30_000)
    expect(live).to_contain_text("6 of 8 jobs done")
    drawn = lena.locator("#spending .spending__wide svg")  # asked for before the first call, drawn without a hand
    expect(drawn).to_be_visible()
    expect(lena.locator("#messages")).not_to_contain_text("Resumed.")  # a notice tells of a moment
    expect(lena.locator("#causes")).to_contain_text("stopped by a content filter")
    lena.locator("#cause-filtered").click()
    expect(lena.locator("#jobs tbody tr")).to_have_count(2)
    lena.locator("#jobs tbody a.row-link").first.click()
    expect(lena.locator("#ledger")).to_contain_text("stopped by a content filter")
    lena.goto(f"/p/{slug}/runs/{run}/")
    before = model_server.calls.requests
    lena.get_by_role("button", name="Retry 2 failed").click()
    expect(state).to_have_text("Running")
    with worker(desk_installation, slug, run):
        expect(state).to_have_text("Finished", timeout=30_000)
    expect(live).to_contain_text("8 of 8 jobs done")
    calls = model_server.calls.requests
    assert before < calls <= before + 10
    lena.get_by_role("link", name="Reparse…").click()
    lena.get_by_role("button", name="Reparse").click()
    expect(lena.locator("#reread")).to_contain_text("All results are unchanged; no call was sent.")
    assert model_server.calls.requests == calls
    assert heard == []


def asking(page: Page) -> list[str]:
    """The addresses at which the page looks again, as it does so."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "?seen=" in request.url else None)
    return asked


def watched(installation: Installation, page: Page, slug: str, state: str = "running") -> list[str]:
    """A run at which nobody works, on a page whose clock stands still unless it is told to go on."""
    run, asked = installation.python(ROWS, slug=slug, state=state), asking(page)
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    page.goto(f"/p/{slug}/runs/{run}/")
    return asked


def looks(page: Page, wait: Callable[[], None]) -> None:
    """`wait` makes the page look again. Its new part is there afterwards, and its timer has begun."""
    page.locator("#live").evaluate("part => { part.dataset.old = 'true' }")
    with page.expect_response("**/?seen=*"):
        wait()
    expect(page.locator("#live")).not_to_have_attribute("data-old", "true")


def says(page: Page, seconds: int) -> None:
    expect(page.locator("#refresh-says")).to_have_text(f"Refreshes after {seconds} seconds.")


def test_it_looks_less_and_less_often_while_nothing_changes(
    desk_installation: Installation, lena: Page, slug: str
) -> None:
    asked = watched(desk_installation, lena, slug)
    for number, seconds in enumerate((3, 6, 12, 24, 30, 30)):
        says(lena, seconds)
        lena.clock.run_for(seconds * 1000 - 100)
        assert len(asked) == number
        looks(lena, lambda: lena.clock.run_for(200))


def test_nothing_is_asked_while_the_tab_is_hidden(desk_installation: Installation, lena: Page, slug: str) -> None:
    asked = watched(desk_installation, lena, slug)
    show(lena, hidden=True)
    lena.clock.run_for(600_000)
    assert asked == []
    with lena.expect_response("**/?seen=*"):
        show(lena, hidden=False)
    says(lena, 6)
    assert len(asked) == 1


def show(page: Page, *, hidden: bool) -> None:
    page.evaluate(
        "hidden => { Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });"
        " document.dispatchEvent(new Event('visibilitychange')) }",
        hidden,
    )


def test_somebody_may_hold_it_to_read(desk_installation: Installation, lena: Page, slug: str) -> None:
    asked = watched(desk_installation, lena, slug)
    lena.get_by_role("button", name="Pause refresh").click()
    lena.clock.run_for(600_000)
    assert asked == []
    with lena.expect_response("**/?seen=*"):
        lena.get_by_role("button", name="Continue").click()
    says(lena, 6)
    lena.clock.run_for(100)  # htmx settles what it swapped in
    expect(lena.get_by_role("button", name="Pause refresh")).to_be_visible()


def test_a_server_that_is_away_is_asked_less_and_less_often(
    desk_installation: Installation, lena: Page, slug: str
) -> None:
    asked = watched(desk_installation, lena, slug)
    lena.route("**/?seen=*", lambda route: route.abort())
    for number, seconds in enumerate((3, 6, 12, 24, 48, 60, 60)):
        with lena.expect_event("requestfailed"):
            lena.clock.run_for(seconds * 1000)
        assert len(asked) == number + 1
        lena.clock.run_for(10)
    expect(lena.locator("#messages")).to_contain_text("did not answer")


@pytest.mark.parametrize("state", ["finished", "cancelled"])
def test_nothing_is_asked_about_a_run_that_is_over(
    desk_installation: Installation, lena: Page, slug: str, state: str
) -> None:
    asked = watched(desk_installation, lena, slug, state)
    lena.clock.run_for(600_000)
    assert asked == []


def test_without_scripts_a_reload_and_the_buttons_do(
    desk_installation: Installation, browser_page: OpenPage, slug: str
) -> None:
    plain = browser_page(desk_installation, user="lena", java_script_enabled=False)
    run = desk_installation.python(ROWS, slug=slug, state="running")
    plain.goto(f"/p/{slug}/runs/{run}/")
    expect(plain.get_by_role("button", name="Pause refresh")).to_be_hidden()
    desk_installation.python("Job.objects.filter(run=pk).update(state='done')\nresult = 1", pk=run)
    plain.get_by_role("link", name="Reload").click()
    expect(plain.locator("#live")).to_contain_text("7 of 7 jobs done")
    plain.locator("#pause").click()
    expect(plain.locator("#run-state")).to_have_text("Paused")
    plain.get_by_role("link", name="Cancel…").click()
    plain.get_by_role("button", name="Cancel run").click()
    expect(plain.locator("#run-state")).to_have_text("Cancelled")


FOLLOWING = """
from tests.support.runs import make_endpoint, make_run
strong = Endpoint.objects.filter(name="strong").first() or make_endpoint(name="strong", model="big-1")
Endpoint.objects.filter(name="weak").exists() or make_endpoint(name="weak", model="small-1")
run = make_run(Project.objects.get(slug=slug), endpoint=strong, purpose="answer", state="finished",
    options={"author": "Strong one"})
result = run.pk
"""


def test_the_author_follows_the_endpoint_until_one_is_typed(
    desk_installation: Installation, lena: Page, slug: str
) -> None:
    run = desk_installation.python(FOLLOWING, slug=slug)
    lena.goto(f"/p/{slug}/runs/{run}/")
    lena.get_by_role("link", name="Plan a similar run").click()
    endpoint, author = lena.get_by_label("Endpoint"), lena.get_by_label("Author", exact=True)
    expect(author).to_have_value("Strong one")
    endpoint.select_option("weak")
    expect(author).to_have_value("small-1")
    endpoint.select_option("strong")
    expect(author).to_have_value("Strong one")
    author.fill("Typed")
    endpoint.select_option("weak")
    expect(author).to_have_value("Typed")
