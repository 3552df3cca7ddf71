from typing import Any

from django.core.management.base import CommandParser

from annotate.management.command import ContractCommand
from annotate.upkeep.schema_check import check_stored, recount_items


class Command(ContractCommand):
    help = (
        "Check that every stored row is valid: the facts of all items, the drafts of all submitted annotations and the "
        "counts of items by state."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", nargs="?", help="only this project")
        parser.add_argument("--recount", action="store_true", help="first count the items of all projects again")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.project(options["slug"]) if options["slug"] else None
        if options["recount"]:
            recount_items()
        check_report = check_stored(project)
        words = f"{check_report.items} items and {check_report.drafts} drafts are valid."
        if check_report.holds or options["json"]:
            self.report(check_report.as_json(), as_json=options["json"], text=words)
        if not check_report.holds:
            fault_lines = "\n".join(
                f"{' '.join(filter(None, (fault['project'], fault['key'], fault['path'])))}: {fault['message']}"
                for fault in check_report.faults
            )
            more = f"\nand {check_report.unlisted} more" if check_report.unlisted else ""
            total = len(check_report.faults) + check_report.unlisted
            self.refuse(f"{total} stored rows are not valid:\n{fault_lines}{more}")
