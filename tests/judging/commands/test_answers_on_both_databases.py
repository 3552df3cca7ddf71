"""Answers through a whole installation, by its commands alone, on SQLite and on PostgreSQL: also two files at once."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.model_server import ModelServer

pytestmark = pytest.mark.slow
SET_UP = """
from tests.support.judged import CORRECTION, decided_item
from tests.support.people import make_project
project = make_project(slug="fb")
result = [decided_item(project, CORRECTION).key for _ in range(40)]
"""
COVERED = """
from judging.answers.queries import coverage
rows = coverage(Project.objects.get(slug="fb"))
result = [
    [one.author.name, one.answered, one.answers, one.failed, one.characters and one.characters.median,
     one.tokens and one.tokens.median]
    for one in rows
]
"""
VERSIONS = """
from judging.models import Answer
result = sorted(Answer.objects.values_list("version", flat=True))
"""
MARKED = """
from judging.models import Answer
result = list(Answer.objects.values_list("simulated", flat=True).distinct())
"""


@pytest.fixture
def installation(installations: Installations, database: str) -> Iterator[Installation]:
    with installations.migrated(database) as made:
        yield made


def write(path: Path, keys: list[str], text: str, author: str = "A") -> Path:
    lines = [json.dumps({"key": key, "author": author, "text": text}, ensure_ascii=False) for key in keys]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def said(installation: Installation, *words: object) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(installation.manage(*map(str, words), "--json", check=False).stdout)
    return told


def test_answers_are_imported_and_covered(installation: Installation, tmp_path: Path) -> None:
    keys = installation.python(SET_UP)
    told = said(installation, "import_answers", "fb", write(tmp_path / "a.jsonl", [*keys, keys[0]], "两颗卫星abcd"))
    assert [told[name] for name in ("read", "kept", "duplicates", "rejected")] == [41, 40, 1, 0]
    newer = write(tmp_path / "b.jsonl", keys[:3], "x" * 100)
    assert said(installation, "import_answers", "fb", newer, "--dry-run")["kept"] == 3
    assert said(installation, "import_answers", "fb", newer)["kept"] == 3
    assert installation.python(COVERED) == [["A", 40, 40, 0, 8, 5]]


def test_two_imports_of_one_file_at_once_keep_every_answer_once(installation: Installation, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", installation.python(SET_UP), "Two.")
    with ThreadPoolExecutor(2) as both:
        told = list(both.map(lambda _turn: said(installation, "import_answers", "fb", path), range(2)))
    assert sorted(one["kept"] for one in told) == [0, 40]
    assert installation.python(VERSIONS) == [1] * 40


def test_failures_of_a_run_are_counted_until_something_else_answers(
    installation: Installation, tmp_path: Path, model_server: ModelServer
) -> None:
    keys = installation.python(SET_UP)
    installation.manage("endpoint", "sim", "--base-url", model_server.base_url, "--model", "simulated-fair")
    model_server.misbehave("filters", times=4)
    told = said(installation, "answer", "fb", "--endpoint", "sim", "--author", "A", "--wait")
    assert (told["done"], told["causes"]) == (36, {"filtered": 4})
    ((_name, answered, answers, failed, *_lengths),) = installation.python(COVERED)
    assert (answered, answers, failed) == (36, 36, 4)
    assert installation.python(MARKED) == [True], "nobody has said that the endpoint is simulated; the service has"
    said(installation, "import_answers", "fb", write(tmp_path / "a.jsonl", keys, "By hand."))
    ((_name, answered, _answers, failed, *_lengths),) = installation.python(COVERED)
    assert (answered, failed) == (40, 0)
