from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotate.management.command import ContractCommand, collect_garbage_rarely
from judging.metrics.agreement import LEVELS, RESAMPLES, SEED, coefficients
from judging.metrics.agreement.told import as_json, matrix
from judging.services.rating_files import BadFile, read
from judging.services.rating_tables import in_words


class Command(ContractCommand):
    help = 'How far raters agree, out of JSON lines {"unit","rater","value"}; also gzipped. Needs no project.'

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--level", choices=LEVELS, default="nominal", help="what values are; default: nominal")
        parser.add_argument("--resamples", type=whole_number, default=RESAMPLES, help="for intervals; 0: none")
        parser.add_argument("--seed", type=whole_number, default=SEED, help="of the resamples")

    def handle(self, *args: Any, **options: Any) -> None:
        collect_garbage_rarely()
        try:
            table = read(Path(options["file"]), options["level"])
        except BadFile as fault:
            self.refuse(f"{options['file']}: {fault}")
        found = coefficients(table, resamples=options["resamples"], seed=options["seed"])
        told = {
            "units": len(table.units),
            "raters": len(table.raters),
            "ratings": table.count,
            "skipped": dict(table.skipped),
            "level": table.level,
            "resamples": options["resamples"],
            "seed": options["seed"],
            "coefficients": {name: as_json(one) for name, one in found.items()},
            "matrix": matrix(table),
        }
        self.report(told, as_json=options["json"], text=in_words(told))


def whole_number(text: str) -> int:
    """A whole number from 0; anything else is wrong usage."""
    if (number := int(text)) < 0:
        raise ValueError(text)
    return number
