from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.utils.module_loading import import_string

from annotate.errors import Refused
from annotate.management.command import ContractCommand
from annotate.upkeep import demo, demo_projects


class Command(ContractCommand):
    help = "Create the demo project with its people and their work; later calls only print the accounts."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        help_text = (
            "port for the simulated model meanwhile, 0: any free one; it is used to create further demo projects"
        )
        parser.add_argument("--model-port", type=int, help=help_text)

    def handle(self, *args: Any, **options: Any) -> None:
        port = options["model_port"]
        try:
            seeded = demo.seed()
            people = {username: str(role) for username, (_shown, role) in demo.PEOPLE.items()}
            demo_projects.seed_perturbations(people)
            for study in settings.DEMO_STUDIES:
                import_string(study)(people)
            demo_projects.keep_endpoint()
            if port is not None:
                demo_projects.seed_preannotated(port)
                demo_projects.seed_further(port, people)
        except Refused as refused:
            self.refuse(str(refused))
        lines = [f"  {username:<6}{role}" for username, role in people.items()]
        status = "Created the demo project" if seeded.made else "The demo project already exists"
        self.report(
            {"project": demo.SLUG, "made": seeded.made, "accounts": people, "password": seeded.password},
            as_json=options["json"],
            text="\n".join([f"{status}. Accounts:", *lines, f"Password of all four: {seeded.password}"]),
        )
