"""Importing files by command: several at once, all or nothing where asked."""

from collections.abc import Sequence
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
from annotate.texts.said import say as _


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
    report = Report()
    with Seen() as seen:
        for name in names:
            chosen = _settings_for(name, settings)
            if isinstance(chosen, Problem):
                report.add(_told(chosen))
            else:
                found, _sample = look(project, Path(name), name=name, settings=chosen, seen=seen)
                report.add(found)
    return report


def _imported(project: Project, names: Sequence[str], settings: Settings) -> Report:
    report = Report()
    with Seen() as seen:
        for name in names:
            chosen = _settings_for(name, settings)
            if isinstance(chosen, Problem):
                report.add(_told(chosen))
            else:
                report.add(_import_one(project, name, chosen, seen))
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


def _import_one(project: Project, name: str, settings: Settings, seen: Seen) -> Report:
    batch = importing.start(
        project=project,
        file_name=name,
        settings=settings,
        by=None,
        sha256=sha256_of(Path(name)),
        state=Batch.State.RUNNING,
        lease_until=timezone.now() + importing.LEASE,
    )
    return importing.run(batch, Path(name), name=name, seen=seen)
