from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotate.errors import Refused
from annotate.formats.format import BadOption
from annotate.management.command import ContractCommand, collect_garbage_rarely, key_values
from annotate.management.commands.import_items import in_words, nothing_kept
from annotate.models import Project
from judging.formats.format import JudgementFormat, judgement_formats
from judging.intake.judgement_files import import_judgements
from judging.intake.judgement_store import JudgementReport

SHOWN = 20


class Command(ContractCommand):
    help = "Import judgements on answers from elsewhere; some formats also contain the items and human votes."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("files", nargs="+", metavar="FILE")
        parser.add_argument("--format", choices=list(judgement_formats()), required=True)
        parser.add_argument("--option", action="append", default=[], metavar="key=value", help="option of the format")
        parser.add_argument("--strict", action="store_true", help="import nothing if any row is rejected")
        parser.add_argument("--dry-run", action="store_true", help="dry run: import nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        collect_garbage_rarely()
        project = self.project(options["slug"])
        file_format = judgement_formats()[options["format"]]
        self._check(project, file_format)
        format_options = {key: str(value) for key, value in key_values(options["option"]).items()}
        try:
            report = import_judgements(
                project=project,
                files=[(Path(name), name) for name in options["files"]],
                wanted=file_format,
                options=format_options,
                strict=options["strict"],
                dry_run=options["dry_run"],
            )
        except BadOption as bad:
            self.misuse(str(bad))
        except Refused as refused:
            self.refuse(str(refused))
        text = "\n".join([*_differences(report), in_words(report, dry_run=options["dry_run"])])
        self.report(report.as_json(), as_json=options["json"], text=text)
        if not report.kept:
            self.refuse(nothing_kept(report, dry_run=options["dry_run"]))

    def _check(self, project: Project, file_format: JudgementFormat) -> None:
        if file_format.suits(project.kind):
            return
        if file_format.kinds:
            kinds = ", ".join(sorted(file_format.kinds))
            self.refuse(f"The format {file_format.slug} is for items of the kind {kinds}, not {project.kind_slug}.")
        self.refuse(f"Items of the kind {project.kind_slug} take no answers.")


def _differences(report: JudgementReport) -> list[str]:
    differences = report.differences
    lines = [
        f"{difference['file']}:{difference['line']} says {difference['score']:g}, computed {difference['computed']:g}"
        for difference in differences[:SHOWN]
    ]
    more = [f"… and {len(differences) - SHOWN} more"] if len(differences) > SHOWN else []
    return ["Scores that differ from the file's own:", *lines, *more] if differences else []
