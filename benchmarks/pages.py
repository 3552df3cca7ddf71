from collections.abc import Iterator
from typing import Any

from playwright.sync_api import CDPSession, sync_playwright

from benchmarks.figures import Figure, at_most
from benchmarks.in_process import asked
from benchmarks.places import edited_before, installation, project
from tests.support.chromium import launch_options, session_cookie
from tests.support.installation import Installation
from tests.support.samples import write_samples

ABOUT = (
    "The work page in Chromium with an empty cache: what goes over the wire, as Chromium counts it, and how often the "
    "server is asked. Formulas bring a library of their own, which only pages with formulas load."
)
PLAIN, WITH_FORMULAS = 1, 10  # numbers of samples


def measure() -> Iterator[Figure]:
    with installation("sqlite") as place, sync_playwright() as playwright:
        project(place)
        place.serve(forked=False)
        browser = playwright.chromium.launch(**launch_options())
        for name, number in (("work page", PLAIN), ("work page with formulas", WITH_FORMULAS)):
            path = _held(place, number)
            context = browser.new_context(base_url=place.url)
            context.add_cookies([session_cookie(place, f"ann{number}")])  # type: ignore[list-item]
            page = context.new_page()
            wire = Wire(context.new_cdp_session(page))
            page.goto(path, wait_until="networkidle")
            yield from _figures(name, wire, targets=number == PLAIN)
            yield at_most(f"{name}: queries", asked(place, f"ann{number}", path)[0], 12)
            context.close()


def _figures(name: str, wire: "Wire", *, targets: bool) -> Iterator[Figure]:
    size, requests = round(wire.received / 1000, 1), wire.requests
    if targets:
        yield at_most(f"{name}: over the wire", size, 100, "kB")
        yield at_most(f"{name}: requests", requests, 20)
    else:
        yield Figure(f"{name}: over the wire", size, unit="kB")
        yield Figure(f"{name}: requests", requests)


def _held(place: Installation, number: int) -> str:
    """The page of one sample, opened by an annotator of its own, with a difference to show."""
    rows = write_samples(place.folder / f"{number}.jsonl", 1, number)
    place.manage("import_items", "bench", rows, "--no-checks")
    edited_before(place)
    return place.python(HELD, user=f"ann{number}")


HELD = """
from annotate.work import desk
person = User.objects.create_user(user)
member = Member.objects.create(project=Project.objects.get(slug="bench"), user=person, role="annotator")
result = f"/p/bench/work/{desk.open_next(member).pk}/"
"""


class Wire:
    """Counts what one page of Chromium asks for and receives."""

    def __init__(self, session: CDPSession) -> None:
        self.requests, self.received = 0, 0
        session.on("Network.requestWillBeSent", self._sent)
        session.on("Network.loadingFinished", self._finished)
        session.send("Network.enable")
        session.send("Network.setCacheDisabled", {"cacheDisabled": True})

    def _sent(self, event: dict[str, Any]) -> None:
        self.requests += not event["request"]["url"].startswith("data:")

    def _finished(self, event: dict[str, Any]) -> None:
        self.received += int(event["encodedDataLength"])
