"""From an uploaded file to a confirmed import: store it, preview its beginning, then start or discard it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.audit.trail import record, recording, values_of
from annotate.durable import move, replacing
from annotate.errors import Refused, WrongState
from annotate.formats.rows import ImportRow
from annotate.intake import batches
from annotate.intake import report as intake_report
from annotate.intake.batches import look
from annotate.intake.closed_values import UnknownValues, unknown_values
from annotate.intake.duplicates import KnownRows
from annotate.intake.mapping import CONSTANT, KEY, FileColumn, columns_of, example, guessed
from annotate.intake.report import Report
from annotate.intake.row_reader import PreparedRow, Settings
from annotate.intake.store import first_state
from annotate.kinds.contract import Kind
from annotate.kinds.questions.model_names import name_targets
from annotate.media import bundles
from annotate.models import Batch, Project, User
from annotate.models.media import FILES

ROWS = 1000  # how much of a file is read for its preview
PREVIEW_KEPT = timedelta(days=7)


@dataclass(frozen=True)
class Look:
    """A row as it will look after the import."""

    row: PreparedRow
    state: str
    facts: dict[str, Any]
    fields: list[tuple[str, str]]


@dataclass(frozen=True)
class Preview:
    """The result for the beginning of the file. whole: the beginning is the whole file. before: an earlier import of
    it. media: how many files come along in its zip.
    """

    report: Report
    rows: list[Look]
    whole: bool
    before: Batch | None
    media: int = 0

    @property
    def importable(self) -> bool:
        """Whether any row would be kept, as far as the file was read."""
        return self.report.kept > 0 or not self.whole

    @property
    def all_refused(self) -> bool:
        """Whether every row has an error, as far as the file was read."""
        return 0 < self.report.read == self.report.rejected

    @property
    def objection(self) -> str:
        """Why the file cannot be imported, and what to do; empty if it can."""
        if self.importable:
            return ""
        if self.report.duplicates and self.report.flawless:
            return _(
                "Every row of this file is already stored. Choose below what to do with existing rows, or "
                "discard the file."
            )
        return _("No row of this file can be imported. Fix the problems below, or change how the file is read.")


def upload(*, project: Project, file: UploadedFile, settings: Settings, by: User) -> Batch:
    """Store the file and wait for a confirmation. Columns with other names than the kind's are mapped as far as can be
    told. Of a zip the rows are unpacked; its files are stored with the rows. Raises Refused if the zip cannot be taken.
    """
    name = bundles.rows_name(project, file, file.name or "")
    stored_as, sha256 = intake_report.keep_upload(file)
    if name != (file.name or ""):
        _take_apart(stored_as)
    columns = file_head(intake_report.uploaded(stored_as), name, settings, project.kind).columns
    return batches.start(
        project=project,
        file_name=name,
        settings=_first_mapping(project, columns, settings),
        by=by,
        stored_as=stored_as,
        sha256=sha256,
        state=Batch.State.PREVIEW,
    )


def _take_apart(stored_as: str) -> None:
    """The zip gets a name of its own, and the rows in it that of the upload."""
    rows, bundle = intake_report.uploaded(stored_as), intake_report.bundle(stored_as)
    move(rows, bundle)
    try:
        with replacing(rows) as target:
            bundles.unpack_rows(bundle, target)
    except Refused:
        intake_report.remove_upload(stored_as)
        raise


LOOKED_AT = 10  # rows whose columns are offered
WIDEST = 30  # columns of these rows that are shown


@dataclass(frozen=True)
class FileHead:
    """The first rows of a file as they are in it; empty if it cannot be read."""

    rows: Sequence[dict[str, Any]] = ()

    @cached_property
    def columns(self) -> list[FileColumn]:
        return columns_of(self.rows)

    @property
    def names(self) -> list[str]:
        return [column.path for column in self.columns if not column.is_nested][:WIDEST]

    @property
    def cells(self) -> list[list[str]]:
        return [["" if row.get(name) is None else example(row[name]) for name in self.names] for row in self.rows]

    @property
    def unshown(self) -> int:
        """How many columns are not shown."""
        return sum(not column.is_nested for column in self.columns) - len(self.names)


def file_head(path: Path, name: str, settings: Settings, kind: Kind) -> FileHead:
    rows = (row for row in batches.stream(path, name, settings, kind) if isinstance(row, ImportRow))
    return FileHead([row.value for row in islice(rows, LOOKED_AT)])


def head_of(batch: Batch) -> FileHead:
    return file_head(
        intake_report.uploaded(batch.stored_as), batch.file_name, Settings(**batch.settings), batch.project.kind
    )


def unknown_of(batch: Batch) -> dict[str, UnknownValues]:
    """Field -> the texts at the beginning of the file that it does not allow, by the batch's mapping."""
    project, settings = batch.project, Settings(**batch.settings)
    path = intake_report.uploaded(batch.stored_as)
    entries = islice(batches.stream(path, batch.file_name, settings, project.kind), ROWS)
    rows = (entry.value for entry in entries if isinstance(entry, ImportRow))
    unknown = unknown_values(rows, project, settings.mapping)
    ignored = project.kind.draft_names if settings.drafts == "facts" else []
    return {name: values for name, values in unknown.items() if name not in ignored}


