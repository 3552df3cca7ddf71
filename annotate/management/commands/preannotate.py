from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotate.management.run_command import RunCommand
from annotate.models import Project


class Command(RunCommand):
    help = "Let a model write suggestions for items that are neither accepted nor dropped; people refine them."
    purpose = "preannotate"

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("--one-by-one", action="store_true", help="own questions: one call per question")

    def options_of(self, project: Project, options: dict[str, Any]) -> dict[str, Any]:
        run_options = super().options_of(project, options) | ({"one_by_one": True} if options["one_by_one"] else {})
        if run_options.get("one_by_one") and project.kind.one_by_one is None:
            message = "has one question" if project.kind.defined else "has no own questions"
            raise CommandError(f"The project {project.slug} {message}; leave out --one-by-one.", returncode=1)
        return run_options
