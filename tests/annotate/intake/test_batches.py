"""An import as it is worked: by whom, how far, and what it says about itself."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from annotate.chores import run_batch
from annotate.engine import concurrency
from annotate.errors import LeaseLost
from annotate.intake import batches, report
from annotate.intake.batches import CHUNK
from annotate.intake.report import LISTED
from annotate.intake.row_reader import Settings
from annotate.media.bundles import RowsFile
from annotate.models import Batch, Item, Notification, Project
from tests.support.files import bring, facts_only, row, write_rows
from tests.support.people import make_member

pytestmark = pytest.mark.django_db


def uploaded(project: Project, *rows: Any, by: Any = None) -> Batch:
    """A confirmed upload that waits for a worker."""
    name = report.random_name()
    write_rows(report.uploaded(name), rows)
    return batches.start(
        project=project, file_name="up.jsonl", settings=Settings("jsonl"), by=by, stored_as=name, sha256="0" * 64
    )


def test_a_worker_runs_a_waiting_batch_once_and_tells_the_lead(project: Project) -> None:
    lead = make_member(project, "lead").user
    batch = uploaded(project, row(1), row(2), by=lead)
    run_batch.work(batch.pk)
    run_batch.work(batch.pk)
    batch.refresh_from_db()
    assert (batch.state, batch.kept, Item.objects.count()) == ("done", 2, 2)
    assert Notification.objects.get().user == lead
    assert not report.uploaded(batch.stored_as).exists()


def interrupted(batch: Batch, monkeypatch: pytest.MonkeyPatch, *, after: int) -> None:
    """Run the batch until the worker dies while it stores the chunk with this number."""
    store = batches.importing_new.store
    calls = iter(range(after + 1))

    def dying(*given: Any) -> int:
        last = store(*given)
        if next(calls) == after:
            raise KeyboardInterrupt
        return last

    with monkeypatch.context() as patched:
        patched.setattr(batches.importing_new, "store", dying)
        with pytest.raises(KeyboardInterrupt):
            run_batch.work(batch.pk)


def test_a_killed_import_goes_on_where_it_was(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [facts_only(no) for no in range(2 * CHUNK)]
    rows[7] = {"key": "bad"}
    rows[CHUNK + 3] = facts_only(5)
    rows[CHUNK + 9] = {"key": "worse"}
    batch = uploaded(project, *rows)
    interrupted(batch, monkeypatch, after=1)
    batch.refresh_from_db()
    assert (batch.state, batch.read, Item.objects.count()) == ("running", CHUNK, CHUNK - 1)
    Batch.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert batches.leases.claimable() == [batch.pk]
    run_batch.work(batch.pk)
    batch.refresh_from_db()
    counts = (batch.state, batch.read, batch.kept, batch.duplicates, batch.rejected)
    assert counts == ("done", 2 * CHUNK, 2 * CHUNK - 3, 1, 2)
    assert Item.objects.count() == 2 * CHUNK - 3
    rejected = report.rejects(batch.rejects_as).read_text().splitlines()
    assert [json.loads(line)["key"] for line in rejected] == ["bad", "worse"]
    assert any("already in line 6" in problem["message"] for problem in batch.problems)


def test_an_import_whose_worker_has_to_stop_is_continued_at_once(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch, store = uploaded(project, *(facts_only(no) for no in range(2 * CHUNK))), batches.importing_new.store

    def stopping(*given: Any) -> int:
        concurrency.begin()
        return store(*given)

    with monkeypatch.context() as patched:
        patched.setattr(concurrency, "mark", concurrency.Mark())
        patched.setattr(batches.importing_new, "store", stopping)
        run_batch.work(batch.pk)
    batch.refresh_from_db()
    assert (batch.state, batch.read, batches.leases.claimable()) == ("waiting", CHUNK, [batch.pk])
    run_batch.work(batch.pk)
    batch.refresh_from_db()
    assert (batch.state, batch.kept, Item.objects.count()) == ("done", 2 * CHUNK, 2 * CHUNK)


def test_of_two_workers_on_one_batch_one_stops(project: Project) -> None:
    batch = uploaded(project, row(1))
    mine = batches.leases.claim(batch.pk)
    Batch.objects.update(read=1)
    with pytest.raises(LeaseLost):
        batches.run(mine, RowsFile(report.uploaded(batch.stored_as), batch.file_name))
    assert not Item.objects.exists()


def test_a_fault_of_the_program_ends_the_batch_with_a_word(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: Any) -> None:
        raise ZeroDivisionError

    batch = uploaded(project, row(1))
    monkeypatch.setattr(batches.importing_new, "store", broken)
    run_batch.work(batch.pk)
    batch.refresh_from_db()
    assert (batch.state, batch.kept) == ("failed", 0)
    assert "bug in Touchstone" in batch.problems[0]["message"]


def test_a_command_that_was_killed_is_called_failed(project: Project) -> None:
    long_ago = timezone.now() - timedelta(hours=1)
    batch = batches.start(
        project=project, file_name="a.jsonl", settings=Settings("jsonl"), by=None, state="running", lease_until=long_ago
    )
    assert batches.leases.claimable() == []
    assert batches.fail_abandoned_commands() == 1
    batch.refresh_from_db()
    assert batch.state == "failed"
    assert "Run it again" in batch.problems[0]["message"]


def test_rejected_rows_can_be_mended_and_imported_again(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, row(1), row(2, feedback=7))
    path = report.rejects(Batch.objects.get().rejects_as)
    (kept,) = [json.loads(line) for line in path.read_text().splitlines()]
    assert kept["provenance"] == {"line": 2, "problems": [{"path": "feedback", "message": "must be text, not 7."}]}
    assert bring(project, tmp_path, {**kept, "feedback": "Seven."})["kept"] == 1


def test_problems_are_listed_up_to_a_thousand_and_the_rest_is_counted(project: Project, tmp_path: Path) -> None:
    report = bring(project, tmp_path, row(0), *(facts_only(no, **{f"column {no}": 1}) for no in range(1, LISTED + 8)))
    assert len(report["problems"]) == LISTED + 1
    assert report["problems"][-1]["message"] == "7 more problems are not listed."
    batch = Batch.objects.get()
    assert (len(batch.problems), batch.unlisted, batch.rejected) == (LISTED, 7, LISTED + 7)


def test_an_import_that_keeps_no_row_has_failed_and_says_what_to_do(project: Project) -> None:
    lead = make_member(project, "lead").user
    batch = uploaded(project, *(facts_only(no, mood="good") for no in range(5)), by=lead)
    run_batch.work(batch.pk)
    batch.refresh_from_db()
    assert (batch.state, batch.read, batch.kept) == ("failed", 5, 0)
    assert batch.problems[0]["message"].startswith("No row was imported")
    assert batch.problems[1]["count"] == 5
    assert Notification.objects.get().verb == Notification.Verb.REJECTED


def test_rows_that_are_all_stored_already_are_no_failure_and_no_news(project: Project) -> None:
    lead = make_member(project, "lead").user
    for _time in range(2):
        batch = uploaded(project, row(1), row(2), by=lead)
        run_batch.work(batch.pk)
    batch.refresh_from_db()
    assert (batch.state, batch.kept, batch.duplicates) == ("done", 0, 2)
    assert Notification.objects.get().verb == Notification.Verb.IMPORTED
