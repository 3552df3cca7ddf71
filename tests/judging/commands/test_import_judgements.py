import io
from pathlib import Path

import pytest
from django.core.management import call_command

from annotate.models import Batch, Item
from judging.models import Answer, Judge, Verdict
from tests.judging.intake.test_importing import compact, sample
from tests.support.files import command, write_rows
from tests.support.people import make_project
from tests.support.voted import by_judge, on_a_pair

pytestmark = pytest.mark.django_db


def test_the_report_has_the_shape_of_every_import(tmp_path: Path) -> None:
    sample(make_project(slug="fb"), 0)
    rows = write_rows(tmp_path / "a.jsonl", [compact(first="是", second="否"), compact(4, first="是", second="否")])
    code, report, _err = command("import_judgements", "fb", rows, "--format", "fbbench")
    assert (code, list(report)) == (0, ["read", "kept", "duplicates", "rejected", "problems"])
    assert [report[name] for name in ("read", "kept", "duplicates", "rejected")] == [2, 1, 0, 1]
    assert list(report["problems"][0]) == ["file", "line", "path", "message", "level"]


def test_nothing_kept_is_a_refusal_that_still_reports(tmp_path: Path) -> None:
    make_project(slug="fb")
    code, report, err = command("import_judgements", "fb", tmp_path / "missing.jsonl", "--format", "fbbench")
    assert (code, report["read"], len(report["problems"])) == (1, 0, 1)
    assert err.startswith("Nothing was imported. Fix the problems")


def test_the_text_lists_scores_that_differ(tmp_path: Path) -> None:
    sample(make_project(slug="fb"), 0)
    rows = write_rows(tmp_path / "a.jsonl", [compact(first="是", second="否", score=1)])
    out = io.StringIO()
    call_command("import_judgements", "fb", str(rows), "--format", "fbbench", stdout=out)
    assert f"{rows}:1 says 1, computed 0.6" in out.getvalue()
    assert "read 1, kept 1" in out.getvalue()


def test_several_files_are_one_report(tmp_path: Path) -> None:
    sample(make_project(slug="fb"), 0)
    files = [write_rows(tmp_path / f"{name}.jsonl", [compact(author=name, first="是", second="否")]) for name in "ab"]
    assert command("import_judgements", "fb", *files, "--format", "fbbench")[1]["kept"] == 2
    assert Verdict.objects.count() == 2


@pytest.mark.parametrize(("kind", "items"), [("preference", 1), ("branching", 2)])
def test_strict_keeps_nothing_of_any_file_and_a_dry_run_leaves_no_trace(tmp_path: Path, kind: str, items: int) -> None:
    make_project(slug="votes", kind_slug=kind)
    good, bad = (write_rows(tmp_path / f"{name}.jsonl", rows) for name, rows in (
        ("good", [on_a_pair(), *by_judge()]), ("bad", [on_a_pair("q2", "better")])))  # fmt: skip
    words = ("import_judgements", "votes", good, bad, "--format", "ratings")
    code, report, err = command(*words, "--strict")
    assert (code, [report[name] for name in ("read", "kept", "rejected")]) == (1, [4, 0, 4])
    assert "--strict" in report["problems"][-1]["message"]
    assert err.startswith("Nothing was imported. Fix the problems")
    code, report, _err = command(*words, "--dry-run")
    assert (code, [report[name] for name in ("read", "kept", "rejected")]) == (0, [4, 3, 1])
    assert not any(model.objects.exists() for model in (Item, Verdict, Answer, Batch, Judge))
    assert command("import_judgements", "votes", good, "--format", "ratings", "--strict")[0] == 0
    assert (Item.objects.count(), Verdict.objects.count()) == (items, 2)


def test_a_strict_import_of_checklists_looks_first_too(tmp_path: Path) -> None:
    sample(make_project(slug="fb"), 0)
    rows = write_rows(tmp_path / "a.jsonl", [compact(first="是", second="否"), compact(4, first="是", second="否")])
    code, report, _err = command("import_judgements", "fb", rows, "--format", "fbbench", "--strict")
    assert (code, report["kept"], report["rejected"], Verdict.objects.count()) == (1, 0, 2, 0)


def test_votes_whose_place_is_taken_are_refused(tmp_path: Path) -> None:
    make_project(slug="trees", kind_slug="branching")
    make_project(slug="trees-votes", kind_slug="feedback")
    path = write_rows(tmp_path / "a.jsonl", [on_a_pair()])
    code, _report, err = command("import_judgements", "trees", path, "--format", "ratings")
    assert (code, "trees-votes" in err, Item.objects.exists(), Batch.objects.exists()) == (1, True, False, False)
