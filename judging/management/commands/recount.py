import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotate.formats.registry import find_format
from annotate.formats.rows import ImportRow
from annotate.management.command import ContractCommand, collect_garbage_rarely
from judging.boards.leaderboard.board import standing_row
from judging.boards.trust.numbers import weigh_judges
from judging.boards.trust.trust_report import trust_as_json as trust_told
from judging.ratings.leaderboards import AuthorStanding, board
from judging.ratings.release import LEADERBOARD, TRUST, manifest_beside
from judging.ratings.release_rows import BadRatingFile, read_scores
from judging.ratings.trust_rows import read_grounds
from lib.stats.alternative_annotator import EPSILON
from lib.stats.averages import as_published

FAULTS = (BadRatingFile, KeyError, TypeError, ValueError, AttributeError)


class Command(ContractCommand):
    help = "Reproduce the numbers of a page from a release of ratings and its manifest: trust, or a leaderboard."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE.jsonl")
        parser.add_argument("--epsilon", type=float, default=EPSILON, metavar="ε", help="trust: margin; default: 0.15")

    def handle(self, *args: Any, **options: Any) -> None:
        collect_garbage_rarely()
        path = Path(options["file"])
        manifest = self._manifest(path)
        counted = {TRUST: self._trust, LEADERBOARD: self._leaderboard}.get(str(manifest.get("of")))
        if counted is None:
            page = manifest.get("of")
            self.refuse(f"{path} is for the page {page}: use `agreement FILE --beside COEFFICIENT` to reproduce it.")
        assert counted is not None
        try:
            summary = counted(self._rows(path), manifest, options)
        except FAULTS as fault:
            self.refuse(f"{path} is not a valid release ({fault!r}): check it against its manifest with verify.")
        self.report(summary, as_json=options["json"], text=json.dumps(summary, ensure_ascii=False, indent=2))

    def _manifest(self, path: Path) -> dict[str, Any]:
        try:
            manifest = json.loads(manifest_beside(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as fault:
            self.refuse(f"{manifest_beside(path)} cannot be read: {fault}. It must be in the same folder as the file.")
        return manifest if isinstance(manifest, dict) else {}

    def _rows(self, path: Path) -> list[dict[str, Any]]:
        rows = []
        for row in find_format("jsonl").read(path):
            if not isinstance(row, ImportRow):
                self.refuse(f"{path}:{row.line or ''} {row.message}")
            else:
                rows.append(row.value)
        return rows

    def _trust(self, rows: list[dict[str, Any]], manifest: Mapping[str, Any], options: Any) -> dict[str, Any]:
        grounds = read_grounds(rows, manifest)
        return trust_told(weigh_judges(grounds, options["epsilon"]), grounds.given)

    def _leaderboard(self, rows: list[dict[str, Any]], manifest: Mapping[str, Any], options: Any) -> dict[str, Any]:
        leaderboard = board(read_scores(rows, manifest))
        return {
            "judge": str(leaderboard.judge),
            "columns": list(leaderboard.columns),
            "rows": [standing_row(standing) | _all_columns(standing) for standing in leaderboard.standings],
            "outdated": leaderboard.outdated,
            "unjudged": leaderboard.unjudged,
        }


def _all_columns(standing: AuthorStanding) -> dict[str, Any]:
    """Every column with its interval, and the range of ranks, as the page has them."""
    values = {name: None if value is None else as_published(value) for name, value in standing.values.items()}
    bounds = {
        name: [as_published(bound) for bound in pair] if pair else None for name, pair in standing.intervals.items()
    }
    return {"values": values, "interval": bounds, "ranks": list(standing.ranks) if standing.ranks else None}
