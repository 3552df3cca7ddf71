"""Trust in judges of own questions, counted again from its release: every number of every type of question is equal."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches

from annotate.engine.purposes import purposes
from annotate.kinds.questions.definition import question_of
from annotate.models import Job, Project
from annotate.project.actions import create_project
from tests.support.desks import colleague
from tests.support.every_question import CRITERIA, EVERY_TYPE, LOG
from tests.support.files import command, imported, write_rows
from tests.support.judges import saying, shipped
from tests.support.pages import html_of
from tests.support.running import run
from tests.support.runs import make_endpoint, make_run

pytestmark = pytest.mark.django_db
# What a pair compares is shown to judges on changing sides, so spans are marked in another column.
DEFINITION = f"""{EVERY_TYPE.replace("on: [a, b]", "on: [prompt]")}unit: doc
scores: {{penalty: {{sum: errors, rules: [{{severity: Major, points: 5}}, {{points: 1}}]}}}}
"""
COMPARED = ["good", "safe", "topics", "better", "order", "price", "errors", "rubric", "first_wrong", "steps", "penalty"]
PROMPT = "A cat sat mat"
WORDS = ("cat", "sat", "mat")
ITEMS = 36  # people are tested from 30 units on
LINE = re.compile(r"<code>manage ((?:export_ratings|verify|recount|report) [^<]+)</code>")


def marked(n: int) -> list[dict[str, Any]]:
    word, start = WORDS[n % 3], PROMPT.index(WORDS[n % 3])
    place = {"field": "prompt", "start": start, "end": start + len(word), "text": word}
    return [{**place, "label": "Odd", "severity": ["Minor", "Major"][n % 2]}] if n % 4 else []


def answers(n: int) -> dict[str, Any]:
    return {
        "good": n % 4 + 2,
        "safe": "yes" if n % 3 else "no",
        "topics": [["news"], ["news", "code"], []][n % 3],
        "better": "cannot_tell" if n % 16 == 3 else ["first", "second", "tie"][n % 3],
        "order": [1, 2] if n % 3 else [2, 1],
        "fixed": f"A cat {n}",
        "price": n % 7 / 2,
        "errors": marked(n),
        "rubric": ["met" if n % 3 else "not_met", ["met", "not_met", "cannot_tell"][n % 3]],
        "first_wrong": 1 if n % 2 else "none",
        "steps": [{"turn": 1, "value": "right" if n % 3 else "wrong"}],
        "ideal": [{"criterion": f"Says {n}", "points": 1}],
    }


def reply(n: int) -> dict[str, Any]:
    """The same as a judge says it."""
    said = answers(n)
    spans = [{"quote": span["text"], **{name: span[name] for name in ("label", "severity")}} for span in said["errors"]]
    said |= {"errors": [{"field": "prompt", "occurrence": 1, **span} for span in spans]}
    rubric = {str(place): part for place, part in enumerate(said["rubric"], start=1)}
    steps = {str(part["turn"]): part["value"] for part in said["steps"]}
    return said | {"rubric": rubric, "steps": steps, "first_wrong": str(said["first_wrong"])}


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["local"].clear()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Two items a document, three raters who differ now and then, and a judge who differs more often."""
    monkeypatch.chdir(tmp_path)
    project = create_project(slug="own", kind="form", definition=DEFINITION, reviews=0)
    columns = {"a": "One", "b": "Two", "log": LOG, "rubric": CRITERIA}
    items = [{"key": f"k{n}", "prompt": PROMPT, **columns, "doc": f"secret {n // 2}"} for n in range(ITEMS)]
    report = imported(project, write_rows(tmp_path / "items.jsonl", items), "--no-checks")
    assert report["kept"] == ITEMS, report["problems"]
    rows = [
        {"key": f"k{n}", "rater": rater, **answers(n + (n % every == 0))}
        for n in range(ITEMS)
        for rater, every in (("Ann", 50), ("Bo", 7), ("Cy", 5))
    ]
    report = command("import_ratings", "own", write_rows(tmp_path / "ratings.jsonl", rows))[1]
    assert report["ratings"] == 3 * ITEMS, report["problems"]
    judged(project)
    return project


def judged(project: Project) -> None:
    purpose = purposes()["judge"]
    made = make_run(project, purpose="judge", endpoint=make_endpoint(model="m"), options={"strategy": "form"})
    jobs = [Job.objects.create(run=made, subject=job.subject, item_id=job.item_id) for job in purpose.plan(made)]
    for case in purpose.load(made, jobs, shipped("forms")):
        n = int(case.item.key[1:])
        purpose.store(case, run(purpose.work(case, saying(json.dumps(reply(n + (n % 3 == 0)))))))


def printed(html: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the page's own commands print: counted from the release, and reported by the installation."""
    lines = [shlex.split(line.replace("&#x27;", "'")) for line in LINE.findall(html)]
    assert [words[0] for words in lines] == ["export_ratings", "verify", "recount", "report"]
    outcomes = []
    for words in lines:
        code, outcome, err = command(*(word for word in words if word != "--json"))
        assert code == 0, err
        outcomes.append(outcome)
    assert outcomes[0]["sha256"] in html
    return outcomes[2], outcomes[3]


def test_every_question_that_trust_weighs_is_counted_again_from_its_release(project: Project) -> None:
    lead = colleague(project, "lead").client
    for name in COMPARED:
        counted, reported = printed(html_of(lead, f"/p/own/trust/one-page/?about=question%3A{name}"))
        assert counted == reported, name
        (test,) = counted["tests"]
        assert test["advantage"]["low"] is not None, name
        assert all(person["p"] is not None for person in test["people"]), name
        question = project.kind.questions().get(name)
        manifest = json.loads(Path(f"own-{name}-trust.jsonl.manifest.json").read_text())
        assert ("question" in manifest) == (question is not None)
        if question is not None:
            assert question_of(manifest["question"]) == question
            assert ("similarity" in test) == (question.level not in ("ordinal", "interval"))


def test_readers_who_are_no_leads_get_numbers_for_names_and_no_hidden_column(project: Project) -> None:
    viewer = colleague(project, "viewer").client
    counted, reported = printed(html_of(viewer, "/p/own/trust/one-page/?about=question%3Atopics"))
    assert [row["person"] for row in counted["tests"][0]["people"]] == ["person-1", "person-2", "person-3"]
    assert counted["tests"][0]["similarity"] == reported["tests"][0]["similarity"]
    release = Path("own-topics-trust.jsonl").read_text()
    assert "Ann" not in release
    assert '"content": ["code", "news"]' in release
    agreement = viewer.get("/p/own/agreement/ratings/?about=question%3Agood").content.decode()
    assert '"cluster": "related_items' in agreement
    assert "secret" not in release + agreement


def test_what_is_not_compared_has_no_release_and_the_message_says_why(project: Project) -> None:
    for name, type_name in (("fixed", "text"), ("ideal", "criteria")):
        code, _told, err = command("export_ratings", "own", "--of", "trust", "--what", name, "--out", "x.jsonl")
        assert (code, f"the question {name} are of the type {type_name}" in err) == (1, True)
    code, _told, err = command("export_ratings", "own", "--of", "trust", "--what", "none", "--out", "x.jsonl")
    assert (code, "good" in err) == (1, True)
    assert not Path("x.jsonl").exists()
