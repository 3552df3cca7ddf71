import json
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotate.management.command import ContractCommand
from annotate.releases.files import write_whole
from judging.management.commands.agreement import whole_number
from judging.ratings.preferences import training_pairs


class Command(ContractCommand):
    help = "Write pairs for preference training from human votes: prompt, chosen, rejected, margin, votes."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("--out", required=True, metavar="FILE.jsonl")
        parser.add_argument("--least", type=whole_number, default=1, help="minimum votes per pair")

    def handle(self, *args: Any, **options: Any) -> None:
        project, out = self.project(options["slug"]), Path(options["out"])
        count_by_reason: Counter[str] = Counter()
        rows = list(training_pairs(project, least=options["least"], left_out=count_by_reason))
        if not rows:
            why = (
                ", ".join(f"{count} {reason}" for reason, count in sorted(count_by_reason.items()))
                or "there are no votes"
            )
            self.refuse(f"No pair has a majority of votes ({why}); nothing was written.")
        try:
            write_whole(out, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode())
        except OSError as fault:
            self.refuse(f"{out}: {fault.strerror}.")
        summary = {"file": str(out), "pairs": len(rows), "left_out": dict(count_by_reason)}
        self.report(summary, as_json=options["json"], text=_text(summary))


def _text(summary: dict[str, Any]) -> str:
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(summary["left_out"].items())) or "nothing"
    return f"{summary['pairs']} pairs in {summary['file']}; left out: {reasons}."
