import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotate.engine import prompts
from annotate.engine.prompts import BadPrompt, Key
from annotate.errors import Refused, WrongState
from annotate.management.command import ContractCommand
from annotate.models import Project
from annotate.prompts.queries import PromptWording, history, keys

FILE_HELP = "prompt text, or raw messages to a judge (first line: === raw messages ===); - reads from stdin"


class Command(ContractCommand):
    help = "List the prompts and texts of a project, print one, or set one from a file."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument(
            "key",
            nargs="?",
            help="scope.step.language, such as single.explained.en or system.rule.zh; default: list all",
        )
        parser.add_argument("--file", metavar="FILE", help=FILE_HELP)
        parser.add_argument("--note", default="", help="what changed")
        parser.add_argument("--shipped", action="store_true", help="restore the built-in text")

    def handle(self, *args: Any, **options: Any) -> None:
        project, name = self.project(options["slug"]), options["key"]
        if name is None:
            if options["file"] or options["shipped"]:
                raise CommandError("Name the prompt, such as single.explained.en.", returncode=2)
            self._list(project, as_json=options["json"])
            return
        key = keys(project).get(name)
        if key is None:
            self.refuse(f"There is no prompt {name!r}. Prompts: {', '.join(keys(project)) or 'none'}.")
        assert key is not None, "refused above"
        if options["file"] and options["shipped"]:
            raise CommandError("Give --file or --shipped, not both.", returncode=2)
        try:
            self._set(project, key, options)
        except (BadPrompt, Refused, WrongState) as refused:
            self.refuse(str(refused))
        wording = history(project, key).in_use
        text = (
            wording.text if not (options["file"] or options["shipped"]) else f"{name}: {_in_words(wording)} is in use."
        )
        warnings = prompts.warnings(key, wording.text)
        if options["file"]:
            text = "\n".join([text, *(f"Warning: {warning}" for warning in warnings)])
        self.report(
            _wording_json(key, wording) | {"text": wording.text, "warnings": warnings},
            as_json=options["json"],
            text=text,
        )

    def _list(self, project: Project, *, as_json: bool) -> None:
        histories = {key: history(project, key) for key in keys(project).values()}
        lines = [f"{key}  {_in_words(prompt_history.in_use)}" for key, prompt_history in histories.items()]
        entries = [_wording_json(key, prompt_history.in_use) for key, prompt_history in histories.items()]
        self.report({"prompts": entries}, as_json=as_json, text="\n".join(lines))

    def _set(self, project: Project, key: Key, options: dict[str, Any]) -> None:
        """Raises BadPrompt, Refused, WrongState."""
        if options["shipped"]:
            prompts.return_to_shipped(project, key, by=None)
        elif options["file"]:
            text, newest = _file_text(options["file"]), prompts.newest_number(project, key)
            prompts.write(project, key, text=text, note=options["note"][:200], by=None, based_on=newest)


def _file_text(file_name: str) -> str:
    try:
        return sys.stdin.read() if file_name == "-" else Path(file_name).read_text("utf-8-sig")
    except (OSError, ValueError) as fault:
        raise CommandError(f"--file {file_name!r} cannot be read: {fault}", returncode=2) from fault


def _wording_json(key: Key, wording: PromptWording) -> dict[str, Any]:
    entry = {"key": str(key), "version": wording.number, "shipped": wording.is_shipped}
    return entry | {"not_fenced": wording.is_raw, "sha256": prompts.sha256(wording.text)}


def _in_words(wording: PromptWording) -> str:
    words = f"{'shipped, ' if wording.is_shipped else ''}version {wording.number}"
    return f"{words}, not fenced" if wording.is_raw else words
