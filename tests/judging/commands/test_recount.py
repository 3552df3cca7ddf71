"""The printed pages of trust and of the leaderboard, counted again from their releases: every number is equal."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client

from annotate.models import Project
from judging.models import Verdict
from tests.support.desks import colleague
from tests.support.files import command
from tests.support.judged import CORRECTION, answer_of, decided_item
from tests.support.pages import html_of
from tests.support.people import make_project
from tests.support.trusted import checklists_with_votes, pairs_with_votes
from tests.support.voted import bring, on_an_answer

pytestmark = pytest.mark.django_db
LINE = re.compile(r"<code>(manage (?:export_ratings|verify|recount|report) [^<]+)</code>")


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["local"].clear()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printed(reader: Client, address: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the page's own commands print: counted from the release, and reported by the installation."""
    html = html_of(reader, address)
    lines = [shlex.split(line.replace("&#x27;", "'")) for line in LINE.findall(html)]
    assert [words[1] for words in lines] == ["export_ratings", "verify", "recount", "report"]
    told = []
    for words in lines:
        code, said, err = command(*(word for word in words[1:] if word != "--json"))
        assert code == 0, err
        if words[1] == "export_ratings":
            assert said["sha256"] in html
        told.append(said)
    return told[2], told[3]


@pytest.mark.parametrize("query", ["", "?epsilon=0.05"])
def test_trust_in_checklists(here: Path, query: str) -> None:
    project, _judge = checklists_with_votes(kind=0.2)
    answer_of(decided_item(project, CORRECTION), "Alpha-7B")  # that nobody has judged
    counted, reported = printed(colleague(project, "lead").client, f"/p/fb/trust/one-page/{query}")
    assert counted == reported
    assert counted["tests"][0]["people"][0]["person"] == "anna"
    assert counted["corrected"][0]["columns"]["overall"]["corrected"]["low"] is not None


def test_trust_in_pairs_and_in_scores(here: Path) -> None:
    pairs = pairs_with_votes(here, 40)
    counted, reported = printed(colleague(pairs, "lead").client, f"/p/{pairs.slug}/trust/one-page/")
    assert counted == reported
    assert next(card for card in counted["biases"] if card["bias"] == "position")["n"] == 40
    scores = make_project(slug="scores", kind_slug="score_vote", options={"criteria": ["Clarity"], "scale": 5})
    rows = [
        on_an_answer(f"q{no}", {"Clarity": 1 + (no * 3 + place) % 5}, **{sort: name})
        for no in range(12)
        for place, (sort, name) in enumerate([("rater", "anna"), ("rater", "bo"), ("rater", "cy"), ("judge", "m")])
    ]
    bring(scores, here, *rows)
    counted, reported = printed(colleague(scores, "lead").client, "/p/scores/trust/one-page/")
    assert counted == reported


def test_a_leaderboard(here: Path) -> None:
    project, judge = checklists_with_votes()
    Verdict.objects.filter(judge=judge, pk__in=list(Verdict.objects.values_list("pk", flat=True)[:2])).update(
        reading="unparsed", score_first=None
    )
    counted, reported = printed(colleague(project, "lead").client, "/p/fb/leaderboard/one-page/")
    for ours, theirs in zip(counted["rows"], reported["rows"], strict=True):
        assert ours.items() >= (theirs | {"interval": ours["interval"]}).items()
        assert ours["interval"]["overall"] == theirs["interval"]["overall"]
    assert sum(row["failed"] for row in counted["rows"]) == 2


def test_readers_who_are_no_leads_get_numbers_for_names(here: Path) -> None:
    project, _judge = checklists_with_votes()
    counted, reported = printed(colleague(project, "viewer").client, "/p/fb/trust/one-page/")
    assert {one["person"] for one in counted["tests"][0]["people"]} == {"person-1", "person-2", "person-3"}
    assert "anna" not in (here / "fb-checklist-trust.jsonl").read_text()
    nameless = ("judge", "epsilon", "corrected", "calibration", "biases")
    assert {name: counted[name] for name in nameless} == {name: reported[name] for name in nameless}


def test_only_its_own_releases_are_counted_again(here: Path) -> None:
    checklists_with_votes()
    command("export_ratings", "fb", "--out", "a.jsonl")
    code, _told, err = command("recount", "a.jsonl")
    assert (code, "agreement FILE --beside" in err) == (1, True)
    assert command("recount", "none.jsonl")[0] == 1
    command("export_ratings", "fb", "--of", "trust", "--out", "t.jsonl")
    rows = [json.loads(line) for line in (here / "t.jsonl").read_text().splitlines()]
    (here / "t.jsonl").write_text("\n".join(json.dumps(row | {"said": "x"}) for row in rows) + "\n")
    code, _told, err = command("recount", "t.jsonl")
    assert (code, "verify" in err) == (1, True)


def test_what_nobody_has_judged_has_no_release(here: Path) -> None:
    project: Project = make_project(slug="empty")
    for page in ("trust", "leaderboard"):
        code, _told, _err = command("export_ratings", project.slug, "--of", page, "--out", "r.jsonl")
        assert code == 1
    assert list(here.iterdir()) == []
