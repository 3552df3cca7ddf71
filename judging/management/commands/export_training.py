from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotate.management.command import ContractCommand
from annotate.models import Item
from annotate.releases.actions import ANY, ReleaseFilters, fault_of_splits
from judging.boards.report import table
from judging.training.chats import CONSISTENT, JUDGES, SHARES, TrainingChoice
from judging.training.training_files import rows, write_folder
from judging.training.training_files import table as counts_table


class Command(ContractCommand):
    help = "Write data to train a judge with: a JSON lines file of chats for each step, and preference pairs."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("--out", required=True, metavar="DIR", help="output folder; created if missing")
        parser.add_argument("--state", choices=[ANY, *Item.State.values], default=Item.State.ACCEPTED.value)
        parser.add_argument("--judges", choices=JUDGES, default=CONSISTENT, help="which judge verdicts to include")
        parser.add_argument("--group", action="append", default=[], help="only this group; may be repeated")
        parser.add_argument("--language", action="append", default=[], help="only this language; may be repeated")
        default_split = " ".join(f"{name}={share}" for name, share in SHARES.items())
        parser.add_argument(
            "--split", action="append", default=[], metavar="NAME=SHARE", help=f"default: {default_split}"
        )
        parser.add_argument("--seed", type=int, default=0, help="seed of the splits")
        parser.add_argument("--licence", default="", help="default: the project's")

    def handle(self, *args: Any, **options: Any) -> None:
        project, folder = self.project(options["slug"]), Path(options["out"])
        selection = self._chosen(options)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            manifest = write_folder(
                folder, project, selection, partial(rows, project, selection), licence=options["licence"][:80]
            )
        except OSError as fault:
            self.refuse(f"{folder}: {fault.strerror}. Name a writable folder.")
        header, *lines = counts_table(manifest["counts"])
        value = {name: manifest[name] for name in ("files", "counts", "splits")} | {"folder": str(folder)}
        self.report(value, as_json=options["json"], text=table(header, lines, left=1) + f"\n\nWritten to {folder}.")

    def _chosen(self, options: dict[str, Any]) -> TrainingChoice:
        splits = self.split_shares(options["split"]) or dict(SHARES)
        if fault := fault_of_splits(splits):
            self.misuse(fault)
        filters = ReleaseFilters(options["state"], options["group"], options["language"], splits, options["seed"])
        return TrainingChoice(filters, options["judges"])
