"""Blind spots: the share of perturbations that each judge did not notice, by category and ability (FBI)."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotate.models import Project
from annotate.web.access import REVIEWERS
from judging.access import has_blind_spots
from judging.boards.blindspots.numbers import BlindSpots, Column, blind_spots, judges_of
from judging.boards.blindspots.page import BlindSpotOptions, blindspots, spot_columns
from judging.boards.blindspots.sighting_pages import (
    blindspot_check,
    blindspot_checked,
    blindspot_explanations,
    blindspot_pairs,
)
from judging.boards.board import Board, Place, SubPage
from judging.boards.needs import PERTURBED
from judging.boards.report import Refused, Report, ReportOptions, ReportOutput, table
from lib.stats.blindspots import UNPARSED, OutcomeTally

FROM_FILE = "file"
HEADER = ["judge", "strategy", "ability", "category", "undetected", "95 %", "of", "n", "unread", "with expl."]


class BlindSpotsReport(Report):
    slug = "blindspots"
    about = "share of perturbed answers that judges did not notice, as in FBI, with intervals"

    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        judges = judges_of(project)
        if options.judge:
            judges = [judge for judge in judges if options.judge in (judge.name, str(judge))]
        blindspots = blind_spots(project, judges)
        if not blindspots.columns:
            raise Refused(_nothing(options))
        return ReportOutput(as_json(blindspots), _text(blindspots))


def _nothing(options: ReportOptions) -> str:
    if options.judge:
        return f"No judge “{options.judge}” has a verdict on a current perturbed answer."
    return (
        "There are no verdicts on perturbed answers yet: import judgements (import_judgements --format "
        "fbi) or run a judge."
    )


def as_json(blindspots: BlindSpots) -> dict[str, Any]:
    """Shares of 0 to 1, unrounded."""
    columns = blindspots.columns
    return {
        "rows": [row(column, cell, spot[0], spot[1]) for column in columns for spot, cell in column.cells.items()],
        "totals": [row(column, cell, ability) for column in columns for ability, cell in column.by_ability.items()],
    }


def row(column: Column, cell: OutcomeTally, ability: str, category: str | None = None) -> dict[str, Any]:
    """One cell; without a category the total of an ability."""
    header = {"judge": column.name, "strategy": column.strategy, "ability": ability}
    return {
        **header,
        **({} if category is None else {"category": category}),
        "n": cell.n,
        "parsed": cell.parsed,
        "undetected": cell.undetected,
        "share": cell.share,
        "interval": list(cell.interval) if cell.interval else None,
        "counts": {outcome: cell.counts[outcome] for outcome in (*cell.shape.outcomes, UNPARSED)},
        "with_explanations": cell.with_explanations,
        "explanations_read": [source or FROM_FILE for source in column.found_from],
    }


def _text(blindspots: BlindSpots) -> str:
    lines = []
    for column in blindspots.columns:
        for ability, total in column.by_ability.items():
            spots = [(spot, cell) for spot, cell in column.cells.items() if spot[0] == ability]
            lines += [_cells(column, cell, ability, category) for (_ability, category), cell in spots]
            lines.append(_cells(column, total, ability, "all"))
    about = "Share of perturbations not noticed; lower is better, except for score-invariant edits."
    return "\n".join([about, "", table(HEADER, lines, left=4), *_readers(blindspots.columns)])


def _readers(columns: Sequence[Column]) -> list[str]:
    """The readers of explanations, if there were any: different kinds of readers give different numbers."""
    lines = [f"{column.name}, {column.strategy}: {', '.join(column.readers)}" for column in columns if column.readers]
    return ["", "What the model that read explanations saw:", *lines] if lines else []


def _cells(column: Column, cell: OutcomeTally, ability: str, category: str) -> list[str]:
    interval = cell.interval
    return [
        column.name,
        column.strategy,
        ability,
        category,
        _share(cell.share),
        f"{interval[0]:.2f}–{interval[1]:.2f}" if interval else "",
        f"{cell.undetected}/{cell.divisor}",
        str(cell.n),
        str(cell.counts[UNPARSED]),
        _share(cell.with_explanations),
    ]


def _share(value: float | None) -> str:
    """Two decimals, half up, as the published tables round."""
    return "" if value is None else str(Decimal(repr(value)).quantize(Decimal("0.01"), ROUND_HALF_UP))


BOARD = Board(
    slug="blindspots",
    name=_("Blind spots"),
    suits=has_blind_spots,
    place=Place(30, asks=_("What do judges miss?"), needs=(PERTURBED,)),
    Options=BlindSpotOptions,
    numbers=spot_columns,
    state=None,
    page=blindspots,
    template="blindspots/blindspots.html",
    formats=(),
    sub_pages=(
        SubPage("blindspots/pairs/", "blindspot_pairs", blindspot_pairs),
        SubPage("blindspots/explanations/", "blindspot_explanations", blindspot_explanations),
        SubPage(
            "blindspots/explanations/check/",
            "blindspot_check",
            blindspot_check,
            roles=REVIEWERS,
            methods=("GET", "HEAD", "POST"),
        ),
        SubPage("blindspots/explanations/checked/", "blindspot_checked", blindspot_checked),
    ),
    reports=(BlindSpotsReport(),),
)
