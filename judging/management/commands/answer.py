import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotate.management.run_command import USAGE, RunCommand, whole_number
from annotate.models import Project
from judging.models import Author
from judging.purposes.answer_runs import Temperature

OWN = ("author", "samples", "sort", "family", "provider")


class Command(RunCommand):
    help = "Let a model answer the accepted items as a candidate, under an author's name."
    purpose = "answer"
    temperature_of_all = False

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("--author", metavar="NAME", help="author of the answers; created if missing")
        parser.add_argument("--samples", type=whole_number, metavar="N", help="answers per item; default: 1")
        parser.add_argument(
            "--temperature",
            metavar="project|service|NUMBER",
            help="per group as set in the project, the service's default, or one value for all",
        )
        parser.add_argument("--sort", choices=Author.Sort.values, help="of a new author")
        parser.add_argument("--family", metavar="NAME", help="of a new author")
        parser.add_argument("--provider", metavar="NAME", help="of a new author")

    def options_of(self, project: Project, options: dict[str, Any]) -> dict[str, Any]:
        if not project.kind.judges_answers:
            raise CommandError(f"Items of the kind {project.kind_slug} take no answers.", returncode=1)
        own_options = {name: options[name] for name in OWN if options[name] is not None}
        own_options |= _temperature(options["temperature"])
        pairs = [f"{name}={json.dumps(value)}" for name, value in own_options.items()]
        pairs += options["option"]
        if not any(pair.startswith("author=") for pair in pairs):
            raise CommandError("Give --author NAME, the author of the answers.", returncode=USAGE)
        return super().options_of(project, options | {"option": pairs})


def _temperature(word: str | None) -> dict[str, Any]:
    """The options that `--temperature` stands for. Raises CommandError."""
    if word is None:
        return {}
    if word in (Temperature.PROJECT, Temperature.SERVICE):
        return {"temperature": word}
    try:
        return {"temperature": Temperature.NUMBER.value, "number": float(word)}
    except ValueError:
        message = f"--temperature {word!r}: write project, service or a number from 0 to 2."
        raise CommandError(message, returncode=USAGE) from None
