import asyncio
import os
from collections.abc import Iterator
from itertools import chain
from typing import Any

from benchmarks import crowd
from benchmarks.crowd import Crowd, Desk
from benchmarks.figures import Figure, at_least, at_most, exactly
from benchmarks.places import DATABASES, installation
from tests.support.installation import Installation
from tests.support.samples import FEEDBACK, rewritten, sample, written
from tests.support.visitors import Answer

ABOUT = (
    "Own questions, in process with the test client; CPU of the web process. Page: 200 questions of all plain types "
    "and 100 kB of Markdown, with a suggestion. Pair: submitting an item and getting the next one, whose page comes "
    "with the answer, in a project of the kind feedback and in one of own questions that asks the same about the same "
    "texts, in turns. 50 people: the same two projects over HTTP, no think time, in turns of 15 seconds on one server."
)
TYPES = (
    'type: rating, scale: {"1": bad, "5": good}',
    'type: choice, options: ["yes", "no", maybe]',
    "type: choices, options: [news, code, health, law]",
    "type: text",
    'type: number, step: "0.01"',
    "type: pair, of: [a, b]",
    "type: ranking, of: [a, b]",
)
ANSWERS = (3, "yes", ["news"], "text", 1.5, "first", [1, 2])
QUESTIONS, CHARACTERS, TURNS, TURN = 200, 100_000, 5, 40
PEOPLE, CROWD_TURNS, SECONDS, WARM_UP = 50, 3, 15, 5
CROWD_ITEMS = int(os.environ.get("ITEMS", "6_000"))  # of each project
ALIKE = """
show: [{field: query}, {field: response}]
questions:
  - {name: suitable, type: choice, options: ["yes", "no"]}
  - {name: task, type: choice, options: [Coding / Code Debugging, Coding / Code Generation, Reasoning / Logic]}
  - {name: errors, type: choices, options: [Logical Error, Factual Error, Incomplete Answer, Off Topic]}
  - {name: feedback, type: text}
  - {name: feedback_type, type: choices, options: [Pointing Out Errors, Detailed Explanation, Asking Back]}
  - {name: first, type: text}
  - {name: second, type: text}
"""


def measure() -> Iterator[Figure]:
    for database in DATABASES:
        with installation(database) as place:
            queries, milliseconds = place.python(PAGE, definition=_large(), facts=_facts(), answers=_answers())
            yield Figure(f"{database}: statements of a page with {QUESTIONS} questions", queries)
            yield at_most(f"{database}: CPU of this page, median", round(milliseconds, 1), 100, "ms")
            cost = place.python(PAIRS, **_pairs())
            yield Figure(f"{database}: CPU a pair, feedback", round(cost["feedback"], 1), unit="ms")
            yield Figure(f"{database}: CPU a pair, own questions", round(cost["form"], 1), unit="ms")
            ratio = round(cost["feedback"] / cost["form"], 2)
            yield at_least(f"{database}: pairs of own questions by those of feedback", ratio, 0.9, "")
        with installation(database) as place:
            place.python(ALIKE_PROJECTS, definition=ALIKE, rows=[sample(number) for number in range(CROWD_ITEMS)])
            place.serve(workers=None, forked=False)
            yield from asyncio.run(_crowds(place, database))


async def _crowds(place: Installation, database: str) -> list[Figure]:
    """Fifty people work on both projects in turn."""
    desks = {"feedback": Desk("pairs-feedback", written), "own questions": Desk("pairs-form", _answered)}
    visitors = await crowd.signed_in(place, PEOPLE, [desk.project for desk in desks.values()])
    runs: dict[str, list[Crowd]] = {name: [] for name in desks}
    for seconds in (WARM_UP, *[SECONDS] * CROWD_TURNS):
        for name, desk in desks.items():
            runs[name].append(await crowd.work(place, visitors, seconds=seconds, think=0, desk=desk))
    rates = {name: sum(run.pairs for run in done[1:]) / sum(run.seconds for run in done[1:])
             for name, done in runs.items()}  # fmt: skip
    errors = [error for run in chain(*runs.values()) for person in run.people for error in person.errors]
    ratio = round(rates["own questions"] / rates["feedback"], 2)
    return [
        *(Figure(f"{database}, {PEOPLE} people: pairs, {name}", round(rate, 1), unit="/s")
          for name, rate in rates.items()),
        at_least(f"{database}, {PEOPLE} people: pairs of own questions by those of feedback", ratio, 0.9, ""),
        exactly(f"{database}, {PEOPLE} people: errors", len(errors), 0),
    ]  # fmt: skip


