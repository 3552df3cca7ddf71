from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotate.management.command import ContractCommand, collect_garbage_rarely
from judging.boards.agreement.numbers import as_json as headline_json
from judging.boards.agreement.numbers import headline
from judging.boards.agreement.terminal import comparison_as_json as beside_told
from judging.boards.agreement.terminal import release_as_text as beside_in_words
from judging.boards.agreement.terminal import table_as_text
from judging.ratings.comparisons import figures_of, grid
from judging.ratings.rating_subjects import ComparisonOptions
from judging.ratings.release_rows import BadRatingFile, read_ratings, read_release
from lib.stats.agreement import LEVELS, NAMES, RESAMPLES, SEED, coefficients
from lib.stats.agreement.coefficients import as_json, matrix


class Command(ContractCommand):
    help = 'Agreement between raters, from JSON lines {"unit","rater","value"}; also gzipped. Needs no project.'

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--level", choices=LEVELS, default="nominal", help="level of measurement; default: nominal")
        parser.add_argument(
            "--resamples",
            type=whole_number,
            default=RESAMPLES,
            help="number of resamples for intervals; 0: no intervals",
        )
        parser.add_argument("--seed", type=whole_number, default=SEED, help="seed of the resamples")
        parser.add_argument(
            "--beside",
            choices=NAMES,
            metavar="COEFFICIENT",
            help="for a file of export_ratings: compare people with judges, and each pair of raters; "
            f"one of {', '.join(NAMES)}",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collect_garbage_rarely()
        try:
            table = read_ratings(Path(options["file"]), options["level"])
        except BadRatingFile as fault:
            self.refuse(f"{options['file']}: {fault}")
        coefficient_by_name = coefficients(table, resamples=options["resamples"], seed=options["seed"])
        summary = {
            "units": len(table.units),
            "raters": len(table.raters),
            "ratings": table.count,
            "skipped": dict(table.skipped),
            "level": table.level,
            "resamples": options["resamples"],
            "seed": options["seed"],
            "coefficients": {name: as_json(coefficient) for name, coefficient in coefficient_by_name.items()},
            "matrix": matrix(table),
        }
        text = table_as_text(summary)
        if options["beside"]:
            summary["beside"] = self._beside(options)
            text = "\n".join([text, "", *beside_in_words(summary["beside"])])
        self.report(summary, as_json=options["json"], text=text)

    def _beside(self, options: dict[str, Any]) -> dict[str, Any]:
        """The numbers of the page of agreement, out of the same code."""
        wish = ComparisonOptions(options["beside"], options["level"], "", options["resamples"], options["seed"])
        try:
            release = read_release(Path(options["file"]))
        except BadRatingFile as fault:
            self.refuse(f"{options['file']}: {fault}")
        comparison = beside_told(figures_of(release, grid(release, wish.level), wish), wish.coefficient)
        return comparison | {"headline": headline_json(headline(release, wish.level))}


def whole_number(text: str) -> int:
    """A whole number from 0; anything else is wrong usage."""
    if (number := int(text)) < 0:
        raise ValueError(text)
    return number
