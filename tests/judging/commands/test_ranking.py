import gzip
from pathlib import Path
from typing import Any

import pytest

from tests.support.files import command, jsonl

ROWS = [
    {"left": "a", "right": "b", "winner": "left", "why": "other fields are not read"},
    {"left": "b", "right": "a", "winner": "left"},
    {"left": "a", "right": "b", "winner": "left"},
    {"left": "b", "right": "c", "winner": "tie"},
    {"left": "b", "right": "c", "winner": "skip"},
    {"left": "", "right": "c", "winner": "tie"},
]
FIELDS = {"name", "strength", "elo", "low", "high", "rank_low", "rank_high", "battles", "wins", "ties"}


def written(folder: Path, content: bytes, name: str = "battles.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def names(told: dict[str, Any]) -> list[str]:
    return [row["name"] for row in told["models"]]


def test_it_needs_no_project_and_no_database(tmp_path: Path) -> None:
    code, told, _err = command("ranking", written(tmp_path, jsonl(ROWS)))
    assert code == 0
    assert names(told) == ["a", "b", "c"]
    assert all(row.keys() >= FIELDS for row in told["models"])
    assert told["skipped"] == {"other winner": 1, "no name": 1}
    # a beat b 2 of 3 and b tied with c: 2 : 1 : 1.
    assert [row["strength"] for row in told["models"]] == pytest.approx([0.5, 0.25, 0.25])
    assert [(row["battles"], row["wins"], row["ties"]) for row in told["models"]] == [(3, 2, 0), (4, 1, 1), (1, 0, 1)]


def test_csv_with_further_columns_and_gzip_say_the_same(tmp_path: Path) -> None:
    lines = [
        "id,winner,left,right",
        *(f"{n},{row['winner']},{row['left']},{row['right']}" for n, row in enumerate(ROWS)),
    ]
    table = "\ufeff" + "\r\n".join(lines)
    told = [
        command("ranking", written(tmp_path, content, name))[1]
        for content, name in (
            (jsonl(ROWS), "battles.jsonl"),
            (gzip.compress(jsonl(ROWS)), "battles.jsonl.gz"),
            (table.encode(), "battles.csv"),
        )
    ]
    assert told[0] == told[1] == told[2]


def test_a_name_that_does_not_tell_the_format_is_no_reason_to_refuse(tmp_path: Path) -> None:
    table = b"left,right,winner\na,b,left\nb,a,left\n"
    for content, name in (
        (jsonl(ROWS[:2]), "battles"),
        (table, "battles.txt"),
        (gzip.compress(table), "battles.v2.gz"),
    ):
        code, told, _err = command("ranking", written(tmp_path, content, name))
        assert (code, told["battles"]) == (0, 2)


@pytest.mark.parametrize(("name", "said"), [("nowhere", "There is no such file"), ("", "This is a folder")])
def test_what_is_no_file_is_called_so(tmp_path: Path, name: str, said: str) -> None:
    code, _told, err = command("ranking", tmp_path / name)
    assert code == 1
    assert said in err


@pytest.mark.parametrize("content", [b"", b"left,right\na,b\n", b"left,right,winner\na,b,both\n", b"x\ny\n"])
def test_without_a_battle_it_refuses(content: bytes, tmp_path: Path) -> None:
    code, _told, err = command("ranking", written(tmp_path, content, "battles.csv"))
    assert code == 1
    assert "battles.csv" in err


def test_it_goes_beside_another_leaderboard(tmp_path: Path) -> None:
    board = written(tmp_path, b"item,score\na,3\nb,2\nc,1\nz,0\n", "board.csv")
    code, told, _err = command("ranking", written(tmp_path, jsonl(ROWS)), "--beside", board, "--davidson")
    assert code == 0
    assert told["beside"]["kendall"]["n"] == 3
    assert told["beside"]["pearson"]["n"] == 3
    assert -1 <= told["beside"]["pearson"]["value"] <= 1
    assert told["beside"]["only_there"] == ["z"]
    assert told["tendency_to_tie"] > 0
