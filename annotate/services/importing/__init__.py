"""Taking files in: read in chunks, checked, compared with what is there, stored in short transactions.

The database says how far an import is: every chunk moves the batch's `read` on, in the transaction that stores it.
So a killed import goes on where it was, and of two that run the same batch one stops.
"""

import logging
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from django.conf import settings as django_settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import override

from annotate.formats.rows import Problem, Row
from annotate.models import Annotation, Batch, Event, Item, Notification, Project, Slot, User
from annotate.services.errors import LeaseLost
from annotate.services.importing import files, stored
from annotate.services.importing import new as importing_new
from annotate.services.importing.duplicates import Neighbours, Read, sort, without_repetitions
from annotate.services.importing.reading import CHUNK, chunks, count, remembered, stream
from annotate.services.importing.report import Report
from annotate.services.importing.rows import RowReader, Settings
from annotate.services.importing.seen import Seen
from annotate.services.importing.table import refresh_statistics
from annotate.services.notifying import notify
from lib.texts.said import say as _

LEASE = timedelta(minutes=2)
log = logging.getLogger(__name__)


def start(*, project: Project, file_name: str, settings: Settings, by: User | None, **columns: object) -> Batch:
    """The row of one import; nothing is read yet."""
    return Batch.objects.create(
        project=project,
        file_name=files.shown_name(file_name),
        format=settings.format,
        settings=settings.as_json(),
        rejects_as=files.random_name(),
        created_by=by,
        **columns,
    )


def claim(pk: int) -> Batch | None:
    """A waiting batch, or one whose worker is gone, under a fresh lease; None if somebody else has it."""
    row_count = Batch.objects.filter(_claimable(), pk=pk).update(state=Batch.State.RUNNING, lease_until=_lease())
    return Batch.objects.select_related("project", "created_by").get(pk=pk) if row_count else None


def claimable() -> list[int]:
    """The batches that wait for a worker."""
    return list(Batch.objects.filter(_claimable()).order_by("pk").values_list("pk", flat=True))


def _claimable() -> Q:
    return ~Q(stored_as="") & (Q(state=Batch.State.WAITING) | _abandoned())


def _abandoned() -> Q:
    return Q(state=Batch.State.RUNNING, lease_until__lt=timezone.now())


def fail_abandoned_commands() -> int:
    """Say of imports by command that their process is gone; how many there were."""
    message = _("The command was interrupted. Run it again: the rows that were kept are skipped.")
    batches = Batch.objects.filter(_abandoned(), stored_as="")
    return sum(_fail(batch, message) for batch in batches)


def run_uploaded(pk: int) -> None:
    """Work a batch whose file was uploaded, if it is still to be done; its problems in the language of its uploader.

    For the worker.
    """
    batch = claim(pk)
    if batch is not None:
        with override(_language(batch)):
            _work(batch)


def _language(batch: Batch) -> str:
    return (batch.created_by and batch.created_by.language) or django_settings.LANGUAGE_CODE


def _work(batch: Batch) -> None:
    try:
        run(batch, files.uploaded(batch.stored_as))
    except LeaseLost:
        return
    except OSError as error:
        _fail(batch, _("The server could not go on: %(cause)s. What was kept stays.") % {"cause": error.strerror})
    except Exception:  # whatever it was would come again at every attempt, and nobody would be told
        log.exception("batch %s", batch.pk)
        _fail(batch, _("A fault in this program stopped the import; its log says more. What was kept stays."))
    files.uploaded(batch.stored_as).unlink(missing_ok=True)
    _notify_uploader(batch)


def _notify_uploader(batch: Batch) -> None:
    """That rows came in, or that none could; rows that were all stored before are no news."""
    batch.refresh_from_db(fields=["state", "kept"])
    failed = batch.state == Batch.State.FAILED
    if failed or batch.kept:
        verb = Notification.Verb.REJECTED if failed else Notification.Verb.IMPORTED
        notify(batch.created_by, None, verb, by=None, project=batch.project, note=batch.file_name)


