import json
from contextlib import nullcontext
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from judging.models import Answer
from tests.support.judged import CORRECTION, decided_item
from tests.support.people import make_project

pytestmark = pytest.mark.django_db


def told(*arguments: str, refused: str | None = None) -> dict[str, Any]:
    """What the command prints with --json. refused: what it says on stderr where it ends with 1."""
    out = StringIO()
    with nullcontext() if refused is None else pytest.raises(CommandError, match=refused):
        call_command("import_answers", *arguments, "--json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_it_reports_as_imports_of_items_do(tmp_path: Path) -> None:
    item, path = decided_item(make_project(), CORRECTION), tmp_path / "answers.jsonl"
    rows = [{"key": item.key, "author": "A", "text": "Two."}, {"key": "nowhere", "author": "A", "text": "Two."}]
    path.write_text("\n".join(map(json.dumps, rows)))
    report = told(item.project.slug, str(path))
    assert list(report) == ["read", "kept", "duplicates", "rejected", "problems"]
    assert (report["read"], report["kept"], report["duplicates"], report["rejected"]) == (2, 1, 0, 1)
    (problem,) = report["problems"]
    assert set(problem) == {"file", "line", "path", "message", "level"}
    assert (problem["file"], problem["line"], problem["path"]) == (str(path), 2, "key")


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    item, path = decided_item(make_project(), CORRECTION), tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"key": item.key, "author": "A", "text": "Two."}))
    assert told(item.project.slug, str(path), "--dry-run")["kept"] == 1
    assert not Answer.objects.exists()


def test_where_nothing_is_kept_it_refuses_and_still_reports(tmp_path: Path) -> None:
    report = told(make_project().slug, str(tmp_path / "none.jsonl"), refused=r"^Nothing was imported\. Fix")
    assert [problem["line"] for problem in report["problems"]] == [None]


def test_a_project_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError) as refused:
        call_command("import_answers", "nowhere", "x.jsonl")
    assert refused.value.returncode == 1
