import json
from pathlib import Path
from typing import Any, cast

from django.core.management.base import CommandParser

from annotate.formats.format import BadOption, Format
from annotate.formats.registry import all_formats, find_format, guess
from annotate.intake.batches import import_files
from annotate.intake.mapping import read_pairs
from annotate.intake.report import Report
from annotate.intake.row_reader import Drafts, Settings
from annotate.management.command import ContractCommand, collect_garbage_rarely, key_values
from annotate.models import Project


class Command(ContractCommand):
    help = "Import rows from files: JSON lines, a JSON array, CSV, or a published dataset; each also gzipped."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("files", nargs="+", metavar="FILE")
        parser.add_argument("--format", choices=list(all_formats()), help="if the file name does not tell")
        parser.add_argument("--option", action="append", default=[], metavar="key=value", help="option of the format")
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="field=column",
            help="the column of a field, such as answer=response.text; field==text for a constant; may be repeated",
        )
        parser.add_argument("--map-file", metavar="FILE", help="a JSON object of field: column; --map adds to it")
        parser.add_argument("--accept", action="store_true", help="treat the drafts as final and accept them")
        parser.add_argument("--strict", action="store_true", help="import nothing if any row is rejected")
        parser.add_argument("--dry-run", action="store_true", help="dry run: import nothing")
        parser.add_argument("--duplicates", choices=["skip", "update", "round"], default="skip")
        parser.add_argument("--no-checks", action="store_true", help="do not detect personal data and language")

    def handle(self, *args: Any, **options: Any) -> None:
        collect_garbage_rarely()
        project = self.project(options["slug"])
        report = import_files(
            project=project,
            names=options["files"],
            settings=self._settings(project, options),
            strict=options["strict"],
            dry_run=options["dry_run"],
        )
        self.report(report.as_json(), as_json=options["json"], text=in_words(report, dry_run=options["dry_run"]))
        if not report.kept:
            self.refuse(nothing_kept(report, dry_run=options["dry_run"]))

    def _settings(self, project: Project, options: dict[str, Any]) -> Settings:
        option_values = {key: str(value) for key, value in key_values(options["option"]).items()}
        if options["accept"] and options["format"] and _takes_drafts_as(find_format(options["format"])):
            option_values["as"] = "final"
        drafts = "final" if options["accept"] else option_values.get("as", "suggestion")
        for name in options["files"]:
            file_format = find_format(options["format"]) if options["format"] else guess(name, project.kind_slug)
            if isinstance(file_format, Format):
                self._check_format(file_format, project, option_values)
        return Settings(
            format=options["format"] or "",
            options=option_values,
            drafts=cast(Drafts, drafts),  # checked against the choices by the format
            duplicates=options["duplicates"],
            checks=not options["no_checks"],
            mapping=self._mapping(options),
            id_is_key=True,
        )

    def _mapping(self, options: dict[str, Any]) -> dict[str, str]:
        try:
            stored = json.loads(Path(options["map_file"]).read_text(encoding="utf-8")) if options["map_file"] else {}
            pairs = read_pairs(options["map"])
        except (OSError, ValueError) as bad:
            self.misuse(f"{options['map_file'] or '--map'}: {bad}")
            raise
        if not isinstance(stored, dict) or not all(isinstance(path, str) and path for path in stored.values()):
            self.misuse(f"{options['map_file']}: must be a JSON object of field: column, all texts.")
        return {**stored, **pairs}

    def _check_format(self, file_format: Format, project: Project, option_values: dict[str, str]) -> None:
        if not file_format.suits(project.kind_slug):
            self.refuse(f"The format {file_format.slug} is not for items of the kind {project.kind_slug}.")
        try:
            file_format.complete(option_values)
        except BadOption as bad:
            self.misuse(str(bad))


def _takes_drafts_as(file_format: Format) -> bool:
    return any(option.name == "as" for option in file_format.options)


def in_words(report: Report, *, dry_run: bool) -> str:
    report_json = report.as_json()
    lines = [_line(problem) for problem in report_json["problems"]]
    counts = f"read {report.read}, kept {report.kept}, duplicates {report.duplicates}, rejected {report.rejected}"
    return "\n".join([*lines, f"{counts} (nothing was written)" if dry_run else counts])


def _line(problem: dict[str, Any]) -> str:
    position = f"{problem['file']}:{problem['line']}" if problem["line"] else problem["file"]
    return f"{problem['level']}: {position} {problem['path']} {problem['message']}{_of_many(problem)}"


def _of_many(problem: dict[str, Any]) -> str:
    if "count" not in problem:
        return ""
    more = ", …" if problem["count"] > len(problem["lines"]) else ""
    return f" ({problem['count']} like this, on lines {', '.join(map(str, problem['lines']))}{more})"


def nothing_kept(report: Report, *, dry_run: bool) -> str:
    """Why no row was kept, and what to do."""
    head = "Nothing would be imported." if dry_run else "Nothing was imported."
    if report.duplicates and report.flawless:
        return f"{head} All {report.duplicates} rows already exist."
    if not report.read and not report.faults:
        return f"{head} The file contains no rows."
    return f"{head} Fix the problems listed above, then run the command again."
