from typing import Any

from django.core.management.base import CommandError

from annotate.management.run_command import RunCommand
from annotate.models import Project


class Command(RunCommand):
    help = "Let a model add up increasingly long chains of two-digit numbers; options: seed, longest, each, language."
    purpose = "arithmetic"

    def options_of(self, project: Project, options: dict[str, Any]) -> dict[str, Any]:
        if not project.kind.judges_answers:
            raise CommandError(f"Items of the kind {project.kind_slug} take no answers.", returncode=1)
        return super().options_of(project, options)
