import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.intake.report import Report
from annotate.models import AuditHead, Project
from judging.answers import answer_files
from judging.answers.answer_files import import_files
from judging.models import Answer, Author
from tests.support.judged import CORRECTION, answer_of, decided_item
from tests.support.people import make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    made = make_project()
    for key in ("k1", "k2"):
        item = decided_item(made, CORRECTION)
        made.items.filter(pk=item.pk).update(key=key)
    return made


def row(key: str = "k1", author: str = "Model A", text: Any = "Two moons.", **more: Any) -> dict[str, Any]:
    return {"key": key, "author": author, "text": text, **more}


def imported(project: Project, folder: Path, *rows: Any, **options: Any) -> Report:
    path = folder / "answers.jsonl"
    lines = (one if isinstance(one, str) else json.dumps(one) for one in rows)
    path.write_text("\n".join(lines), encoding="utf-8")
    return import_files(project=project, names=[str(path)], **options)


def counts(report: Report) -> tuple[int, int, int, int]:
    return report.read, report.kept, report.duplicates, report.rejected


def test_an_answer_is_kept_with_its_author_and_the_name_of_its_file(project: Project, tmp_path: Path) -> None:
    told = imported(project, tmp_path, row(sample=2, sort="person", family="GPT", provider="somebody"))
    assert counts(told) == (1, 1, 0, 0)
    assert told.problems == []
    kept = Answer.objects.select_related("author", "item").get()
    assert (kept.item.key, kept.sample, kept.version, kept.text) == ("k1", 2, 1, "Two moons.")
    assert (kept.known, kept.simulated, kept.source, kept.job) == (True, False, "answers.jsonl", None)
    author = kept.author
    assert (author.name, author.sort, author.family, author.provider) == ("Model A", "person", "GPT", "somebody")


def test_an_equal_text_is_a_duplicate_and_another_one_a_version(project: Project, tmp_path: Path) -> None:
    imported(project, tmp_path, row())
    told = imported(project, tmp_path, row(), row(key="k2"), row(text="Phobos and Deimos."))
    assert counts(told) == (3, 2, 1, 0)
    assert [(one["line"], one["level"]) for one in told.problems] == [(1, "warning")]
    texts = Answer.objects.filter(item__key="k1").order_by("version").values_list("version", "text")
    assert list(texts) == [(1, "Two moons."), (2, "Phobos and Deimos.")]
    assert list(Answer.objects.filter(item__key="k1").current().values_list("version", flat=True)) == [2]


def test_rows_of_one_file_are_compared_with_each_other(project: Project, tmp_path: Path) -> None:
    told = imported(project, tmp_path, row(), row(), row(text="Three."), row(text="Three.", sample=2))
    assert counts(told) == (4, 3, 1, 0)
    found = Answer.objects.order_by("sample", "version").values_list("sample", "version", "text")
    assert list(found) == [(1, 1, "Two moons."), (1, 2, "Three."), (2, 1, "Three.")]


def test_a_text_fills_in_an_answer_of_which_only_judgements_were_known(project: Project, tmp_path: Path) -> None:
    judged = answer_of(project.items.get(key="k1"), "Model A", text="", known=False)
    assert counts(imported(project, tmp_path, row())) == (1, 1, 0, 0)
    judged.refresh_from_db()
    assert (judged.version, judged.known, judged.text, judged.source) == (1, True, "Two moons.", "answers.jsonl")
    assert counts(imported(project, tmp_path, row(), row(text="Three."))) == (2, 1, 1, 0)
    assert list(Answer.objects.order_by("version").values_list("version", "text")) == [(1, "Two moons."), (2, "Three.")]


