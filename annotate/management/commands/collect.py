from typing import Any

from django.core.management.base import CommandParser

from annotate.errors import Refused
from annotate.formats.chatlog.conversations import SCENARIOS
from annotate.formats.chatlog.rules import OFF, RULES
from annotate.formats.chatlog.selection import LogSelection
from annotate.formats.format import BadOption
from annotate.intake import chat_logs
from annotate.management.command import ContractCommand, collect_garbage_rarely
from annotate.management.commands.import_items import in_words
from annotate.models import Project
from lib.texts.personal_data import KINDS


class Command(ContractCommand):
    help = "Collect items from chat logs: rules select conversations, and placeholders replace personal data."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("files", nargs="+", metavar="FILE", help="JSON lines or a JSON array, also gzipped")
        parser.add_argument("--scenario", choices=list(SCENARIOS), required=True)
        rules = f"one of {', '.join(RULES)}; the value {OFF} turns it off"
        parser.add_argument("--rule", action="append", default=[], metavar="name=value", help=rules)
        kinds = f"personal data to replace, separated by commas: {', '.join(KINDS)}, or none; default: all"
        parser.add_argument("--replace", default=",".join(KINDS), metavar="KINDS", help=kinds)
        parser.add_argument("--strict", action="store_true", help="import nothing if any line is rejected")
        parser.add_argument("--dry-run", action="store_true", help="dry run: import nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        collect_garbage_rarely()
        project = self.project(options["slug"])
        outcome = chat_logs.collect(
            project=project,
            names=options["files"],
            chosen=self._chosen(project, options),
            strict=options["strict"],
            dry_run=options["dry_run"],
        )
        lines = [
            f"{tally.rule.name}: keeps {tally.alone} of {tally.of} on its own, {tally.left} in sequence "
            f"(removes {tally.cut}), {tally.silent} without this information"
            for tally in outcome.tallies
        ]
        text = "\n".join([*lines, in_words(outcome.report, dry_run=options["dry_run"])])
        self.report(outcome.as_json(), as_json=options["json"], text=text)
        if not outcome.report.kept:
            self.refuse("Nothing was imported." if not options["dry_run"] else "Nothing would be imported.")

    def _chosen(self, project: Project, options: dict[str, Any]) -> LogSelection:
        try:
            choice = chat_logs.choose(project, options["scenario"], self._pairs(options["rule"]))
        except BadOption as bad:
            self.misuse(str(bad))
        except Refused as refused:
            self.refuse(str(refused))
        kinds = {kind.strip() for kind in options["replace"].split(",") if kind.strip()} - {"none"}
        if unknown := kinds - set(KINDS):
            self.misuse(f"--replace accepts {', '.join(KINDS)}, not {', '.join(sorted(unknown))}.")
        return choice.replacing(kinds)

    def _pairs(self, arguments: list[str]) -> dict[str, str]:
        pairs = [argument.partition("=") for argument in arguments]
        for name, equals, _value in pairs:
            if not equals:
                self.misuse(f"--rule {name!r}: write name=value.")
        return {name: value for name, _equals, value in pairs}
