from typing import Any

from annotate.management.command import ContractCommand
from annotate.services import demo
from annotate.services.errors import Refused


class Command(ContractCommand):
    help = "Make the demo project with its people and their work; once, later calls only print the accounts."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            seeded = demo.seed()
        except Refused as refused:
            self.refuse(str(refused))
        roles = {username: str(role) for username, (_shown, role) in demo.PEOPLE.items()}
        lines = [f"  {username:<6}{role}" for username, role in roles.items()]
        made = "Made the demo project" if seeded.made else "The demo project is there"
        self.report(
            {"project": demo.SLUG, "made": seeded.made, "accounts": roles, "password": seeded.password},
            as_json=options["json"],
            text="\n".join([f"{made}. Accounts:", *lines, f"Password of all four: {seeded.password}"]),
        )
