from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from annotate.audit.trail import as_json, entries_of, verify
from annotate.management.command import ContractCommand
from annotate.models import AuditEntry


class Command(ContractCommand):
    help = "List the audit trail, newest first, or verify its chain: what leads, administrators and commands changed."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--project", metavar="SLUG", help="only entries of this project")
        parser.add_argument("--verify", action="store_true", help="verify the whole chain instead of listing it")
        parser.add_argument("--most", type=int, default=100, metavar="N", help="entries listed (default: 100)")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["verify"]:
            self._verify(as_json=options["json"])
            return
        project = self.project(options["project"]) if options["project"] else None
        entries = list(entries_of(project)[: max(options["most"], 0)])
        value = {"entries": [as_json(entry) for entry in entries]}
        self.report(value, as_json=options["json"], text="\n".join(_lines(entries)) or "No entries.")

    def _verify(self, *, as_json: bool) -> None:
        result = verify()
        value = {"ok": result.holds, "entries": result.entries, "last_hash": result.last_hash}
        if result.holds or as_json:
            text = f"The chain is intact: {result.entries} entries, last hash {result.last_hash or '–'}."
            self.report(value | {"problem": result.problem}, as_json=as_json, text=text)
        if not result.holds:
            self.refuse(f"{result.problem} Compare with a backup: up to entry {result.entries} the chain is intact.")


def _lines(entries: list[AuditEntry]) -> Iterator[str]:
    for entry in entries:
        place = entry.project_slug or "–"
        person = f"{entry.account or '–'} ({entry.role or '–'})"
        yield f"{entry.number} {entry.at:%Y-%m-%d %H:%M:%S} {place} {person} {entry.verb} {entry.subject_key}"