def _answered(text: str, page: Answer) -> dict[str, Any]:
    return {**_form_fields(text), "seconds": "2", "confirm": "1",
            **{name: page.hidden(name) for name in ("token", "revision")}}  # fmt: skip


def _large() -> str:
    questions = [f"  - {{name: q{n}, {TYPES[n % len(TYPES)]}}}" for n in range(QUESTIONS)]
    return "\n".join(["show: [{field: prompt}, {field: a}, {field: b}]", "questions:", *questions, ""])


def _answers() -> dict[str, Any]:
    return {f"q{n}": ANSWERS[n % len(ANSWERS)] for n in range(QUESTIONS)}


def _facts() -> dict[str, str]:
    rows = [sample(number) for number in range(300)]
    texts = ["\n\n".join(row["user_query"] + row["origin_first_response"] for row in rows[n::3]) for n in range(3)]
    return {name: text[: CHARACTERS // 3] for name, text in zip(("prompt", "a", "b"), texts, strict=True)}


def _form_fields(text: str) -> dict[str, Any]:
    return {
        "q-suitable": "yes",
        "q-task": "Coding / Code Debugging",
        "q-errors": ["Logical Error"],
        "q-feedback": text,
        "q-feedback_type": ["Pointing Out Errors"],
        "q-first": "Does it say that an empty list is possible?",
        "q-second": "Does it start from zero?",
    }


def _pairs() -> dict[str, Any]:
    text = FEEDBACK[0]
    rows = [sample(number) for number in range(TURNS * TURN + 10)]
    return {"definition": ALIKE, "rows": rows, "forms": {"feedback": rewritten(text), "form": _form_fields(text)},
            "turns": TURNS, "turn": TURN}  # fmt: skip


SET_UP = """
import re, statistics, time
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from annotate.project.actions import create_project
from tests.support.people import make_item, make_member

def client_of(project):
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(make_member(project).user, backend="django.contrib.auth.backends.ModelBackend")
    return client

def opened(client, slug):
    page = client.post(f"/p/{slug}/work/next/", follow=True)
    assert page.status_code == 200
    return page, page.request["PATH_INFO"]
"""
PAGE = (
    SET_UP
    + """
project = create_project(slug="large", kind="form", definition=definition)
make_item(project, facts=facts, suggestion=answers)
client = client_of(project)
page, path = opened(client, "large")
with CaptureQueriesContext(connection) as captured:
    client.get(path)
    statements = len(captured)
took = []
for _time in range(20):
    began = time.process_time()
    client.get(path)
    took.append(1000 * (time.process_time() - began))
result = statements, statistics.median(took)
"""
)
ALIKE_PROJECTS = """
from annotate.project.actions import create_project
from tests.support.people import make_item

projects = {"feedback": create_project(slug="pairs-feedback", kind="feedback"),
            "form": create_project(slug="pairs-form", kind="form", definition=definition)}
for row in rows:
    told = row["suggestion"]
    facts = {name: row[name] for name in ("bench_type", "user_query", "origin_first_response")}
    make_item(projects["feedback"], facts=facts, suggestion=told)
    questions = [question for question, _weight in told["checklist"]]
    draft = {"suitable": "yes", "task": "Coding / Code Debugging", "errors": told["error_type"],
             "feedback": told["feedback"], "feedback_type": told["feedback_type"], "first": questions[0],
             "second": questions[1]}
    make_item(projects["form"], facts={"query": facts["user_query"], "response": facts["origin_first_response"]},
              suggestion=draft)
"""
PAIRS = (
    SET_UP
    + ALIKE_PROJECTS
    + """
clients = {name: client_of(project) for name, project in projects.items()}
places = {name: opened(client, projects[name].slug) for name, client in clients.items()}

def pair(name):
    page, path = places[name]
    hidden = dict(re.findall(r'<input type="hidden" name="(token|revision)" value="([^"]*)"', page.content.decode()))
    data = {**forms[name], "seconds": "2", "confirm": "1", **hidden}
    began = time.process_time()
    answer = clients[name].post(f"{path}submit/", data, headers={"X-Takes-Page": "yes", "host": "127.0.0.1"})
    spent = time.process_time() - began
    assert "X-Page-Is-At" in answer.headers, f"{name}: {answer.status_code}"
    places[name] = answer, answer.headers["X-Page-Is-At"].partition("?")[0]
    return 1000 * spent

for name in projects:
    for _warming_up in range(4):
        pair(name)
spent = {name: [] for name in projects}
for _turn in range(turns):
    for name in projects:
        spent[name].append(statistics.mean(pair(name) for _pair in range(turn)))
result = {name: min(means) for name, means in spent.items()}
"""
)
