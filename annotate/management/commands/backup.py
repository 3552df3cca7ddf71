from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotate.audit.trail import record_reading
from annotate.errors import Refused
from annotate.management.command import ContractCommand
from annotate.upkeep import backups


class Command(ContractCommand):
    help = "Write the whole installation (rows, accounts, files) into one archive."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path, help="a new file, such as touchstone-2026-01-31.zip")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            manifest = backups.write(path)
        except Refused as refused:
            self.refuse(str(refused))
        record_reading("read.backup", None, file=path.name)
        rows = sum(table["rows"] for table in manifest["tables"].values())
        files, size = len(manifest["files"]), path.stat().st_size
        self.report(
            {"file": str(path), "rows": rows, "files": files, "bytes": size},
            as_json=options["json"],
            text=f"Wrote {rows} rows and {files} files into {path} ({size:,} bytes). "
            "It contains password hashes: store it where only you can read it.",
        )
