"""The background jobs of annotate: which rows each works on, and what is done where it fails.

The work is done in the rooms; see annotate/engine/chores.py for the protocol.
"""

from pathlib import Path

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.utils.translation import override

from annotate.engine.chores import Parts, chore
from annotate.guidelines import reopen
from annotate.intake import batches, duplicate_search, file_batches
from annotate.intake import report as intake_report
from annotate.items import search_index
from annotate.media.bundles import RowsFile
from annotate.models import (
    AlikeSearch,
    Batch,
    Digest,
    Notification,
    Pass,
    Release,
    Reopening,
    SearchIndex,
    Withdrawal,
)
from annotate.models.media import FILES
from annotate.notices import digests
from annotate.notices.inbox import notify
from annotate.releases import actions as release_actions
from annotate.runs import actions as run_actions
from annotate.runs import plan, reparse
from annotate.survey import withdrawal as survey_withdrawal
from lib.texts.stored_sentences import say as _

SECONDS = 25.0  # of a long job, so that other jobs have their turn
PASSES = {Pass.Sort.PLANNING: plan.write_jobs, Pass.Sort.REREADING: reparse.read_jobs}


@chore(digests.leases, key="digests", label="Digests sent", fail=digests.fail)
def send_digest(digest: Digest) -> Parts:
    """Send one mail about what somebody has not read yet."""
    yield from digests.parts(digest)


# --- imports ----------------------------------------------------------------------------------------------------------
def _fail_batch(batch: Batch, error: Exception) -> None:
    """Any error would be raised again at every attempt, and nobody would be told."""
    with override(_language(batch)):
        if isinstance(error, OSError):
            message = _no_room(batch) % {"cause": error.strerror}
        elif batch.format == FILES:
            message = _("A bug in Touchstone stopped the import; see its log. Files that were added are kept.")
        else:
            message = _("A bug in Touchstone stopped the import; see its log. Imported rows are kept.")
        batches.fail(batch, message)
        _end_batch(batch)


def _no_room(batch: Batch) -> str:
    if batch.format == FILES:
        return _("The server could not continue: %(cause)s. Files that were added are kept.")
    return _("The server could not continue: %(cause)s. Imported rows are kept.")


def _language(batch: Batch) -> str:
    return (batch.created_by and batch.created_by.language) or settings.LANGUAGE_CODE


def _end_batch(batch: Batch) -> None:
    """Tell the uploader that rows were imported, or that none could be. If all were stored before, that is no news."""
    intake_report.remove_upload(batch.stored_as)
    batch.refresh_from_db(fields=["state", "kept"])
    failed = batch.state == Batch.State.FAILED
    if failed or batch.kept:
        verb = Notification.Verb.REJECTED if failed else Notification.Verb.IMPORTED
        notify(batch.created_by, None, verb, by=None, project=batch.project, note=batch.file_name)


@chore(batches.leases, key="batches", label="Imports run", fail=_fail_batch, turn=1)
def run_batch(batch: Batch) -> Parts:
    """Import an uploaded file; problems are in its uploader's language."""
    with override(_language(batch)):
        path, report = intake_report.uploaded(batch.stored_as), batches.stored_report(batch)
        if batch.format == FILES:
            yield from file_batches.parts(batch, path, report)
        else:
            yield from batches.parts(batch, RowsFile(path, batch.file_name, _bundle(batch)), report)
        _end_batch(batch)


def _bundle(batch: Batch) -> Path | None:
    """The zip that brought the rows, if one did."""
    bundle = intake_report.bundle(batch.stored_as)
    return bundle if bundle.exists() else None


# --- releases ---------------------------------------------------------------------------------------------------------
def _fail_release(release: Release, _error: Exception) -> None:
    """Any error would recur at every attempt; a lead can let the release be tried again."""
    Release.objects.filter(pk=release.pk, state=Release.State.WAITING).update(state=Release.State.FAILED)
    _tell_of_release(release)


def _tell_of_release(release: Release) -> None:
    notify(release.created_by, None, "released", by=None, project=release.project, note=f"v{release.version}")


@chore(release_actions.leases, key="releases", label="Releases written", fail=_fail_release, turn=2)
def make_release(release: Release) -> Parts:
    """Write a planned release."""
    yield from release_actions.parts(release)
    _tell_of_release(release)


# --- runs -------------------------------------------------------------------------------------------------------------
def _fail_pass(run_pass: Pass, error: Exception) -> None:
    """If the database is away, it stops only for now."""
    if isinstance(error, OperationalError | InterfaceError):
        raise error
    run_actions.give_up(run_pass, plan.FAULT)


@chore(plan.leases, key="passes", label="Runs planned or read again", fail=_fail_pass, turn=3)
def go_over(run_pass: Pass) -> Parts:
    """Plan a large run, or read its replies again. A pass at which worker after worker died is given up."""
    if run_pass.attempts > plan.DEATHS:
        run_actions.give_up(run_pass, plan.DIED)
    else:
        yield from PASSES[Pass.Sort(run_pass.sort)](run_pass)


# --- items ------------------------------------------------------------------------------------------------------------
@chore(reopen.leases, key="reopenings", label="Reopenings gone on with", seconds=SECONDS, turn=4)
def reopen_stale(reopening: Reopening) -> Parts:
    """Continue with items that a new version of the guidelines sends back to work."""
    yield from reopen.parts(reopening)


@chore(survey_withdrawal.leases, key="withdrawals", label="Withdrawals gone on with", turn=5)
def erase_withdrawn(withdrawal: Withdrawal) -> Parts:
    """Continue erasing what a participant has withdrawn."""
    yield from survey_withdrawal.parts(withdrawal)


@chore(duplicate_search.leases, key="searches", label="Projects searched for near-duplicates", turn=6)
def find_alike(alike_search: AlikeSearch) -> Parts:
    """Look for items of a project that ask nearly the same."""
    yield from duplicate_search.search(alike_search)


@chore(search_index.leases, key="indexes", label="Projects indexed for search", seconds=SECONDS, turn=7)
def index_items(index: SearchIndex) -> Parts:
    """Make new and changed items of a project searchable."""
    yield from search_index.parts(index)
