from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotate.management.command import ContractCommand
from annotate.upkeep.diagnosis import Diagnosis, examine, is_well, restored_backup

MARKS = {"ok": "ok", "note": "note", "missing": "MISSING"}


class Command(ContractCommand):
    help = "Check the installation and show how to fix what is missing; exits with 1 if a requirement is missing."
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--restore-latest",
            type=Path,
            metavar="FOLDER",
            help="also restore the newest backup of this folder into an empty place, and compare",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        findings = examine()
        if options["restore_latest"]:
            findings = [*findings, restored_backup(options["restore_latest"])]
        well = is_well(findings)
        report = {"ok": well, "checks": [finding.as_json() for finding in findings]}
        self.report(report, as_json=options["json"], text="\n".join(map(in_words, findings)))
        if not well:
            lacking = ", ".join(finding.name for finding in findings if finding.state == "missing")
            self.refuse(f"Missing: {lacking}.")


def in_words(finding: Diagnosis) -> str:
    line = f"{MARKS[finding.state]:<8}{finding.name:<18}{finding.found}"
    return f"{line}\n{'':26}{finding.remedy}" if finding.remedy else line
