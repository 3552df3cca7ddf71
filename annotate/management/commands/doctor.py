from typing import Any

from annotate.management.command import ContractCommand
from annotate.upkeep.diagnosis import Diagnosis, examine, is_well

MARKS = {"ok": "ok", "note": "note", "missing": "MISSING"}


class Command(ContractCommand):
    help = "Check the installation and show how to fix what is missing; exits with 1 if a requirement is missing."
    requires_migrations_checks = False

    def handle(self, *args: Any, **options: Any) -> None:
        findings = examine()
        well = is_well(findings)
        report = {"ok": well, "checks": [finding.as_json() for finding in findings]}
        self.report(report, as_json=options["json"], text="\n".join(map(in_words, findings)))
        if not well:
            lacking = ", ".join(finding.name for finding in findings if finding.state == "missing")
            self.refuse(f"Missing: {lacking}.")


def in_words(finding: Diagnosis) -> str:
    line = f"{MARKS[finding.state]:<8}{finding.name:<18}{finding.found}"
    return f"{line}\n{'':26}{finding.remedy}" if finding.remedy else line
