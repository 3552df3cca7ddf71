from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotate.errors import Refused
from annotate.management.command import ContractCommand
from annotate.upkeep import restoration


class Command(ContractCommand):
    help = "Restore an archive of `backup` into an empty, migrated installation, on SQLite or PostgreSQL."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            manifest = restoration.restore(options["file"])
        except Refused as refused:
            self.refuse(str(refused))
        rows = sum(table["rows"] for table in manifest["tables"].values())
        self.report(
            {"rows": rows, "files": len(manifest["files"]), "made_at": manifest["made_at"]},
            as_json=options["json"],
            text=f"Restored {rows} rows and {len(manifest['files'])} files from {manifest['made_at'][:16]}; "
            "counts and checksums match the backup.",
        )
