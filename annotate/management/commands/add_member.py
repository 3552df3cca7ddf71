from typing import Any

from django.core.management.base import CommandParser

from annotate.management.command import ContractCommand
from annotate.models import Member
from annotate.people.members import add_member


class Command(ContractCommand):
    help = "Add a person to a project; creates the account if missing."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("username")
        parser.add_argument("--role", required=True, choices=Member.Role.values)
        parser.add_argument("--password")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.project(options["slug"])
        member = add_member(
            project=project, username=options["username"], role=options["role"], password=options["password"]
        )
        self.report(
            {"project": project.slug, "username": member.user.username, "role": member.role},
            as_json=options["json"],
            text=f"{member.user.username} is {member.role} in {project.slug}.",
        )
