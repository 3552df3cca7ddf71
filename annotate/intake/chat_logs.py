"""From a chat log to items: rules select conversations, personal data is replaced, and the result is imported."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotate.errors import Refused
from annotate.formats.chatlog import selection
from annotate.formats.chatlog.conversations import scenarios_of
from annotate.formats.chatlog.selection import (
    UNLISTED,
    LogSelection,
    RuleCounts,
    RuleTally,
    conversations,
    count_conversations,
)
from annotate.formats.format import BadOption
from annotate.formats.rows import Problem
from annotate.formats.source import Limits, Source, Unreadable
from annotate.intake import previews, report
from annotate.intake.batches import import_files
from annotate.intake.report import Report
from annotate.intake.row_reader import Settings
from annotate.models import Batch, Project
from lib.texts.stored_sentences import say as _

FORMAT = UNLISTED.slug
ROWS = 2000  # conversations that a preview reads
LISTED = 1000  # replacements that a page can show


@dataclass(frozen=True)
class CollectedLog:
    """The result for a command: the report of the import, and how many conversations each rule keeps."""

    report: Report
    counts: Sequence[RuleCounts]

    @property
    def tallies(self) -> list[RuleTally]:
        """Sums over all files; the rules are the same in each."""
        whole = [RuleTally(tally.rule) for tally in self.counts[0].tallies] if self.counts else []
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


def choose(project: Project, scenario: str, choices: Mapping[str, str] | None = None) -> LogSelection:
    """Raises BadOption, and Refused if a scenario is not for projects of this kind."""
    choice = selection.choose(scenario, choices)
    if choice.scenario.kind != project.kind_slug:
        fitting = ", ".join(fitting_scenario.slug for fitting_scenario in scenarios_of(project.kind_slug)) or _("none")
        message = _(
            "The scenario %(name)s does not create items of the kind %(kind)s. Suitable scenarios: %(fitting)s."
        )
        raise Refused(message % {"name": scenario, "kind": project.kind_slug, "fitting": fitting})
    return choice


def settings_of(choice: LogSelection) -> Settings:
    return Settings(format=FORMAT, options=choice.as_options())


def selection_of(batch: Batch) -> LogSelection:
    return selection.parse_options(batch.settings["options"])


def collected_by(batch: Batch) -> LogSelection | None:
    """The selection of an import; None if it came from no log, or its rules no longer exist."""
    try:
        return selection_of(batch) if batch.format == FORMAT else None
    except BadOption:
        return None


def collect(
    *, project: Project, names: Sequence[str], chosen: LogSelection, strict: bool = False, dry_run: bool = False
) -> CollectedLog:
    """Count what each rule keeps of the files, then import what all keep. Each file is read twice, as a stream."""
    counts = [_count_log(chosen, Path(name), name) for name in names]
    report = import_files(project=project, names=names, settings=settings_of(chosen), strict=strict, dry_run=dry_run)
    return CollectedLog(report, counts)


def _count_log(choice: LogSelection, path: Path, name: str, *, most: int | None = None, listed: int = 0) -> RuleCounts:
    """Errors of the whole file are left to the import to report; nothing of such a file is counted."""
    source = Source(path, name, Limits())
    try:
        return count_conversations(
            choice, conversations(source, compare=choice.compares, most=most), examples=bool(most), listed=listed
        )
    except Unreadable as fault:
        empty = count_conversations(choice, ())
        empty.problems.append(Problem(name, None, "", str(fault)))
        return empty


def preview(batch: Batch, *, listed: int = 0) -> RuleCounts:
    """What the rules keep of the beginning of an uploaded log; nothing is written."""
    return _count_log(selection_of(batch), report.uploaded(batch.stored_as), batch.file_name, most=ROWS, listed=listed)


def change(batch: Batch, choice: LogSelection) -> None:
    """Change the selection. Raises WrongState if the import was confirmed meanwhile."""
    previews.change_settings(batch, settings_of(choice))
