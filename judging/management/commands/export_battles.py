from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotate.management.command import ContractCommand
from annotate.releases.files import line_of, write_pieces
from judging.ratings.preferences import battle_rows


class Command(ContractCommand):
    help = "Write battles between two models by person and judge, as rows for `ranking` and other arena tools."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("--out", required=True, metavar="FILE.jsonl")

    def handle(self, *args: Any, **options: Any) -> None:
        project, out = self.project(options["slug"]), Path(options["out"])
        count_by_reason: Counter[str] = Counter()
        rows = list(battle_rows(project, count_by_reason))
        why = ", ".join(f"{count} {reason}" for reason, count in sorted(count_by_reason.items()) if count) or "nothing"
        if not rows:
            self.refuse(f"There are no battles (left out: {why}); nothing was written.")
        try:
            sha256 = write_pieces(out, map(line_of, rows))
        except OSError as fault:
            self.refuse(f"{out}: {fault.strerror}.")
        counted = {reason: count for reason, count in count_by_reason.items() if count}
        summary = {"file": str(out), "battles": len(rows), "sha256": sha256, "left_out": counted}
        self.report(summary, as_json=options["json"], text=f"{len(rows)} battles in {out}; left out: {why}.")