def _fail(batch: Batch, message: str) -> int:
    batch.refresh_from_db(fields=["problems"])
    problems = [Problem(batch.file_name, None, "", message).stored(), *batch.problems]
    return Batch.objects.filter(pk=batch.pk, state=Batch.State.RUNNING).update(
        state=Batch.State.FAILED, problems=problems, finished_at=timezone.now()
    )


def run(batch: Batch, path: Path, *, name: str = "", seen: Seen | None = None) -> Report:
    """Import the file from where the batch stands. Raises LeaseLost if another worker has taken the batch over.

    name: what people call the file; seen: shared by the files of one command, so that a row in two of them is told.
    """
    settings, name = Settings(**batch.settings), name or batch.file_name
    report = _report_of(batch)
    files.cut_rejects(batch.rejects_as, batch.rejected)
    reader, known_rows, neighbours = RowReader(batch.project, name, settings), seen or Seen(), Neighbours(batch)
    source = stream(path, name, settings)
    remembered((reader.read(row) for row in islice(source, batch.read) if isinstance(row, Row)), known_rows, name)
    for read_rows in chunks(reader.read(row) if isinstance(row, Row) else row for row in source):
        _take(batch, read_rows, known_rows, neighbours, report, settings, name)
    _finish(batch, report)
    return report


def _take(
    batch: Batch,
    read_rows: list[Read],
    seen_rows: Seen,
    neighbours: Neighbours,
    report: Report,
    settings: Settings,
    name: str,
) -> None:
    new_rows, repeated = without_repetitions(read_rows, seen_rows, name)
    with transaction.atomic():
        # One import at a time writes into a project, so that no two of them can store the same row.
        Project.objects.select_for_update(no_key=True).get(pk=batch.project_id)
        neighbours.read_on()
        sorted_rows = sort(batch.project, new_rows, policy=settings.duplicates, file=name, neighbours=neighbours)
        neighbours.own_up_to(importing_new.store(batch.project, batch, sorted_rows.new))
        for row, item in sorted_rows.known:
            against = stored.change(batch.project, batch, row, item, settings.duplicates)
            if against:
                sorted_rows.repeated.append(Problem(name, row.line, *against, "warning"))
        refused = count(report, read_rows, repeated + sorted_rows.repeated)
        if refused:
            files.add_rejects(batch.rejects_as, refused)
        _advance(batch, report)


def _advance(batch: Batch, report: Report) -> None:
    """Write down how far the import is. Raises LeaseLost if it is further than this worker knows."""
    batch_query = Batch.objects.filter(pk=batch.pk, state=Batch.State.RUNNING, read=batch.read)
    if not batch_query.update(**_columns(report), lease_until=_lease()):
        raise LeaseLost("Another worker has taken this import over.")
    batch.read = report.read


def _finish(batch: Batch, report: Report) -> None:
    batch_query = Batch.objects.filter(pk=batch.pk, state=Batch.State.RUNNING, read=report.read)
    ended = {"lease_until": None, "finished_at": timezone.now()}
    if report.kept or report.flawless:
        batch_query.update(state=Batch.State.DONE, **ended)
    else:
        batch_query.update(state=Batch.State.FAILED, problems=[*_remedy(batch, report), *report.problems], **ended)
    if report.kept >= CHUNK:
        refresh_statistics([Item, Slot, Annotation, Event])


def _remedy(batch: Batch, report: Report) -> list[dict[str, Any]]:
    """What to do where no row was kept; a file that could not be read at all says so itself."""
    if not report.read:
        return []
    message = _("No row was kept. Mend what is named below, or change how the file is read, and import it again.")
    return [Problem(batch.file_name, None, "", message).stored()]


def _lease() -> object:
    return timezone.now() + LEASE


COLUMNS = ("read", "kept", "duplicates", "rejected", "problems", "unlisted")


def _columns(report: Report) -> dict[str, object]:
    return {name: getattr(report, name) for name in COLUMNS}


def _report_of(batch: Batch) -> Report:
    """Where an interrupted import stood."""
    return Report(**{name: getattr(batch, name) for name in COLUMNS})
