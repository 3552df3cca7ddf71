"""Judgements without criteria from import to before and after: in Chromium, against the simulated model.

The published pairs of Auto-J and PandaLM; sixty get recovered criteria. Some are approved and edited by keys on the
desk, the rest as they were proposed; then they are judged by the judge's own criteria and by the recovered ones.
"""

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import complaints as faults_on
from tests.support.chromium import OpenPage, expecting_within
from tests.support.installation import ROOT, Installation
from tests.support.installations import Installations
from tests.support.journeys import PASSWORD
from tests.support.model_server import ModelServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]

DATA = ROOT.parent / "shared" / "data"
FILES = {"autoj": (DATA / "autoj_pairwise.jsonl.gz", 1392), "pandalm": (DATA / "pandalm_testset.jsonl.gz", 999)}
RECOVERED = 60
# What waits is handed in as it was proposed, by the services that the desk uses.
APPROVE = """
from annotate.work import desk, submit
from judging.boards.bridging.stages import next_proposed
member = Member.objects.select_related("project", "user").get(project__slug="bridge", user__username="lena")
result = 0
while (waiting := next_proposed(member.project, member)) is not None:
    slot = desk.take_up(member, waiting.pk)
    submit.submit(annotation=slot.annotations.get(author=member.user), token=slot.token, by=member.user)
    result += 1
"""
STAGES = """
from judging.boards.bridging.stages import progress
result = dict(progress(Project.objects.get(slug="bridge")).counts)
"""
EDITED = """
handed_in = Annotation.objects.filter(item__project__slug=slug, author__isnull=False, submitted_at__isnull=False)
result = handed_in.get(unchanged=False).draft
"""


@pytest.fixture(autouse=True)
def _patient() -> Iterator[None]:
    with expecting_within(60_000):
        yield


@pytest.fixture
def installation(installations: Installations, model_server: ModelServer) -> Iterator[Installation]:
    if not all(path.exists() for path, _count in FILES.values()) and os.environ.get("CI") != "true":
        pytest.skip(f"NOT TESTED: the published pairs are not in {DATA}.")
    with installations.serving("sqlite") as made:
        made.manage("create_project", "bridge", "--kind", "branching", "--option", "criteria=3")
        made.manage("add_member", "bridge", "lena", "--role", "lead", "--password", PASSWORD)
        made.python("Project.objects.filter(slug='bridge').update(reviews=0)")
        made.manage("endpoint", "sim", "--base-url", model_server.base_url, "--model", "simulated-judge", "--simulated",
                    "--max-in-flight", "16")  # fmt: skip
        yield made


def told(made: Installation, *words: object) -> dict[str, Any]:
    return json.loads(made.manage(*words, "--json").stdout)


def edits(page: Page) -> None:
    """The first criterion is renamed and its worst level rewritten; then it is handed in."""
    page.locator("[name=criterion_name]").first.fill("Room for the matter")
    page.locator("[name=level_1]").first.fill("Hardly a sentence.")
    page.keyboard.press("Control+Enter")


def approves(page: Page) -> None:
    """By keys alone: handed in, and confirmed that nothing was changed on purpose."""
    page.keyboard.press("Control+Enter")
    expect(page.locator("#ask")).to_be_visible()
    page.keyboard.press("Control+Enter")


def test_sixty_judgements_get_criteria_and_the_judge_agrees_better(
    installation: Installation, model_server: ModelServer, browser_page: OpenPage
) -> None:
    model_server.turn(latency=0.0, skill=1.0)
    for format_name, (path, count) in FILES.items():
        assert told(installation, "import_items", "bridge", path, "--format", format_name)["kept"] == count
    run = told(installation, "bridge", "bridge", "--endpoint", "sim", "--limit", RECOVERED, "--wait")
    assert (run["done"], run["failed"], run["calls"]) == (RECOVERED, 0, RECOVERED * 4)
    stages = installation.python(STAGES)
    assert (stages["proposed"], stages["orders"], sum(stages.values())) == (RECOVERED, 231, 1392 + 999)

    page = browser_page(installation, user="lena", reduced_motion="reduce")
    page.goto("/p/bridge/bridging/")
    expect(page.locator("#sets")).to_contain_text("2,391 judgements without criteria")
    page.get_by_role("button", name="Approve or edit next").click()
    expect(page.locator("#original")).to_contain_text("a written verdict")
    here = page.url
    edits(page)
    expect(page).not_to_have_url(here)
    expect(page.locator("#original")).to_be_visible()
    here = page.url
    approves(page)
    expect(page).not_to_have_url(here)
    draft = installation.python(EDITED, slug="bridge")
    assert draft["branches"][0]["name"] == "Room for the matter"
    assert draft["branches"][0]["guideline"]["levels"][0] == "Hardly a sentence."

    assert installation.python(APPROVE) == RECOVERED - 2
    stages = installation.python(STAGES)
    assert (stages["approved"], stages["edited"], stages["proposed"]) == (RECOVERED - 1, 1, 0)
    for option in ("own", "recovered"):
        judged = told(installation, "judge", "bridge", "--strategy", "branching", "--endpoint", "sim", "--wait",
                      "--option", "branches=3", "--option", f"criteria={option}")  # fmt: skip
        assert (judged["done"], judged["failed"], judged["ok"]) == (RECOVERED, 0, 2 * RECOVERED)

    (row,) = told(installation, "report", "bridge", "bridging")["rows"]
    assert (row["n"], row["left_out"]) == (RECOVERED, {})
    assert row["gain"]["low"] > 0, row
    page.goto("/p/bridge/bridging/gain/")
    expect(page.locator("#row-0")).to_contain_text(f"{RECOVERED} pairs")
    expect(page.locator("#row-0")).to_contain_text(f"{row['after']['agreement']:.1f}")
    assert faults_on(page) == []
    page.get_by_role("link", name=str(row["pairs"]["gained"]), exact=True).first.click()
    expect(page.locator("#pairs tbody tr")).to_have_count(row["pairs"]["gained"])
    assert faults_on(page) == []
    page.goto("/p/bridge/bridging/?stage=edited")
    expect(page.locator("#list tbody tr")).to_have_count(1)
    assert faults_on(page) == []
