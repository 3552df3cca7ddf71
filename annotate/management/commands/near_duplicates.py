from typing import Any

from django.core.management.base import CommandParser

from annotate.management.command import ContractCommand
from annotate.services import near_duplicates


class Command(ContractCommand):
    help = "Look for items of a project that ask nearly the same, and list the pairs that nobody has decided about."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        least = f"how alike, above 0 and up to 1; {near_duplicates.THRESHOLD} without it"
        parser.add_argument("--threshold", type=_share, default=near_duplicates.THRESHOLD, help=least)
        parser.add_argument("--limit", type=int, default=1000, help="so many pairs are listed, the most alike first")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.project(options["slug"])
        if not near_duplicates.suits(project):
            self.refuse(f"Items of the kind {project.kind_slug} are not compared.")
        done = near_duplicates.search_now(project, threshold=options["threshold"])
        found = near_duplicates.pairs_of(project)
        pairs = [
            {"first": one.first.key, "second": one.second.key, "likeness": one.likeness,
             "participants": one.participants or None}  # type: ignore[attr-defined]  # annotated by pairs_of
            for one in found.select_related("first", "second")[: max(options["limit"], 0)]
        ]  # fmt: skip
        open_pairs = found.count()
        lines = [f"{one['likeness']:.2f}  {one['first']}  {one['second']}" for one in pairs]
        text = "\n".join([*lines, f"{done.items} items compared, {open_pairs} pairs to decide about"])
        told = {"items": done.items, "threshold": done.threshold, "open": open_pairs, "pairs": pairs}
        self.report(told, as_json=options["json"], text=text)


def _share(text: str) -> float:
    value = float(text)
    if not 0 < value <= 1:
        raise ValueError(text)
    return value
