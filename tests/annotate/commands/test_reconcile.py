from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from annotate.intake import batches
from annotate.intake import report as importing_files
from annotate.intake.row_reader import Settings
from annotate.items import queue
from annotate.models import Batch, Item, Release, Slot
from annotate.releases import actions
from annotate.releases.actions import ReleaseFilters
from tests.support.files import command, row, write_rows
from tests.support.people import make_item, make_member, make_project

pytestmark = pytest.mark.django_db


def test_one_pass_does_all_that_waits() -> None:
    project = make_project()
    make_item(project)
    queue.claim_next(make_member(project), "annotate")
    Slot.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    name = importing_files.random_name()
    write_rows(importing_files.uploaded(name), [row(1)])
    batches.start(project=project, file_name="a.jsonl", settings=Settings("jsonl"), by=None, stored_as=name)
    actions.plan(project=project, filters=ReleaseFilters(state="any"), by=None)
    assert command("reconcile")[:2] == (
        0,
        {
            "leases": 1,
            "batches": 1,
            "releases": 1,
            "passes": 0,
            "reopenings": 0,
            "withdrawals": 0,
            "searches": 0,
            "boards": 0,
            "digests": 0,
            "indexes": 1,
            "runs": 0,
            "messages": 0,
        },
    )
    assert command("reconcile")[1] == {
        "leases": 0,
        "batches": 0,
        "releases": 0,
        "passes": 0,
        "reopenings": 0,
        "withdrawals": 0,
        "searches": 0,
        "boards": 0,
        "digests": 0,
        "indexes": 0,
        "runs": 0,
        "messages": 0,
    }
    assert (Slot.objects.held().count(), Item.objects.filter(key="row-1").count()) == (0, 1)
    assert (Batch.objects.get().state, Release.objects.get().rows) == ("done", 2)


def test_uploads_that_nobody_confirmed_are_forgotten_after_a_week(
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    name = importing_files.random_name()
    path = write_rows(importing_files.uploaded(name), [row(1)])
    batches.start(
        project=make_project(),
        file_name="a.jsonl",
        settings=Settings("jsonl"),
        by=None,
        stored_as=name,
        state=Batch.State.PREVIEW,
        created_at=timezone.now() - timedelta(days=8),
    )
    with django_capture_on_commit_callbacks(execute=True):
        command("reconcile")
    assert not Batch.objects.exists()
    assert not path.exists()
