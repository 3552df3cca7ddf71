import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotate.errors import Refused
from annotate.management.run_command import RunCommand
from annotate.models import Project, Run
from judging.models import Answer
from judging.purposes.correct.correction_runs import CorrectOptions
from judging.verdicts.low_scores import judge_called

OWN = ("judge", "threshold", "temperature")


class Command(RunCommand):
    help = "Let a model rewrite answers by the criteria that a judge scored low, under the author <author>+correction."
    purpose = "correct"
    temperature_of_all = False

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--judge", metavar="NAME", help="whose judgements; the only judge that went through criteria"
        )
        parser.add_argument("--authors", metavar="a,b", help="whose answers; all but corrections where it is left out")
        parser.add_argument("--threshold", type=float, metavar="N", help="a criterion scored below it is low; 3")
        parser.add_argument("--inclusive", action="store_true", help="a criterion scored at the threshold is low too")
        parser.add_argument("--temperature", type=float, metavar="T", help="of the corrections; 0.1")

    def options_of(self, project: Project, options: dict[str, Any]) -> dict[str, Any]:
        if not project.kind.judges_answers:
            raise CommandError(f"Nobody answers items of the kind {project.kind_slug}.", returncode=1)
        own_options: dict[str, Any] = {name: options[name] for name in OWN if options[name] is not None}
        if options["authors"]:
            own_options["authors"] = [name.strip() for name in options["authors"].split(",") if name.strip()]
        if options["inclusive"]:
            own_options["inclusive"] = True
        pairs = [f"{name}={json.dumps(value)}" for name, value in own_options.items()]
        stored_options = super().options_of(project, options | {"option": [*pairs, *options["option"]]})
        try:
            judge = judge_called(project, CorrectOptions.model_validate(stored_options).judge)
        except Refused as refused:
            raise CommandError(str(refused), returncode=1) from refused
        return stored_options | {"judge": str(judge)}

    def more(self, run: Run) -> dict[str, Any]:
        """Answers that are there now because of it."""
        return {"corrected": Answer.objects.filter(job__run=run).count()}
