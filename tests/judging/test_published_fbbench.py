"""The published judgements of FB-Bench give its published table, digit for digit."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from annotate.models import Item
from judging.models import Answer, Part
from tests.support.files import command
from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.people import make_project

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
ITEMS, JUDGEMENTS = DATA / "fbbench_dataset_v3.json.gz", DATA / "fbbench_judgements_20models.jsonl.gz"
RAW = {
    name: DATA / f"fbbench_raw_judgement_{name}.jsonl.gz"
    for name in ("Meta-Llama-3.1-8B-Instruct", "Ministral-8B-Instruct-2410", "Qwen2.5-72B-Instruct")
}
COLUMNS = ("error_correction", "response_maintenance", "overall")
DIVISIONS = {
    "per_task_score": ("task", COLUMNS),
    "per_error_score": ("error_type", COLUMNS[:1]),
    "per_feedback_score_correct": ("feedback_type", COLUMNS[:1]),
    "per_feedback_score_antisyco": ("feedback_type", COLUMNS[1:2]),
}
TEXTS = r"^(user_query|origin_first_response|feedback|checklist):$"
Cells = dict[tuple[str, ...], float]

pytestmark = pytest.mark.skipif(
    not JUDGEMENTS.exists() and not os.environ.get("CI"), reason=f"needs the published data in {DATA}"
)


def kinds(problems: list[dict[str, Any]]) -> Counter[str]:
    assert {problem["level"] for problem in problems} <= {"warning"}
    assert len({problem["line"] for problem in problems}) == len(problems)
    counts: Counter[str] = Counter()
    for problem in problems:
        counts[problem["message"].split(":")[0]] += problem.get("count", 1)
    return counts


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def place(request: pytest.FixtureRequest, installations: Installations) -> Iterator[Installation]:
    """An installation with the published items and judgements; what the import said lies in `imported.json`."""
    with installations.migrated(request.param) as made:
        made.manage("create_project", "fb", "--kind", "feedback")
        made.manage("import_items", "fb", ITEMS, "--format", "fbbench", "--accept", "--no-checks")
        done = made.manage("import_judgements", "fb", JUDGEMENTS, "--format", "fbbench", "--json")
        (made.folder / "imported.json").write_text(done.stdout)
        yield made


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    return json.loads((DATA / "fbbench_published.json").read_text())


def rows(place: Installation, *words: str) -> list[dict[str, Any]]:
    return json.loads(place.manage("report", "fb", "leaderboard", *words, "--json").stdout)["rows"]


@pytest.mark.slow
def test_the_odd_records_are_listed_and_nothing_else(place: Installation) -> None:
    report = json.loads((place.folder / "imported.json").read_text())
    assert {name: report[name] for name in report if name != "problems"} == {
        "read": 11820,
        "kept": 11820,
        "duplicates": 0,
        "rejected": 0,
    }
    assert kinds(report["problems"]) == {"Failed call": 2, "Collapsed verdict": 1, "Differing keys": 27}


@pytest.mark.slow
def test_every_column_of_every_author_is_the_published_one(place: Installation, published: dict[str, Any]) -> None:
    found = rows(place)
    assert {row["author"]: [row[name] for name in COLUMNS] for row in found} == published["table4"]
    assert len(found) == 20
    assert {row["n"] for row in found} == {591}
    assert {row["author"]: row["failed"] for row in found if row["failed"]} == {
        "Meta-Llama-3.1-70B-Instruct": 1,
        "Meta-Llama-3.1-8B-Instruct": 1,
    }
    assert all(row["interval"]["overall"][0] < row["overall"] < row["interval"]["overall"][1] for row in found)
    assert all(list(row) == ["author", "n", "failed", *COLUMNS, "interval"] for row in found)


@pytest.mark.slow
def test_every_cell_of_the_breakdowns_is_within_a_hundredth(place: Installation, published: dict[str, Any]) -> None:
    found: Cells = {}
    for by in ("task", "error_type", "feedback_type"):
        for row in rows(place, "--by", by):
            assert list(row) == ["author", "scenario", "group", "n", "value"]
            found[by, row["author"], row["group"], row["scenario"]] = row["value"]
    compared = 0
    for author, parts in published["breakdowns"].items():
        for part, groups in parts.items():
            by, columns = DIVISIONS[part]
            for group, values in groups.items():
                for column, value in zip(COLUMNS, values, strict=True):
                    if column in columns:
                        assert found[by, author, group, column] == pytest.approx(value, abs=0.0100001)
                        compared += 1
    assert compared == 20 * (8 * 3 + 5 + 6 + 4)


@pytest.mark.slow
def test_a_second_import_changes_nothing(place: Installation) -> None:
    before = rows(place)
    done = place.manage("import_judgements", "fb", JUDGEMENTS, "--format", "fbbench", "--json", check=False)
    assert done.returncode == 1
    assert json.loads(done.stdout) == {"read": 11820, "kept": 0, "duplicates": 11820, "rejected": 0, "problems": []}
    assert rows(place) == before


@pytest.mark.slow
def test_the_raw_files_say_the_same_and_bring_the_answers(place: Installation, published: dict[str, Any]) -> None:
    told = {
        "Meta-Llama-3.1-8B-Instruct": {"Failed call": 1, "Differing keys": 1},
        "Ministral-8B-Instruct-2410": {"Collapsed verdict": 1},
        "Qwen2.5-72B-Instruct": {"Differing keys": 3},
    }
    for author, path in RAW.items():
        report = json.loads(place.manage("import_judgements", "fb", path, "--format", "fbbench", "--json").stdout)
        assert [report["read"], report["kept"], report["rejected"]] == [591, 591, 0]
        assert kinds(report["problems"]) == told[author]
    found = {row["author"]: [row[name] for name in COLUMNS] for row in rows(place)}
    assert found == published["table4"]


@pytest.mark.slow
def test_two_imports_of_one_file_at_once_store_it_once(place: Installation) -> None:
    place.manage("create_project", "twice", "--kind", "feedback")
    place.manage("import_items", "twice", ITEMS, "--format", "fbbench", "--accept", "--no-checks")
    words = ("import_judgements", "twice", RAW["Ministral-8B-Instruct-2410"], "--format", "fbbench", "--json")
    with ThreadPoolExecutor() as both:
        done = [both.submit(place.manage, *words, check=False) for _time in range(2)]
        reports = [json.loads(each.result().stdout) for each in done]
    assert [sum(report[name] for report in reports) for name in ("kept", "duplicates", "rejected")] == [591, 591, 0]
    [row] = json.loads(place.manage("report", "twice", "leaderboard", "--json").stdout)["rows"]
    assert (row["n"], row["overall"]) == (591, 50.66)


@pytest.mark.django_db
def test_older_texts_are_a_note_on_the_answer() -> None:
    make_project(slug="fb")
    command("import_items", "fb", ITEMS, "--format", "fbbench", "--accept", "--no-checks")
    report = command("import_judgements", "fb", RAW["Qwen2.5-72B-Instruct"], "--format", "fbbench")[1]
    assert [report["kept"], len(report["problems"])] == [591, 3]
    notes = Answer.objects.exclude(note="").values_list("note", flat=True)
    names = Counter(name for note in notes for name in re.findall(TEXTS, note, re.MULTILINE))
    assert names == {"origin_first_response": 65, "feedback": 1, "checklist": 1}
    assert not Answer.objects.filter(text="").exists()
    row = command("report", "fb", "leaderboard")[1]["rows"][0]
    assert [row[name] for name in COLUMNS] == [67.95, 71.29, 69.62]


@pytest.mark.slow
@pytest.mark.django_db
def test_one_part_moves_the_cells_of_its_author_and_item_and_no_others() -> None:
    make_project(slug="fb")
    command("import_items", "fb", ITEMS, "--format", "fbbench", "--accept", "--no-checks")
    command("import_judgements", "fb", JUDGEMENTS, "--format", "fbbench")
    before = all_cells()
    item = Item.objects.get(key="fbbench-0485")
    author = "ERNIE-4.0-8K-0329"
    part = Part.objects.get(verdict__item=item, verdict__first__author__name=author, axis="2")
    assert (part.score_first, part.weight) == (0.0, 0.4)  # of one line of the file, as it stands there
    Part.objects.filter(pk=part.pk).update(score_first=1.0)
    after = all_cells()
    moved = {cell for cell in before if before[cell] != after[cell]}
    draft = item.base.draft
    groups = {
        ("task", draft["task_type"]),
        ("subtask", draft["sub_task_type"]),
        *(("error_type", each) for each in draft["error_type"]),
        *(("feedback_type", each) for each in draft["feedback_type"]),
    }
    expected = {(author, "", "", column) for column in ("error_correction", "overall")}
    expected |= {(author, *group, column) for group in groups for column in ("error_correction", "overall")}
    assert moved == expected
    assert all(after[cell] > before[cell] for cell in moved)


def all_cells() -> Cells:
    """(author, division, group, column) -> value."""
    found: Cells = {
        (row["author"], "", "", column): row[column]
        for row in command("report", "fb", "leaderboard")[1]["rows"]
        for column in COLUMNS
    }
    for by in ("task", "subtask", "error_type", "feedback_type"):
        for row in command("report", "fb", "leaderboard", "--by", by)[1]["rows"]:
            found[row["author"], by, row["group"], row["scenario"]] = row["value"]
    return found
