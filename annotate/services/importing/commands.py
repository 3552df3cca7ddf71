"""Importing files by command: several at once, all or nothing where asked."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from django.utils import timezone

from annotate.formats.registry import guess
from annotate.formats.rows import Problem
from annotate.models import Batch, Project
from annotate.services import importing
from annotate.services.importing.files import sha256_of
from annotate.services.importing.reading import look
from annotate.services.importing.report import Report
from annotate.services.importing.rows import Settings
from annotate.services.importing.seen import Seen
from lib.texts.said import say as _


def import_files(
    *, project: Project, names: Sequence[str], settings: Settings, strict: bool = False, dry_run: bool = False
) -> Report:
    """Import the files in order. settings.format is empty where each file's name tells its format.

    strict: read all files first, and keep nothing if any row or file has an error; dry_run: only read.
    """
    if strict or dry_run:
        report = _looked_at(project, names, settings)
        if strict and not report.flawless:
            report.refuse_all()
            message = _("Nothing was kept, because not everything is right (--strict).")
            report.tell([Problem("", None, "", message)])
            return report
        if dry_run:
            return report
    return _imported(project, names, settings)


def _looked_at(project: Project, names: Sequence[str], settings: Settings) -> Report:
    def look_at(name: str, file_settings: Settings, seen_rows: Seen) -> Report:
        return look(project, Path(name), name=name, settings=file_settings, seen=seen_rows)[0]

    return _together(names, settings, look_at)


def _imported(project: Project, names: Sequence[str], settings: Settings) -> Report:
    return _together(
        names, settings, lambda name, file_settings, seen_rows: _import_one(project, name, file_settings, seen_rows)
    )


def _together(names: Sequence[str], settings: Settings, take: Callable[[str, Settings, Seen], Report]) -> Report:
    """One report of several files, each in its own format; a row that stands in two of them is told."""
    report = Report()
    with Seen() as seen_rows:
        for name in names:
            file_settings = _settings_for(name, settings)
            report.add(
                _told(file_settings) if isinstance(file_settings, Problem) else take(name, file_settings, seen_rows)
            )
    return report


def _settings_for(name: str, settings: Settings) -> Settings | Problem:
    if settings.format:
        return settings
    guessed = guess(name)
    return guessed if isinstance(guessed, Problem) else replace(settings, format=guessed.slug)


def _told(problem: Problem) -> Report:
    report = Report(faults=1)
    report.tell([problem])
    return report


def _import_one(project: Project, name: str, settings: Settings, seen_rows: Seen) -> Report:
    batch = importing.start(
        project=project,
        file_name=name,
        settings=settings,
        by=None,
        sha256=sha256_of(Path(name)),
        state=Batch.State.RUNNING,
        lease_until=timezone.now() + importing.LEASE,
    )
    return importing.run(batch, Path(name), name=name, seen=seen_rows)
