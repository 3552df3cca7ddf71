from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotate.management.command import ContractCommand, collect_garbage_rarely
from judging.boards.ranking.battle_files import BadBattleFile, read_battles, read_scores
from judging.boards.ranking.ranking_report import in_words
from judging.management.commands.agreement import whole_number
from lib.stats.bootstrap import DRAWS, SEED
from lib.stats.ranking.report import SHOWN, as_json, beside, beside_row, matrix, side
from lib.stats.ranking.standings import ranking


class Command(ContractCommand):
    help = (
        "Rank models by Bradley-Terry from a file of battles, JSON lines or CSV with left, right and winner (left, "
        "right or tie); also gzipped. Needs no project."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE")
        parser.add_argument(
            "--davidson", action="store_true", help="model ties separately (Davidson); default: half a win each"
        )
        parser.add_argument(
            "--beside", metavar="FILE", help="correlate with a leaderboard: name and score of each model"
        )
        parser.add_argument(
            "--resamples", type=whole_number, default=DRAWS, help="number of resamples for intervals; 0: no intervals"
        )
        parser.add_argument("--seed", type=whole_number, default=SEED, help="seed of the resamples")

    def handle(self, *args: Any, **options: Any) -> None:
        collect_garbage_rarely()
        try:
            battles = read_battles(Path(options["file"]))
            scores = read_scores(Path(options["beside"])) if options["beside"] else None
        except BadBattleFile as fault:
            self.refuse(f"{options['file']}: {fault}")
        ranked = ranking(battles, davidson=options["davidson"], count=options["resamples"], seed=options["seed"])
        summary = as_json(ranked) | {"position": side(ranked), "win_rates": matrix(ranked)}
        text = in_words(ranked)
        if scores is not None:
            summary["beside"] = beside_row(beside(ranked, scores))
            text += f"\n\nCorrelation with {options['beside']}: {_correlations(summary['beside'])}"
        self.report(summary, as_json=options["json"], text=text)


def _correlations(row: dict[str, Any]) -> str:
    parts = [_with_interval(name, row[name]) for name in SHOWN if row[name]["value"] is not None]
    return f"{', '.join(parts) or 'nothing to correlate'}; n = {row['kendall']['n']} models."


def _with_interval(name: str, correlation: dict[str, Any]) -> str:
    bounds = (
        f" ({correlation['interval'][0]:.4f} to {correlation['interval'][1]:.4f})" if correlation["interval"] else ""
    )
    return f"{name} {correlation['value']:.4f}{bounds}"
