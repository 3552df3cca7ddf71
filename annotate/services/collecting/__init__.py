"""From a chat log to items: rules choose, personal data is replaced, and the importing service takes what is left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotate.formats.base import BadOption
from annotate.formats.chatlog import choosing
from annotate.formats.chatlog.choosing import Chosen
from annotate.formats.chatlog.log import UNLISTED, conversations
from annotate.formats.chatlog.scenarios import scenarios_of
from annotate.formats.chatlog.tallying import Counted, Tally, counted
from annotate.formats.rows import Problem
from annotate.formats.source import Source
from annotate.formats.unpacking import Limits, Unreadable
from annotate.models import Batch, Project
from annotate.services.errors import Refused
from annotate.services.importing import files, previews
from annotate.services.importing.commands import import_files
from annotate.services.importing.report import Report
from annotate.services.importing.rows import Settings
from lib.texts.said import say as _

FORMAT = UNLISTED.slug
ROWS = 2000  # conversations that a page looks at
LISTED = 1000  # replacements that a page can show


@dataclass(frozen=True)
class Collected:
    """What a command says: the report of the import, and of each rule how many conversations it keeps."""

    report: Report
    counts: Sequence[Counted]

    @property
    def tallies(self) -> list[Tally]:
        """Over all files; the rules are the same in each."""
        whole = [Tally(tally.rule) for tally in self.counts[0].tallies] if self.counts else []
        for file_counts in self.counts:
            for total, tally in zip(whole, file_counts.tallies, strict=True):
                total.of += tally.of
                total.alone += tally.alone
                total.left += tally.left
                total.cut += tally.cut
                total.silent += tally.silent
        return whole

    def as_json(self) -> dict[str, Any]:
        rules = [tally.as_json() for tally in self.tallies]
        log = {
            name: sum(file_counts.as_json()[name] for file_counts in self.counts)
            for name in ("conversations", "chosen", "bad")
        }
        return self.report.as_json() | {"log": log, "rules": rules}


def choose(project: Project, scenario: str, choices: Mapping[str, str] | None = None) -> Chosen:
    """Raises BadOption, and Refused where a scenario is not for projects of this kind."""
    choice = choosing.choose(scenario, choices)
    if choice.scenario.kind != project.kind_slug:
        fitting = ", ".join(fitting_scenario.slug for fitting_scenario in scenarios_of(project.kind_slug)) or _("none")
        message = _("The scenario %(name)s makes no items of the kind %(kind)s. Scenarios for it: %(fitting)s.")
        raise Refused(message % {"name": scenario, "kind": project.kind_slug, "fitting": fitting})
    return choice


def settings_of(choice: Chosen) -> Settings:
    return Settings(format=FORMAT, options=choice.as_options())


def chosen_in(batch: Batch) -> Chosen:
    return choosing.read(batch.settings["options"])


def told_of(batch: Batch) -> Chosen | None:
    """By what an import was collected; None of one from no log, or by rules that are not known any more."""
    try:
        return chosen_in(batch) if batch.format == FORMAT else None
    except BadOption:
        return None


def collect(
    *, project: Project, names: Sequence[str], chosen: Chosen, strict: bool = False, dry_run: bool = False
) -> Collected:
    """Count what each rule keeps of the files, then import what all keep. Each file is read twice, as a stream."""
    counts = [_counted(chosen, Path(name), name) for name in names]
    report = import_files(project=project, names=names, settings=settings_of(chosen), strict=strict, dry_run=dry_run)
    return Collected(report, counts)


def _counted(choice: Chosen, path: Path, name: str, *, most: int | None = None, listed: int = 0) -> Counted:
    """Faults of the whole file are for the import to tell; nothing of such a file is counted."""
    source = Source(path, name, Limits())
    try:
        return counted(
            choice, conversations(source, compare=choice.compares, most=most), examples=bool(most), listed=listed
        )
    except Unreadable as fault:
        empty = counted(choice, ())
        empty.problems.append(Problem(name, None, "", str(fault)))
        return empty


def preview(batch: Batch, *, listed: int = 0) -> Counted:
    """What the rules keep of the beginning of an uploaded log; nothing is written."""
    return _counted(chosen_in(batch), files.uploaded(batch.stored_as), batch.file_name, most=ROWS, listed=listed)


def change(batch: Batch, choice: Chosen) -> None:
    """Choose otherwise. Raises WrongState if it was confirmed meanwhile."""
    previews.change_settings(batch, settings_of(choice))
