from typing import Any

from django.core.management.base import CommandParser

from annotate.formats.chatlog.conversations import scenarios_of
from annotate.intake import duplicate_search
from annotate.management.command import ContractCommand


class Command(ContractCommand):
    help = "Find near-duplicate items of a project, and list the undecided pairs."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        least = f"minimum similarity, above 0 and up to 1; default: {duplicate_search.THRESHOLD}"
        parser.add_argument("--threshold", type=_share, default=duplicate_search.THRESHOLD, help=least)
        parser.add_argument(
            "--limit", type=int, default=1000, help="maximum number of pairs listed, most similar first"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.project(options["slug"])
        if not scenarios_of(project.kind_slug):
            self.refuse(f"Items of the kind {project.kind_slug} are not compared.")
        search = duplicate_search.search_now(project, threshold=options["threshold"])
        pair_query = duplicate_search.pairs_of(project)
        pairs = [
            {"first": pair.first.key, "second": pair.second.key, "likeness": pair.likeness,
             "participants": pair.participants or None}  # type: ignore[attr-defined]  # annotated by pairs_of
            for pair in pair_query.select_related("first", "second")[: max(options["limit"], 0)]
        ]  # fmt: skip
        open_pairs = pair_query.count()
        lines = [f"{pair['likeness']:.2f}  {pair['first']}  {pair['second']}" for pair in pairs]
        text = "\n".join([*lines, f"{search.items} items compared, {open_pairs} undecided pairs"])
        report = {"items": search.items, "threshold": search.threshold, "open": open_pairs, "pairs": pairs}
        self.report(report, as_json=options["json"], text=text)


def _share(text: str) -> float:
    value = float(text)
    if not 0 < value <= 1:
        raise ValueError(text)
    return value
