"""Judges that were asked in raw messages are marked wherever their verdicts show, and in every file that has them."""

import csv
import io
import json
from pathlib import Path

import pytest
from django.core.cache import cache
from django.test import Client

from annotate.engine import prompts
from annotate.engine.prompts import Key
from annotate.models import Project
from annotate.runs.plan import plan_run
from judging.models import Judge
from lib.texts.raw_messages import RawMessages
from tests.support.desks import colleague
from tests.support.endpoints import make_endpoint
from tests.support.files import command
from tests.support.pages import html_of, said
from tests.support.people import make_project
from tests.support.trusted import checklists_with_votes, pairs_with_votes

pytestmark = pytest.mark.django_db
VARIANT = "not-fenced=0a1b2c3d scale=1-10"
PAGES = ["judges", "leaderboard", "agreement", "trust"]


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    cache.clear()


@pytest.fixture
def project() -> Project:
    return checklists_with_votes()[0]


@pytest.fixture
def lead(project: Project) -> Client:
    return colleague(project, "lead").client


def not_fenced() -> None:
    Judge.objects.update(variant=VARIANT)
    cache.clear()


@pytest.mark.parametrize("page", PAGES)
def test_boards_mark_a_judge_that_is_not_fenced_and_no_other(lead: Client, page: str) -> None:
    assert "not fenced" not in said(html_of(lead, f"/p/fb/{page}/")).casefold()
    not_fenced()
    assert "not fenced" in said(html_of(lead, f"/p/fb/{page}/")).casefold()


def test_a_board_says_what_that_means(lead: Client) -> None:
    not_fenced()
    for page in PAGES[1:]:
        assert "an answer may have given it instructions" in said(html_of(lead, f"/p/fb/{page}/")), page


def test_downloads_of_the_leaderboard_say_so_in_every_row(lead: Client) -> None:
    not_fenced()
    rows = lead.get("/p/fb/leaderboard/leaderboard.json").json()["rows"]
    assert rows
    assert all(row["not_fenced"] is True for row in rows)
    text = lead.get("/p/fb/leaderboard/leaderboard.csv").content.decode("utf-8-sig")
    assert {row["not_fenced"] for row in csv.DictReader(io.StringIO(text))} == {"true"}


def test_the_report_says_so(project: Project) -> None:
    assert "not_fenced" not in command("report", "fb", "leaderboard", "--json")[1]["rows"][0]
    not_fenced()
    assert command("report", "fb", "leaderboard", "--json")[1]["rows"][0]["not_fenced"] is True


def test_a_release_of_ratings_says_so_and_keeps_it(project: Project, tmp_path: Path) -> None:
    not_fenced()
    out = tmp_path / "ratings.jsonl"
    code, _told, err = command("export_ratings", "fb", "--what", "checklist", "--out", out)
    assert code == 0, err
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    judged = [row for row in rows if row["kind"] == "judge"]
    assert judged
    assert all(row["not_fenced"] is True and "not-fenced=0a1b2c3d" in row["rater"] for row in judged)
    assert not any("not_fenced" in row for row in rows if row["kind"] == "person")


def test_battles_name_it_in_full_and_bring_the_mark_back(tmp_path: Path) -> None:
    made = pairs_with_votes(tmp_path, 6)
    Judge.objects.update(variant=VARIANT)
    out = tmp_path / "battles.jsonl"
    assert command("export_battles", made.slug, "--out", out)[0] == 0
    judges = {row["judge"] for row in map(json.loads, out.read_text("utf-8").splitlines()) if "judge" in row}
    assert [VARIANT in judge for judge in judges] == [True]
    other = make_project(kind_slug="preference")
    assert command("import_judgements", other.slug, out, "--format", "battles")[0] == 0
    assert Judge.objects.get(project=other).not_fenced


def test_a_release_of_a_leaderboard_says_so_in_its_manifest_and_is_counted_again(
    project: Project, tmp_path: Path
) -> None:
    not_fenced()
    out = tmp_path / "board.jsonl"
    code, _told, err = command("export_ratings", "fb", "--of", "leaderboard", "--out", out)
    assert code == 0, err
    manifest = json.loads(Path(f"{out}.manifest.json").read_text("utf-8"))
    assert '"not_fenced": true' in json.dumps(manifest)
    for check in ("verify", "recount"):
        code, _told, err = command(check, out)
        assert code == 0, err


def test_a_run_says_before_it_begins_that_its_prompt_is_not_fenced(lead: Client, project: Project) -> None:
    raw = RawMessages("mt-bench", "{{ question }} {{ answer }}").text()
    prompts.write(project, Key("single", "explained", "en"), text=raw, note="", by=None, based_on=0)
    endpoint = make_endpoint(model="judge-x")
    made = plan_run(project=project, purpose="judge", endpoint=endpoint, by=None, options={"strategy": "vanilla"})
    assert "not fenced" in said(html_of(lead, f"/p/fb/runs/{made.pk}/"))
    other = plan_run(project=project, purpose="judge", endpoint=endpoint, by=None, options={"strategy": "rubric"})
    assert "not fenced" not in said(html_of(lead, f"/p/fb/runs/{other.pk}/"))
