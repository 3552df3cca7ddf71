from pathlib import Path

from django.conf import settings
from django.utils.translation import override

from annotate.engine.chores import Parts, chore
from annotate.intake import batches, file_batches
from annotate.intake import report as intake_report
from annotate.media.bundles import RowsFile
from annotate.models import Batch, Notification
from annotate.models.media import FILES
from annotate.notices.inbox import notify
from lib.texts.stored_sentences import say as _


def _fail(batch: Batch, error: Exception) -> None:
    """Any error would be raised again at every attempt, and nobody would be told."""
    with override(_language(batch)):
        if isinstance(error, OSError):
            message = _no_room(batch) % {"cause": error.strerror}
        elif batch.format == FILES:
            message = _("A bug in Touchstone stopped the import; see its log. Files that were added are kept.")
        else:
            message = _("A bug in Touchstone stopped the import; see its log. Imported rows are kept.")
        batches.fail(batch, message)
        _end(batch)


def _no_room(batch: Batch) -> str:
    if batch.format == FILES:
        return _("The server could not continue: %(cause)s. Files that were added are kept.")
    return _("The server could not continue: %(cause)s. Imported rows are kept.")


def _language(batch: Batch) -> str:
    return (batch.created_by and batch.created_by.language) or settings.LANGUAGE_CODE


def _end(batch: Batch) -> None:
    """Tell the uploader that rows were imported, or that none could be. If all were stored before, that is no news."""
    intake_report.remove_upload(batch.stored_as)
    batch.refresh_from_db(fields=["state", "kept"])
    failed = batch.state == Batch.State.FAILED
    if failed or batch.kept:
        verb = Notification.Verb.REJECTED if failed else Notification.Verb.IMPORTED
        notify(batch.created_by, None, verb, by=None, project=batch.project, note=batch.file_name)


@chore(batches.leases, key="batches", label="Imports run", fail=_fail, turn=1)
def run_batch(batch: Batch) -> Parts:
    """Import an uploaded file; problems are in its uploader's language."""
    with override(_language(batch)):
        path, report = intake_report.uploaded(batch.stored_as), batches.stored_report(batch)
        if batch.format == FILES:
            yield from file_batches.parts(batch, path, report)
        else:
            yield from batches.parts(batch, RowsFile(path, batch.file_name, _bundle(batch)), report)
        _end(batch)


def _bundle(batch: Batch) -> Path | None:
    """The zip that brought the rows, if one did."""
    bundle = intake_report.bundle(batch.stored_as)
    return bundle if bundle.exists() else None
