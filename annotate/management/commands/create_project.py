from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotate.definitions.templates import all_templates
from annotate.errors import Refused
from annotate.management.command import ContractCommand, key_values
from annotate.project.actions import create_project


class Command(ContractCommand):
    help = "Create a project."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("--kind", required=True)
        parser.add_argument("--name", default="")
        questions = parser.add_mutually_exclusive_group()
        questions.add_argument("--definition", metavar="FILE", help="kind form: the questions, in YAML")
        questions.add_argument("--template", choices=list(all_templates()), help="kind form: questions to begin with")
        parser.add_argument("--option", action="append", default=[], metavar="key=value")
        parser.add_argument(
            "--reviews", type=int, choices=[0, 1, 2], help="reviews per text; default: 1, or 0 with --overlap"
        )
        parser.add_argument("--overlap", type=int, default=1, metavar="N", help="people per item")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["overlap"] < 1 or (options["overlap"] > 1 and _reviews(options)):
            self.refuse("An item is written by several people (--overlap, no reviews) or by one (--reviews).")
        definition = self._definition(options)
        try:
            project = create_project(
                slug=options["slug"],
                kind=options["kind"],
                name=options["name"],
                options=key_values(options["option"]),
                definition=definition,
                reviews=_reviews(options),
                overlap=options["overlap"],
            )
        except Refused as refused:
            self.refuse(str(refused))
        self.report(
            {"project": project.slug, "kind": project.kind_slug},
            as_json=options["json"],
            text=f"Created {project.slug} ({project.kind_slug}). Next: add_member {project.slug} NAME --role lead",
        )

    def _definition(self, options: dict[str, Any]) -> str:
        if options["template"]:
            return all_templates()[options["template"]].definition
        if not options["definition"]:
            return ""
        try:
            return Path(options["definition"]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as unreadable:
            self.refuse(f"{options['definition']} cannot be read as UTF-8 text: {unreadable}")


def _reviews(options: dict[str, Any]) -> int:
    if options["reviews"] is not None:
        return int(options["reviews"])
    return 0 if options["overlap"] > 1 else 1
