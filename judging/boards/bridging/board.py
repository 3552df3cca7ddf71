"""Bridging report: the same pairs judged by a judge's own criteria and by those recovered from others' judgements."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from annotate.models import Project
from annotate.web.access import LEADS, REVIEWERS
from judging.boards.board import POST, Board, Place, SubPage
from judging.boards.bridging import pages
from judging.boards.bridging.numbers import OUTCOMES, BridgingRow, Compare, compare_bridging
from judging.boards.bridging.stages import BridgingProgress, progress
from judging.boards.bridging.tags import takes_judgements
from judging.boards.options import BoardOptions
from judging.boards.report import FIGURES, Refused, Report, ReportOptions, ReportOutput, figure_value, hundredths, table
from lib.stats.consistency import OrderCounts
from lib.stats.figures import Figure
from lib.stats.paired import WHY

LEAST_P = 0.001  # a smaller p value is shown as "below", not as 0.000
HEADER = ["judge", "set", "n", "before", "after", "gain", "interval", "p", "left out"]


class Bridging(Report):
    slug = "bridging"
    about = "judgements without criteria: progress, and whether recovered criteria improve agreement"
    divisions = ("set",)

    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        far = progress(project)
        if not far.total:
            raise Refused("No item has an imported judgement: import some (import_items --format autoj, …).")
        comparison = compare_bridging(project, by_set=options.by == "set")
        rows = [row for row in comparison.rows if options.judge in ("", row.judge, row.judge.partition(" · ")[0])]
        value = {
            "progress": {
                "total": far.total,
                "stages": dict(far.counts),
                "sets": [_set(progress_set) for progress_set in far.sets],
            },
            "original": _figure(comparison.original),
            "rows": [as_json(row) for row in rows],
        }
        if not rows:
            value["note"] = "No judge has judged with both its own and recovered criteria."
        return ReportOutput(value, _text(far, comparison, rows))


def _set(progress_set: Any) -> dict[str, Any]:
    return {
        "judge": progress_set.judge,
        "style": progress_set.style,
        "items": progress_set.total,
        "stages": dict(progress_set.counts),
    }


def as_json(row: BridgingRow) -> dict[str, Any]:
    """set: null for all sets. gain: of agreement, after minus before, in points; wins and losses are pairs."""
    outcomes = {name: len(row.items(name)) for name in OUTCOMES}
    return {
        "judge": row.judge,
        "simulated": row.simulated,
        "set": row.group or None,
        "n": len(row.seen),
        "before": _orders(row.before),
        "after": _orders(row.after),
        "gain": _figure(row.gain),
        "p": row.test.p,
        "test": {"name": row.test.test, "clusters": row.test.clusters, "why": WHY[row.test.test]},
        "pairs": outcomes,
        "left_out": {why: len(items) for why, items in row.left_out.items()},
    }


def _orders(orders: OrderCounts) -> dict[str, Any]:
    return {name: figure_value(getattr(orders, name)) for name in FIGURES}


def _figure(figure: Figure) -> dict[str, Any]:
    bounds = [None if bound is None else hundredths(bound) for bound in (figure.low, figure.high)]
    row: dict[str, Any] = {"value": figure_value(figure), "low": bounds[0], "high": bounds[1], "n": figure.n}
    return row | ({"note": figure.note} if figure.value is None else {})


def _text(far: BridgingProgress, comparison: Compare, rows: list[BridgingRow]) -> str:
    stages = ", ".join(f"{stage.replace('_', ' ')} {count}" for stage, count in far.counts.items() if count)
    lines = [f"{far.total} judgements without criteria: {stages}."]
    if comparison.original.value is not None:
        agree = hundredths(comparison.original.value)
        lines.append(
            f"The original verdicts agree with people in {agree:.2f} % of {comparison.original.n} approved pairs."
        )
    if not rows:
        return "\n".join([*lines, "No judge has judged with both its own and recovered criteria."])
    about = "Per cent of n pairs on which the judge is consistent in both orders and agrees with the human label."
    tests = dict.fromkeys(f"p: {WHY[row.test.test]}." for row in rows)
    return "\n".join([*lines, "", about, *tests, "", table(HEADER, [_cells(row) for row in rows], left=2)])


def _cells(row: BridgingRow) -> list[str]:
    gain, p = row.gain, row.test.p
    interval = "" if gain.low is None or gain.high is None else f"{100 * gain.low:.1f} to {100 * gain.high:.1f}"
    shares = [_number(row.before.agreement), _number(row.after.agreement), _number(gain)]
    skip_count, chance = sum(map(len, row.left_out.values())), f"{p:.3f}" if p >= LEAST_P else f"<{LEAST_P}"
    return [row.judge, row.group, str(len(row.seen)), *shares, interval, chance, str(skip_count)]


def _number(figure: Figure) -> str:
    return "" if figure.value is None else f"{hundredths(figure.value):.2f}"


BOARD: Board[BoardOptions, None] = Board(
    slug="bridging",
    name=_("Bridging"),
    suits=takes_judgements,
    place=Place(40),
    sub_pages=(
        SubPage("bridging/", "bridging", pages.bridging),
        SubPage("bridging/make/", "bridging_make", pages.bridging_make, roles=LEADS, methods=POST),
        SubPage("bridging/approve/", "bridging_approve", pages.bridging_approve, roles=LEADS, methods=POST),
        SubPage("bridging/next/", "bridging_next", pages.bridging_next, roles=REVIEWERS, methods=POST),
        SubPage("bridging/take/<int:pk>/", "bridging_take", pages.bridging_take, roles=REVIEWERS, methods=POST),
        SubPage("bridging/gain/", "bridging_gain", pages.bridging_gain),
        SubPage("bridging/gain/items/", "bridging_gain_items", pages.bridging_gain_items),
    ),
    saves_views=False,
    reports=(Bridging(),),
)
