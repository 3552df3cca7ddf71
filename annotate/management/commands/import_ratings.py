from typing import Any

from django.core.management.base import CommandParser

from annotate.errors import Refused
from annotate.formats.registry import all_formats
from annotate.intake.ratings import import_ratings
from annotate.management.command import ContractCommand, collect_garbage_rarely
from annotate.management.commands.import_items import in_words


class Command(ContractCommand):
    help = 'Import ratings of named raters: rows {"key", "rater", <question>: answer, …} about items of the project.'

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("files", nargs="+", metavar="FILE")
        parser.add_argument("--format", choices=list(all_formats()), default="", help="if the file name does not tell")

    def handle(self, *args: Any, **options: Any) -> None:
        collect_garbage_rarely()
        project = self.project(options["slug"])
        try:
            report = import_ratings(project, options["files"], format_slug=options["format"])
        except Refused as refused:
            self.refuse(str(refused))
        self.report(report.as_json(), as_json=options["json"], text=in_words(report, dry_run=False))
        if not report.kept and not report.duplicates:
            self.refuse("No rating was imported. Fix the problems listed above, then run the command again.")
