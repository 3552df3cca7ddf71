import json
from pathlib import Path
from typing import Any

import pytest

from annotate.models import Project
from tests.support.files import command, write_rows
from tests.support.people import make_project
from tests.support.voted import bring, by_judge, on_a_pair, preference_project

pytestmark = pytest.mark.django_db


def out_of(project: Project, folder: Path) -> tuple[dict[str, Any], Path]:
    path = folder / f"{project.slug}.jsonl"
    code, told, err = command("export_battles", project.slug, "--out", path)
    assert code == 0, err
    return told, path


def test_votes_and_verdicts_leave_as_battles_and_come_back_as_they_were(tmp_path: Path) -> None:
    made = preference_project()
    said = {"q1": ["first", "tie", "cannot_tell", "both_bad"], "q2": ["second"]}
    rows = [on_a_pair(key, choice, rater=f"r{no}") for key, votes in said.items() for no, choice in enumerate(votes)]
    bring(made, tmp_path, *rows, *by_judge("q1"), *by_judge("q2", "first", "second"))
    told, path = out_of(made, tmp_path)
    battles = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(one["key"], one.get("rater", one.get("judge")), one["winner"]) for one in battles] == [
        ("q1", battles[0]["judge"], "left"),
        ("q1", "person-001", "left"),
        ("q1", "person-002", "tie"),
        ("q1", "person-004", "tie"),
        ("q2", battles[4]["judge"], "tie"),  # each order says something else
        ("q2", "person-001", "right"),
    ]
    assert told["left_out"] == {"cannot tell": 1, "both bad, a tie here": 1}
    assert "r0" not in path.read_text()
    other = make_project(kind_slug="preference")
    code, report, err = command("import_judgements", other.slug, path, "--format", "battles")
    assert (code, report["kept"], report["rejected"]) == (0, 6, 0), err
    back = [json.loads(line) for line in out_of(other, tmp_path)[1].read_text().splitlines()]
    names = {"person-004": "person-003"}  # whoever could only say that they cannot tell is not there any more
    assert back == [
        one | ({"rater": names.get(one["rater"], one["rater"])} if "rater" in one else {}) for one in battles
    ]
    assert command("ranking", path)[1]["battles"] == 6


def test_a_file_of_battles_comes_in_and_leaves_as_it_was(tmp_path: Path) -> None:
    given = [
        {
            "key": f"b{no}",
            "prompt": f"Which of {no}?",
            "left": "model-a",
            "right": "model-b",
            "left_text": text,
            "right_text": f"={no}",
            "winner": winner,
            "rater": "person-001",
            "group": "sums",
        }
        for no, (winner, text) in enumerate([("left", "一\u2028"), ("right", "[1]"), ("tie", "'x")])
    ]
    project = preference_project()
    path = write_rows(tmp_path / "given.jsonl", given)
    assert command("import_judgements", project.slug, path, "--format", "battles")[1]["kept"] == 3
    assert out_of(project, tmp_path)[1].read_bytes() == path.read_bytes()


def test_without_a_preference_nothing_is_written(tmp_path: Path) -> None:
    project = preference_project()
    code, _told, err = command("export_battles", project.slug, "--out", tmp_path / "none.jsonl")
    assert (code, (tmp_path / "none.jsonl").exists()) == (1, False)
    assert "nothing was written" in err
