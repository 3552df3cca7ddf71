"""Steps that the journeys in the browser share. Each takes the page of somebody who is signed in, or about to be."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.support.installation import Installation

PASSWORD = "long enough for a test"


def sign_in(page: Page, name: str) -> Page:
    page.goto("/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("My work")
    return page


def let_reviews_open(installation: Installation) -> None:
    """The seconds in which a submission can be taken back are over."""
    installation.python(
        "from django.utils.timezone import now\nSlot.objects.filter(stage='review').update(opens_at=now())"
    )


def accept_next(ravi: Page, installation: Installation, slug: str, *, feedback: str | re.Pattern[str]) -> None:
    """The next review, whose feedback holds this text, is accepted as it is."""
    let_reviews_open(installation)
    before = accepted(installation, slug)
    ravi.goto(f"/p/{slug}/review/")
    ravi.locator("main form[action$='/review/next/'] button").click()
    expect(ravi.locator("#point-feedback")).to_contain_text(feedback)
    with ravi.expect_navigation():
        ravi.keyboard.press("a")
    assert accepted(installation, slug) == before + 1


def accepted(installation: Installation, slug: str) -> int:
    return installation.python("result = Item.objects.filter(project__slug=slug, state='accepted').count()", slug=slug)


def ask_for_a_release(lena: Page, slug: str) -> None:
    lena.goto(f"/p/{slug}/releases/")
    lena.get_by_label("Licence").fill("CC BY 4.0")
    lena.get_by_role("button", name="Create release").click()


def download_the_release(lena: Page, slug: str, folder: Path) -> Path:
    """Its rows, with the manifest beside them."""
    expect(lena.get_by_role("link", name="Download", exact=True)).to_be_visible(timeout=60_000)
    lena.reload()
    path = folder / f"{slug}-v1.jsonl"
    for link, name in (("Download", path.name), ("Download as JSON", f"{path.name}.manifest.json")):
        with lena.expect_download() as download:
            lena.get_by_role("link", name=link, exact=True).click()
        assert download.value.suggested_filename == name
        download.value.save_as(folder / name)
    return path
