from typing import Any

from django.core.management.base import CommandParser

from annotate.management.command import ContractCommand, collect_garbage_rarely
from annotate.management.commands.import_items import in_words, nothing_kept
from judging.access import has_answers
from judging.answers.answer_files import import_files


class Command(ContractCommand):
    help = (
        'Import answers from JSON, CSV or Parquet {"key","author","text"[,"sample","sort","family","provider"]}; '
        "also gzipped."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("files", nargs="+", metavar="FILE")
        parser.add_argument("--dry-run", action="store_true", help="dry run: import nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        collect_garbage_rarely()
        project = self.project(options["slug"])
        if not has_answers(project):
            self.refuse(f"Items of the kind {project.kind_slug} take no answers.")
        report = import_files(project=project, names=options["files"], dry_run=options["dry_run"])
        self.report(report.as_json(), as_json=options["json"], text=in_words(report, dry_run=options["dry_run"]))
        if not report.kept:
            self.refuse(nothing_kept(report, dry_run=options["dry_run"]))
