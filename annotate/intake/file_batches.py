"""Zips of files that rows will name: imports without rows, which a worker does. Their `read` counts files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone

from annotate.engine.chores import Parts
from annotate.formats.rows import Problem, problem_texts
from annotate.intake import batches
from annotate.intake import report as intake_report
from annotate.intake.report import Report
from annotate.intake.row_reader import Settings
from annotate.media import bundles
from annotate.media.bundles import UnpackedFile
from annotate.models import Batch, Project, User
from annotate.models.media import FILES
from lib.texts.stored_sentences import say as _


def add_zip(*, project: Project, file: UploadedFile, by: User) -> Batch:
    """Store the zip for a worker; the caller rings. Raises Refused, and stores nothing, if it cannot be taken."""
    name = file.name or ""
    bundles.refuse_files(file, name)
    stored_as, sha256 = intake_report.keep_upload(file)
    return batches.start(
        project=project,
        file_name=name,
        settings=Settings(format=FILES),
        by=by,
        stored_as=stored_as,
        sha256=sha256,
        state=Batch.State.WAITING,
    )


def parts(batch: Batch, bundle: Path, report: Report) -> Parts:
    """Store the files from the batch's current position. report: of those before; it is continued."""
    files = bundles.store_files(bundle, project=batch.project, by=batch.created_by, batch=batch, start=batch.read)
    for group in batches.chunks(files, batches.MEDIA_AT_ONCE):
        _count(report, group, batch.file_name)
        batches.leases.keep(batch, **batches.progress_of(report))
        yield len(group)
    state = Batch.State.DONE if report.kept or report.duplicates else Batch.State.FAILED
    batches.leases.owned(batch).update(state=state, lease_until=None, finished_at=timezone.now())


def _count(report: Report, files: Sequence[UnpackedFile], zip_name: str) -> None:
    report.read += len(files)
    report.kept += sum(file.is_new for file in files)
    report.rejected += sum(bool(file.refused) for file in files)
    report.duplicates = report.read - report.kept - report.rejected
    report.tell(problem for file in files if (problem := _problem(file, zip_name)))


def _problem(file: UnpackedFile, zip_name: str) -> Problem | None:
    if file.refused:
        return Problem(zip_name, None, file.name, file.refused)
    if file.is_new:
        return None
    message = _("“%(name)s” is here already, with the same content.") % {"name": file.name}
    return Problem(zip_name, None, file.name, message, "warning")


def outcomes(batch: Batch) -> list[dict[str, Any]]:
    """What became of each file: refused ones and those that were here as problems, then new ones with their links."""
    problems = sorted(batch.problems, key=lambda problem: str(problem["level"]))
    added = [{"name": name, "link": link} for name, link in batch.media.values_list("name", "link")]
    return [*map(problem_texts, problems), *added]
