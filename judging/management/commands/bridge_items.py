from typing import Any

from django.core.management.base import CommandParser

from annotate.errors import Refused
from annotate.management.command import ContractCommand
from annotate.management.run_command import whole_number
from annotate.models import Project
from judging.boards.bridging.proposals import MOST, MadeJudgements, make_judgements


class Command(ContractCommand):
    help = (
        "Create judgements without criteria from another project's accepted items; `bridge` then recovers the criteria."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="a project of the kind branching")
        parser.add_argument("--source", required=True, metavar="SLUG", help="project whose accepted items are used")
        parser.add_argument(
            "--limit", type=whole_number, default=MOST, metavar="N", help=f"maximum number; default: {MOST}"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        project, source = self.project(options["slug"]), self.project(options["source"])
        outcome = self._made(project, source, options["limit"])
        text = (
            f"Created {outcome.report.kept} items from {outcome.report.read}; "
            f"{outcome.report.duplicates} already existed. "
            f"{outcome.nobody_judged} accepted items do not judge a response."
        )
        self.report(outcome.as_json(), as_json=options["json"], text=text)

    def _made(self, project: Project, source: Project, limit: int) -> MadeJudgements:
        try:
            return make_judgements(project=project, source=source, by=None, limit=limit)
        except Refused as refused:
            self.refuse(str(refused))
