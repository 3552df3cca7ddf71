from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotate.management.command import ContractCommand
from annotate.releases.verify_files import verify


class Command(ContractCommand):
    help = "Check a released file, or a folder of training data, against its manifest, and validate every row."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE.jsonl", help="or the folder of export_training")

    def handle(self, *args: Any, **options: Any) -> None:
        verification = verify(Path(options["file"]))
        digest = f", SHA-256 {verification.sha256}" if verification.sha256 else ""
        words = f"{verification.rows} rows{digest}: matches the manifest." if verification.holds else ""
        if verification.holds or options["json"]:
            self.report(verification.as_json(), as_json=options["json"], text=words)
        if not verification.holds:
            self.refuse("\n".join(verification.differences))
