from typing import Any

from django.core.management.base import CommandParser

from annotate.management.command import ContractCommand
from annotate.services.releasing.store import check_stored


class Command(ContractCommand):
    help = "Prove that every stored row still reads: the facts of all items, the drafts of all handed-in annotations."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", nargs="?", help="only this project")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.project(options["slug"]) if options["slug"] else None
        found = check_stored(project)
        words = f"{found.items} items and {found.drafts} drafts read well."
        if found.holds or options["json"]:
            self.report(found.as_json(), as_json=options["json"], text=words)
        if not found.holds:
            named = "\n".join(f"{one['project']} {one['key']} {one['path']}: {one['message']}" for one in found.faults)
            more = f"\nand {found.unlisted} more" if found.unlisted else ""
            self.refuse(f"{len(found.faults) + found.unlisted} stored rows do not read any more:\n{named}{more}")
