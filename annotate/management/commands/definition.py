import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotate.definitions.actions import checked, write_definition
from annotate.errors import Refused, WrongState
from annotate.management.command import ContractCommand


class Command(ContractCommand):
    help = "Read or change the questions of a project of the kind form."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("--out", metavar="FILE", help="write the newest version to this file; default: print it")
        parser.add_argument("--set", metavar="FILE", help="save this file as the next version; - is standard input")
        parser.add_argument("--note", default="", help="what changed, for the list of versions")
        parser.add_argument("--dry-run", action="store_true", help="with --set: check the file and save nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.project(options["slug"])
        if not project.kind.defined:
            self.refuse(f"{project.slug} is of the kind {project.kind_slug}, whose questions are fixed.")
        newest = project.definitions.first()
        if newest is None:
            self.refuse(f"{project.slug} has no definition yet; save one with --set FILE.")
        elif options["set"]:
            self._save(project, newest.version, options)
        elif options["out"]:
            Path(options["out"]).write_text(newest.text, encoding="utf-8")
            report = {"project": project.slug, "version": newest.version, "file": options["out"]}
            self.report(report, as_json=options["json"], text=f"Version {newest.version} is in {options['out']}.")
        else:
            report = {"project": project.slug, "version": newest.version, "definition": newest.text}
            self.report(report, as_json=options["json"], text=newest.text.rstrip())

    def _save(self, project: Any, version: int, options: dict[str, Any]) -> None:
        try:
            text = sys.stdin.read() if options["set"] == "-" else Path(options["set"]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as unreadable:
            self.refuse(f"{options['set']} cannot be read as UTF-8 text: {unreadable}")
        try:
            if options["dry_run"]:
                checked(project, text)
            else:
                version = write_definition(project, text=text, note=options["note"], by=None, based_on=version).version
        except (Refused, WrongState) as refused:
            self.refuse(str(refused))
        report = {"project": project.slug, "version": version, "saved": not options["dry_run"]}
        outcome = "is valid; nothing was saved" if options["dry_run"] else f"is version {version} now"
        self.report(report, as_json=options["json"], text=f"{options['set']} {outcome}.")
