from typing import Any

from django.core.management.base import CommandParser

from annotate.management.command import ContractCommand, key_values
from annotate.services.errors import Refused
from annotate.services.projects import create_project


class Command(ContractCommand):
    help = "Make a project of one kind."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("--kind", required=True)
        parser.add_argument("--name", default="")
        parser.add_argument("--option", action="append", default=[], metavar="key=value")
        parser.add_argument("--reviews", type=int, choices=[0, 1], default=1)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            project = create_project(
                slug=options["slug"],
                kind=options["kind"],
                name=options["name"],
                options=key_values(options["option"]),
                reviews=options["reviews"],
            )
        except Refused as refused:
            self.refuse(str(refused))
        self.report(
            {"project": project.slug, "kind": project.kind_slug},
            as_json=options["json"],
            text=f"Made {project.slug} ({project.kind_slug}). Next: add_member {project.slug} NAME --role lead",
        )
