"""What verification finds in files that are not as their manifest says: each difference with its place."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from annotate.releases.verify_files import (
    LISTED,
    RATINGS_FORMAT,
    TRAINING_FORMAT,
    Verification,
    chat_faults,
    manifest_of,
    rating_faults,
    verify,
    verify_training,
)

CHAT = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}]
PAIR = {"prompt": "Why?", "chosen": "Because.", "rejected": "No.", "query": "Why?", "split": "train"}


def folder(path: Path, *rows: Any, **entry: Any) -> tuple[Path, dict[str, Any]]:
    """A folder of training data with one file, and its manifest."""
    content = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    (path / "pairs.jsonl").write_bytes(content)
    described = {"name": "pairs.jsonl", "rows": len(rows), "sha256": hashlib.sha256(content).hexdigest()} | entry
    manifest = {"format": TRAINING_FORMAT, "files": [described]}
    (path / "manifest.json").write_text(json.dumps(manifest))
    return path, manifest


def differences(path: Path, *rows: Any, **entry: Any) -> list[str]:
    return verify_training(*folder(path, *rows, **entry)).differences


# --- training data ----------------------------------------------------------------------------------------------------
def test_a_folder_that_is_as_its_manifest_says_holds(tmp_path: Path) -> None:
    path, manifest = folder(tmp_path, PAIR, {"messages": CHAT, "query": "Why?", "split": "train"})
    report = verify(path)
    assert (report.holds, report.rows) == (True, 2)
    assert report.sha256 == manifest["files"][0]["sha256"]
    assert manifest_of(path / "pairs.jsonl") == manifest


def test_a_file_that_is_gone_is_named(tmp_path: Path) -> None:
    path, manifest = folder(tmp_path, PAIR)
    (path / "pairs.jsonl").unlink()
    assert verify_training(path, manifest).differences == [
        "pairs.jsonl: The file cannot be read: No such file or directory"
    ]


def test_a_file_that_the_manifest_does_not_list_is_named(tmp_path: Path) -> None:
    path, manifest = folder(tmp_path, PAIR)
    (path / "more.jsonl").write_text("{}\n")
    assert verify_training(path / "more.jsonl", manifest).differences == ["The manifest does not list this file."]


def test_other_bytes_and_another_number_of_rows_are_two_differences(tmp_path: Path) -> None:
    by_bytes, by_rows = differences(tmp_path, PAIR, rows=3, sha256="0" * 64)
    assert by_bytes.startswith("pairs.jsonl: The file's SHA-256 is ")
    assert by_rows == "pairs.jsonl: The file holds 1 rows; the manifest says 3."


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"chosen": ""}, "chosen: is empty."),
        ({"rejected": "Because."}, "rejected: is the same as the chosen answer."),
        ({"split": 1}, "split: The row does not name its query and its split."),
        ({"query": None}, "split: The row does not name its query and its split."),
    ],
)
def test_a_pair_that_nobody_can_train_with_is_named_by_line(
    tmp_path: Path, changes: dict[str, Any], difference: str
) -> None:
    assert differences(tmp_path, PAIR, PAIR | changes) == [f"pairs.jsonl: Line 2, {difference}"]


def test_a_query_in_two_splits_is_named(tmp_path: Path) -> None:
    assert differences(tmp_path, PAIR, PAIR | {"split": "test"}) == [
        "pairs.jsonl: Line 2, split: The same query is also in the split train."
    ]


@pytest.mark.parametrize(
    ("messages", "paths"),
    [
        ("Why?", ["messages"]),
        ([["user", "Why?"]], ["messages"]),
        (CHAT[:1], ["messages"]),
        (CHAT[::-1], ["messages"]),
        ([CHAT[0], {"role": "assistant", "content": " "}], ["messages[1].content"]),
        (CHAT, []),
        ([{"role": "system", "content": "Be kind."}, *CHAT], []),
    ],
)
def test_turns_alternate_and_none_is_empty(messages: Any, paths: list[str]) -> None:
    assert [path for path, _message in chat_faults(messages)] == paths


# --- releases ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("changes", "path"),
    [({"unit": ""}, "unit"), ({"rater": 7}, "rater"), ({"kind": "cat"}, "kind"), ({"value": [1]}, "value")],
)
def test_a_rating_of_another_shape_is_named(changes: dict[str, Any], path: str) -> None:
    rating = {"unit": "a", "rater": "r1", "kind": "person", "value": None}
    assert list(rating_faults(rating)) == []
    assert [where for where, _message in rating_faults(rating | changes)] == [path]


@pytest.mark.parametrize(
    ("manifest", "difference"),
    [
        (None, "There is no r.jsonl.manifest.json next to the file. Copy it there."),
        ("[]", "r.jsonl.manifest.json is not a manifest."),
        ("{", "r.jsonl.manifest.json cannot be read: "),
    ],
)
def test_without_a_readable_manifest_nothing_is_compared(tmp_path: Path, manifest: str | None, difference: str) -> None:
    (tmp_path / "r.jsonl").write_text("")
    if manifest is not None:
        (tmp_path / "r.jsonl.manifest.json").write_text(manifest)
    [found] = verify(tmp_path / "r.jsonl").differences
    assert found.startswith(difference)


def test_a_released_row_without_its_key_is_named(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"prompt": "Why?", "gold_answer": "So."}\n')
    manifest = {"kind": "prompt", "schema": 1, "rows": 1, "sha256": ""}
    (tmp_path / "r.jsonl.manifest.json").write_text(json.dumps(manifest))
    assert "Line 1, key: is missing or not text." in verify(tmp_path / "r.jsonl").differences


def test_a_list_of_differences_ends_at_a_hundred(tmp_path: Path) -> None:
    content = "{}\n" * 60
    (tmp_path / "r.jsonl").write_text(content)
    manifest = {"format": RATINGS_FORMAT, "rows": 60, "sha256": hashlib.sha256(content.encode()).hexdigest()}
    (tmp_path / "r.jsonl.manifest.json").write_text(json.dumps(manifest))
    report = verify(tmp_path / "r.jsonl")
    assert (report.rows, len(report.differences), report.holds) == (60, LISTED, False)
    assert Verification().as_json() == {"ok": True, "rows": 0, "sha256": "", "differences": []}
