import gzip
import json
import os
from collections import Counter
from pathlib import Path

import pytest

from annotate.models import Item, Project
from tests.annotate.formats.conftest import Read
from tests.support.files import command, imported, jsonl
from tests.support.use_cases import use_case_project

DATA = Path(__file__).parents[4] / "shared" / "data"
CASES = DATA / "urs_cases.jsonl.gz"
FIXTURE = Path(__file__).parents[3] / "fixtures" / "use_case_demo.jsonl"
# intent -> English and Chinese cases, as the README of the data counts them.
COUNTS = {
    "Factual_QA": (299, 159),
    "Solve_Professional_Problem": (133, 267),
    "Text_Assistant": (65, 34),
    "Ask_for_Advice": (140, 75),
    "Seek_Creativity": (97, 58),
    "Leisure": (66, 61),
    "API": (11, 11),
}
real_data = pytest.mark.skipif(
    not CASES.exists() and os.environ.get("CI") != "true", reason=f"needs the published cases in {DATA}"
)
TABLE = (
    '\ufeffquestion,user_intent,language,reference_ans\r\n为什么天是蓝的？,Factual_QA,CN,"因为散射。\n\n蓝光更强。"\r\n'
)


@pytest.fixture
def project(db: None) -> Project:
    return use_case_project(slug="urs", reviews=0)


def test_the_public_table_is_read_with_its_byte_order_mark(read: Read) -> None:
    for content in (TABLE.encode(), gzip.compress(TABLE.encode())):
        rows, problems = read(content, "urs")
        assert problems == []
        (value,) = [row.value for row in rows]
        assert value["question"] == value["first_question"] == "为什么天是蓝的？"
        assert value["reference_ans"] == value["reference"] == "因为散射。\n\n蓝光更强。"
        assert (value["user_intent"], value["intent"], value["language"]) == ("Factual_QA", "Factual_QA", "CN")
        assert value["keep"] is value["harmless"] is None


def test_the_number_of_a_row_becomes_its_key(read: Read) -> None:
    given = {"row": 7, "question": "Why?", "reference_ans": "So.", "user_intent": "Leisure", "language": "EN"}
    (row,), _problems = read(jsonl([given]), "urs")
    assert row.value["key"] == "urs-0007"
    assert "row" not in row.value


def test_what_was_published_is_final_where_it_is_accepted(project: Project, tmp_path: Path) -> None:
    (tmp_path / "urs.csv").write_text(TABLE, encoding="utf-8")
    report = imported(project, tmp_path / "urs.csv", "--format", "urs", "--accept")
    assert (report["kept"], report["problems"]) == (1, [])
    item = Item.objects.get()
    assert (item.state, item.group) == ("accepted", "Factual_QA")
    assert item.base is not None
    assert item.base.draft["keep"] is True


def test_a_row_without_a_question_is_a_problem_at_its_line(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "urs.jsonl"
    path.write_bytes(jsonl([{"user_intent": "Leisure"}, {"question": "Why?", "user_intent": "Leisure"}]))
    report = imported(project, path, "--format", "urs")
    assert (report["kept"], report["rejected"]) == (1, 1)
    assert [(one["line"], one["path"]) for one in report["problems"]] == [(1, "question")]


@real_data
def test_the_published_cases_are_there_with_their_counts_and_leave_as_they_came(
    project: Project, tmp_path: Path
) -> None:
    report = imported(project, CASES, "--format", "urs", "--accept")
    assert (report["read"], report["kept"], report["rejected"]) == (1476, 1476, 0)
    facts = Item.objects.filter(project=project, state="accepted").values_list("group", "facts__language")
    found = Counter(facts.iterator())
    assert {intent: (found[intent, "EN"], found[intent, "CN"]) for intent in COUNTS} == COUNTS
    assert sum(found.values()) == 1476

    command("export_items", project.slug, "--out", tmp_path / "out.jsonl")
    exported = [json.loads(line) for line in (tmp_path / "out.jsonl").read_bytes().splitlines()]
    published = [json.loads(line) for line in gzip.decompress(CASES.read_bytes()).splitlines()]
    names = ("question", "reference_ans", "user_intent", "language")
    kept = {tuple(row[name] for name in names) for row in exported}
    assert kept == {tuple(row[name] for name in names) for row in published}


def test_the_demo_cases_are_accepted_or_work_to_do(project: Project) -> None:
    assert imported(project, FIXTURE)["rejected"] == 0
    assert Counter(Item.objects.values_list("state", flat=True)) == {"accepted": 6, "ready": 3}


def test_service_and_ratings_of_a_table_are_facts(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    path.write_text("question,user_intent,language,service,difficulty,satisfaction\nWhy?,Leisure,EN,Kimi,2,5\n")
    assert command("import_items", "urs", path, "--format", "urs")[0] == 0
    facts = Item.objects.get().facts
    assert (facts["service"], facts["difficulty"], facts["satisfaction"]) == ("Kimi", 2, 5)