@pytest.mark.parametrize(
    ("bad", "path"),
    [
        (row(key="nowhere"), "key"),
        (row(text="  "), "text"),
        (row(text=3), "text"),
        (row(author=""), "author"),
        (row(author="two\nlines"), "author"),
        (row(author="x" * 121), "author"),
        (row(sample=0), "sample"),
        (row(sample=True), "sample"),
        (row(sample="1"), "sample"),
        (row(sample=40_000), "sample"),
        (row(sort="robot"), "sort"),
        (row(family=None), "family"),
        (row(provider="x" * 81), "provider"),
        (row(samples=2), "samples"),
        ({"key": "k1", "author": "Model A"}, "text"),
        ('{"key": "k1", "author": "A", "text": "\\u0000"}', "text"),
        ("[1]", ""),
        ("{", ""),
    ],
)
def test_a_bad_row_is_named_by_line_and_path_and_the_others_are_kept(
    bad: Any, path: str, project: Project, tmp_path: Path
) -> None:
    told = imported(project, tmp_path, row(), bad, row(key="k2"))
    assert counts(told) == (3, 2, 0, 1)
    (problem,) = told.problems
    assert (problem["line"], problem["path"], problem["level"]) == (2, path, "error")
    assert problem["message"]
    assert Answer.objects.count() == 2


def test_items_of_another_project_are_not_found(project: Project, tmp_path: Path) -> None:
    assert counts(imported(make_project(), tmp_path, row())) == (1, 0, 0, 1)
    assert not Answer.objects.exists()
    assert not Author.objects.exists()


def test_what_is_known_of_an_author_stays_and_what_is_empty_is_filled_in(project: Project, tmp_path: Path) -> None:
    Author.objects.create(project=project, name="Model A", sort="gold", family="Own")
    imported(project, tmp_path, row(sort="model", family="Theirs", provider="P"))
    author = Author.objects.get()
    assert (author.sort, author.family, author.provider) == ("gold", "Own", "P")


def test_notes_under_provenance_are_passed_over(project: Project, tmp_path: Path) -> None:
    assert counts(imported(project, tmp_path, row(provenance={"any": [1]}))) == (1, 1, 0, 0)


def test_gzip_and_one_list_are_read_too(project: Project, tmp_path: Path) -> None:
    packed, listed = tmp_path / "a.jsonl.gz", tmp_path / "b.json"
    packed.write_bytes(gzip.compress(json.dumps(row()).encode()))
    listed.write_text(json.dumps([row(), row(key="k2")]))
    told = import_files(project=project, names=[str(packed), str(listed)])
    assert counts(told) == (3, 2, 1, 0)


def test_a_missing_and_an_empty_file_are_problems(project: Project, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    told = import_files(project=project, names=[str(tmp_path / "none.jsonl"), str(tmp_path / "empty.jsonl")])
    assert counts(told) == (0, 0, 0, 0)
    assert [problem["line"] for problem in told.problems] == [None, None]
    assert not told.flawless


def test_a_dry_run_says_the_same_and_writes_nothing(project: Project, tmp_path: Path) -> None:
    imported(project, tmp_path, row())
    told = imported(project, tmp_path, row(), row(author="New"), row(key="nowhere"), dry_run=True)
    assert counts(told) == (3, 1, 1, 1)
    assert (Answer.objects.count(), Author.objects.count()) == (1, 1)


def test_parts_of_a_file_are_stored_on_their_own(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_files, "CHUNK_ROWS", 2)
    rows = [row(author=f"Model {number % 3}", sample=number + 1) for number in range(5)]
    told = imported(project, tmp_path, *rows, rows[0])
    assert counts(told) == (6, 5, 1, 0)
    assert [problem["line"] for problem in told.problems] == [6]


def test_statements_do_not_grow_with_the_rows(project: Project, tmp_path: Path) -> None:
    def statements(rows: int) -> int:
        with CaptureQueriesContext(
            connection,
        ) as counted:
            imported(project, tmp_path, *(row(author=f"M{rows}", sample=number + 1) for number in range(rows)))
        return len(counted)

    AuditHead.objects.create()  # made with the first entry of the audit trail
    few = statements(2)
    assert statements(60) == few
