from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.utils.module_loading import import_string

from annotate.errors import Refused
from annotate.management.command import ContractCommand
from annotate.models import Project
from annotate.upkeep import demo, demo_fixture, demo_projects

ANY_PORT = 0
PEOPLE = {username: str(role) for username, (_shown, role) in demo.PEOPLE.items()}


class Command(ContractCommand):
    help = (
        "Create the demo projects with their people and their work out of the fixture; later calls add what is missing "
        "and print the accounts. Where the fixture does not fit, the demo is made live, as with --model-port 0."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--live", action="store_true", help="seed without the fixture, and leave out what needs a model"
        )
        help_text = "seed without the fixture; the simulated model answers at this port meanwhile (0: any free port)"
        parser.add_argument("--model-port", type=int, help=help_text)

    def handle(self, *args: Any, **options: Any) -> None:
        port = options["model_port"]
        try:
            is_live = options["live"] or port is not None
            seeded = seed_live(port) if is_live else self._seed()
        except Refused as refused:
            self.refuse(str(refused))
        lines = [f"  {username:<6}{role}" for username, role in PEOPLE.items()]
        status = "Created the demo project" if seeded.made else "The demo project already exists"
        self.report(
            {"project": demo.SLUG, "made": seeded.made, "accounts": PEOPLE, "password": seeded.password},
            as_json=options["json"],
            text="\n".join([f"{status}. Accounts:", *lines, f"Password of all four: {seeded.password}"]),
        )

    def _seed(self) -> demo.DemoSeed:
        """Out of the fixture; live where it does not fit, or where the demo is there and may lack something."""
        if Project.objects.filter(slug=demo.SLUG).exists():
            return seed_live(ANY_PORT)
        try:
            return demo_fixture.load()
        except Refused as refused:
            self.stderr.write(f"{refused}\nThe demo is made live instead; this takes a minute.")
            return seed_live(ANY_PORT)


def seed_live(port: int | None) -> demo.DemoSeed:
    """Every part by the services that people and runs use. port: of the simulated model; None: without its work."""
    seeded = demo.seed()
    demo_projects.seed_perturbations(PEOPLE)
    for study in settings.DEMO_STUDIES:
        import_string(study)(PEOPLE)
    demo_projects.keep_endpoint()
    if port is not None:
        demo_projects.seed_preannotated(port)
        demo_projects.seed_further(port, PEOPLE)
    return seeded
