"""`answer` against the simulated model: what is asked, counted, taken up again and read again."""

import json
from collections.abc import Iterator
from statistics import mean
from typing import Any

import pytest

from lib.simulated.candidate import merit
from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.model_server import ModelServer

pytestmark = pytest.mark.slow

KEYS = ["run", "jobs", "done", "failed", "causes", "calls", "cost", "paused_for"]
SET_UP = """
from tests.support.judged import CORRECTION, decided_item
from tests.support.people import make_project
from tests.support.runs import make_endpoint
for model in ("simulated-strong", "simulated-weak"):
    Endpoint.objects.filter(name=model).exists() or make_endpoint(
        name=model, model=model, base_url=base_url, simulated=True, attempts=2, max_in_flight=4
    )
Endpoint.objects.update(context_length=None)
project = make_project()
for number in range(8):
    feedback = f"You forgot step {number} of all. Please show the sum as well. Name the two moons of Mars."
    decided_item(project, CORRECTION, feedback=feedback)
result = project.slug
"""
STORED = """
from judging.models import Answer
answers = Answer.objects.filter(author__project__slug=slug).order_by("author__name", "item", "sample", "version")
result = [list(row) for row in answers.values_list("author__name", "sample", "version", "text", "simulated")]
"""


@pytest.fixture(scope="module")
def installation(installations: Installations) -> Iterator[Installation]:
    with installations.migrated("sqlite") as made:
        yield made


@pytest.fixture
def slug(installation: Installation, model_server: ModelServer) -> str:
    """A project of its own with eight decided items."""
    return str(installation.python(SET_UP, base_url=model_server.base_url))


def asked(installation: Installation, *arguments: str, code: int = 0) -> dict[str, Any]:
    """What the command prints with --json: one object and nothing else."""
    done = installation.manage("answer", *arguments, "--json", "--wait", check=False)
    assert done.returncode == code, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_two_authors_answer_as_well_as_their_models_can(
    installation: Installation, slug: str, model_server: ModelServer
) -> None:
    for model, name in (("simulated-strong", "Strong"), ("simulated-weak", "Weak")):
        told = asked(installation, slug, "--endpoint", model, "--author", name, "--samples", "2")
        assert list(told) == KEYS
        assert (told["jobs"], told["done"], told["failed"], told["calls"]) == (16, 16, 0, 16)
    rows = installation.python(STORED, slug=slug)
    assert [row[1:3] for row in rows[:4]] == [[1, 1], [2, 1], [1, 1], [2, 1]]
    assert all(row[4] for row in rows)
    strong, weak = (mean(merit(row[3]) or 0.0 for row in rows if row[0] == name) for name in ("Strong", "Weak"))
    assert strong > weak + 0.3


def test_replies_that_are_no_answers_end_in_their_cause_and_can_be_taken_up(
    installation: Installation, slug: str, model_server: ModelServer
) -> None:
    for number, what in enumerate(("says_nothing", "truncates", "refuses", "filters")):
        model_server.misbehave(what, times=2, containing=f"step {number} ")
    arguments = [slug, "--endpoint", "simulated-strong", "--author", "A"]
    told = asked(installation, *arguments)
    assert (told["done"], told["failed"]) == (4, 4)
    assert told["causes"] == {"empty": 1, "truncated": 1, "refused": 1, "filtered": 1}
    model_server.reset()
    again = asked(installation, slug, "--run", str(told["run"]), "--retry-failed")
    assert (again["jobs"], again["done"], again["failed"]) == (8, 8, 0)
    assert len(installation.python(STORED, slug=slug)) == 8


def test_answering_again_with_the_same_words_stores_nothing_new(
    installation: Installation, slug: str, model_server: ModelServer
) -> None:
    for _turn in range(2):
        told = asked(installation, slug, "--endpoint", "simulated-weak", "--author", "A", "--limit", "3")
        assert (told["jobs"], told["done"]) == (3, 3)
    assert [row[2] for row in installation.python(STORED, slug=slug)] == [1, 1, 1]
    model_server.turn(seed=2)
    asked(installation, slug, "--endpoint", "simulated-weak", "--author", "A", "--limit", "3")
    assert [row[2] for row in installation.python(STORED, slug=slug)] == [1, 2, 1, 2, 1, 2]


def test_a_context_without_room_for_an_answer_is_said_before_anything_is_sent(
    installation: Installation, slug: str, model_server: ModelServer
) -> None:
    installation.python("Endpoint.objects.update(context_length=20)\nresult = None")
    told = asked(installation, slug, "--endpoint", "simulated-weak", "--author", "A")
    assert (told["failed"], told["causes"], told["calls"]) == (8, {"too_long": 8}, 0)


def test_a_temperature_for_all_is_sent(installation: Installation, slug: str, model_server: ModelServer) -> None:
    arguments = [slug, "--endpoint", "simulated-weak", "--author", "A", "--limit", "1"]
    asked(installation, *arguments, "--temperature", "0.4")
    asked(installation, *arguments, "--temperature", "service")
    first, second = (kept["body"] for kept in model_server.calls.kept)
    assert first["temperature"] == 0.4
    assert first["max_completion_tokens" if "max_completion_tokens" in first else "max_tokens"] == 4096
    assert "temperature" not in second


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Give --author NAME"),
        (["--author", "A", "--temperature", "warm"], "project, service or a number"),
        (["--author", "A", "--temperature", "3"], "--option number"),
        (["--author", "A", "--samples", "1000"], "--option samples"),
        (["--author", " "], "must not be empty"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(
    arguments: list[str], said: str, installation: Installation, slug: str
) -> None:
    done = installation.manage("answer", slug, "--endpoint", "simulated-weak", *arguments, check=False)
    assert done.returncode == 2
    assert said in done.stderr