def _first_mapping(project: Project, columns: Sequence[FileColumn], settings: Settings) -> Settings:
    """Of a file with the kind's own names only the key and the models; else as in the project's last such file, with
    the words that stood for closed values there; else a guess.
    """
    paths = {column.path for column in columns}
    mapping = guessed(project.kind, columns)
    if not columns or paths.issuperset(project.kind.needed_facts):
        own = (KEY, *name_targets(project.kind))
        return replace(settings, mapping={target: mapping[target] for target in own if target in mapping})
    earlier = Batch.objects.filter(project=project, kept__gt=0).exclude(settings__mapping={}).order_by("-pk")
    for stored in earlier.values_list("settings", flat=True)[:5]:
        known: dict[str, str] = stored.get("mapping") or {}
        if known and all(path.startswith(CONSTANT) or path in paths for path in known.values()):
            return replace(settings, mapping=known, words=stored.get("words") or {})
    return replace(settings, mapping=mapping)


def preview(batch: Batch) -> Preview:
    """Read the beginning of the file with the batch's settings; nothing is written."""
    project, settings = batch.project, Settings(**batch.settings)
    path, bundle = intake_report.uploaded(batch.stored_as), intake_report.bundle(batch.stored_as)
    media = bundles.media_names(bundle) if bundle.exists() else []
    file = bundles.RowsFile(path, batch.file_name, media=media)
    with KnownRows() as seen_rows:
        report, rows = look(project, file, settings=settings, seen=seen_rows, most=ROWS)
    same = Batch.objects.filter(project=project, sha256=batch.sha256, kept__gt=0).exclude(format=FILES)
    same = same.exclude(pk=batch.pk)
    return Preview(report, [_look(project, row) for row in rows], report.read < ROWS, same.first(), len(media))


def _look(project: Project, row: PreparedRow) -> Look:
    kind, draft = project.kind, row.newest
    fields = kind.fields(kind.read_facts(row.facts)) if draft is not None else []
    labelled_texts = [(str(field.label), kind.shown(field.name, (draft or {}).get(field.name))) for field in fields]
    return Look(row, first_state(project, row), row.facts, [(label, text) for label, text in labelled_texts if text])


def change_settings(batch: Batch, settings: Settings) -> None:
    """Change the settings of the file. Raises WrongState if it was confirmed meanwhile."""
    _waiting(batch, "import.changed", settings=settings.as_json(), format=settings.format)


def confirm(batch: Batch) -> None:
    """Let the worker import the file; the caller rings. Raises WrongState if it was confirmed before.

    It does not check whether any row can be kept; `preview` does.
    """
    _waiting(batch, "import.confirmed", state=Batch.State.WAITING)


def _waiting(batch: Batch, verb: str, **changes: Any) -> None:
    with recording(verb, batch, *changes):
        if not Batch.objects.filter(pk=batch.pk, state=Batch.State.PREVIEW).update(**changes):
            raise WrongState("This import was confirmed or discarded already.")


def discard(batch: Batch) -> None:
    """Delete an upload that nobody confirmed. Raises WrongState if somebody has."""
    with transaction.atomic():
        deleted, _rows = Batch.objects.filter(pk=batch.pk, state=Batch.State.PREVIEW).delete()
        if not deleted:
            raise WrongState("This import was confirmed or discarded already.")
        record("import.discarded", batch, before=values_of(batch, "file_name", "sha256"), after={})
        transaction.on_commit(lambda: intake_report.remove_upload(batch.stored_as))


def forget_old() -> int:
    """Discard uploads that have waited for a confirmation for a week; returns how many."""
    old = list(Batch.objects.filter(Q(state=Batch.State.PREVIEW), created_at__lt=timezone.now() - PREVIEW_KEPT))
    for batch in old:
        discard(batch)
    return len(old)
