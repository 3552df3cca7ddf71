import json
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.commands import run
from benchmarks.figures import Figure, at_least, at_most, exactly
from benchmarks.in_process import asked
from benchmarks.lists import LEAD
from benchmarks.places import DATABASES, installation, project
from lib.stats.averages import AverageCell, ScoreTable
from lib.stats.bootstrap import DRAWS, draws
from tests.support.installation import Installation
from tests.support.samples import sample

ABOUT = (
    "import_judgements of every author's judgements of every item, Python's start included; the page of the "
    "leaderboard over them; and the bootstrap's draws against a loop that draws the items of each task and takes "
    "their mean, one draw after the other."
)
AUTHORS, ITEMS = 27, 591
TASKS = [
    ("Mathematics", "Algebra"),
    ("Reasoning", "IQ Questions"),
    ("Coding", "Code Debugging"),
    ("Text Extraction", "Summary"),
    ("Text Error Correction", "Text Checking"),
    ("Text Creation", "Rewriting"),
    ("Knowledge Q&A", "Objective Facts"),
    ("Text Translation", "Chinese to English"),
]
PAGE = "/p/bench/leaderboard/"


def measure() -> Iterator[Figure]:
    for database in DATABASES:
        yield from _measure(database)
    yield _bootstrap()


def _measure(database: str) -> Iterator[Figure]:
    with installation(database) as place:
        project(place)
        place.python(LEAD)
        place.manage(
            "import_items", "bench", _items(place.folder / "items.jsonl"), "--accept", "--no-checks", "--strict"
        )
        taken = run(place, "import_judgements", "bench", _judgements(place), "--format", "fbbench", "--json")
        queries, milliseconds = asked(place, "lead", PAGE, times=5)
    rows = AUTHORS * ITEMS
    yield exactly(f"{database}: judgements kept", json.loads(taken.said)["kept"], rows)
    yield at_least(f"{database}: judgements a second", round(rows / taken.seconds), 3000, "/s")
    yield at_most(f"{database}: queries of the leaderboard", queries, 16)
    yield Figure(f"{database}: time of the leaderboard", round(milliseconds), unit="ms")


def _items(path: Path) -> Path:
    with path.open("w") as file:
        file.writelines(json.dumps(_item(number)) + "\n" for number in range(ITEMS))
    return path


def _item(number: int) -> dict[str, Any]:
    """Under the keys that published judgements name; every other one without weights."""
    row = sample(number, brief=True)
    task, subtask = TASKS[number % len(TASKS)]
    draft = row.pop("suggestion") | {"task_type": task, "sub_task_type": subtask}
    if number // len(TASKS) % 2:
        row["bench_type"] = "Response Maintenance"
        questions = [question for question, _weight in draft["checklist"]]
        draft |= {"checklist": questions, "error_type": None, "feedback_type": ["Misinformation"]}
    return row | draft | {"key": f"fbbench-{number:04}"}


def _judgements(place: Installation) -> Path:
    path, chance = place.folder / "judgements.jsonl", random.Random(1)
    items = [_item(number)["checklist"] for number in range(ITEMS)]
    with path.open("w") as file:
        for author in range(AUTHORS):
            for number, checklist in enumerate(items):
                file.write(json.dumps(_judgement(author, number, checklist, chance), ensure_ascii=False) + "\n")
    return path


def _judgement(author: int, number: int, checklist: list[Any], chance: random.Random) -> dict[str, Any]:
    pairs = [(entry, None) if isinstance(entry, str) else entry for entry in checklist]
    said = {
        question: {"result": "是" if chance.random() < 0.3 + author / 50 else "否", "weight": weight}
        for question, weight in pairs
    }
    return {"model": f"author-{author:02}", "sample_index": number, "judge_model": "judge-m", "judgement": said}


def _bootstrap() -> Figure:
    values = np.random.default_rng(1).uniform(size=(AUTHORS, ITEMS))
    cells = [AverageCell(scenario, task) for scenario in ("ec", "rm") for task, _subtask in TASKS]
    table = ScoreTable([f"author-{place}" for place in range(AUTHORS)], values, np.arange(ITEMS) % len(cells), cells)
    slow, fast = _seconds(lambda: _plain_loop(table)), _seconds(lambda: draws(table))
    return Figure(f"bootstrap of {DRAWS:,} draws: times as fast as a plain loop", round(slow / fast, 1), unit="×")


def _plain_loop(table: ScoreTable) -> list[Any]:
    chance = np.random.default_rng(1)
    places = [np.flatnonzero(table.cell == cell) for cell in range(len(table.cells))]
    return [
        np.mean([table.values[:, chance.choice(items, len(items))].mean(axis=1) for items in places], axis=0)
        for _draw in range(DRAWS)
    ]


def _seconds(work: Callable[[], object]) -> float:
    """The best of three: the rest is what else the machine does."""
    took = []
    for _time in range(3):
        began = time.perf_counter()
        work()
        took.append(time.perf_counter() - began)
    return min(took)
