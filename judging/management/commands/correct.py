import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotate.errors import Refused
from annotate.management.run_command import RunCommand
from annotate.models import Project, Run
from judging.models import Answer
from judging.purposes.correction_runs import CorrectOptions
from judging.verdicts.low_scores import judge_called

OWN = ("judge", "threshold", "temperature")


class Command(RunCommand):
    help = "Let a model rewrite answers on the criteria that a judge scored low, under the author <author>+correction."
    purpose = "correct"
    temperature_of_all = False

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--judge",
            metavar="NAME",
            help="judge whose verdicts are used; default: the only judge that scores by criteria",
        )
        parser.add_argument("--authors", metavar="a,b", help="authors of the answers; default: all except corrections")
        parser.add_argument(
            "--threshold", type=float, metavar="N", help="criteria with a lower score are corrected; default: 3"
        )
        parser.add_argument("--inclusive", action="store_true", help="also correct criteria scored at the threshold")
        parser.add_argument("--temperature", type=float, metavar="T", help="for the corrections; default: 0.1")

    def options_of(self, project: Project, options: dict[str, Any]) -> dict[str, Any]:
        if not project.kind.judges_answers:
            raise CommandError(f"Items of the kind {project.kind_slug} take no answers.", returncode=1)
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
