import io
from pathlib import Path

import pytest
from django.core.management import call_command

from judging.models import Verdict
from tests.judging.services.judgement_files.test_importing import compact, sample
from tests.support.files import command, write_rows
from tests.support.people import make_project

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
    assert err == "Nothing was kept."


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
