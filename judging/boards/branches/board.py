"""Branches, and their report: agreement, consistency and accuracy by the first one, two, … criteria, 0..100."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from annotate.models import Project
from judging.access import goes_by_branches
from judging.boards.board import Board, Place, SubPage
from judging.boards.branches import decisive_criteria, gain, pages, systems
from judging.boards.needs import CRITERIA
from judging.boards.report import FIGURES, Refused, Report, ReportOptions, ReportOutput, figure_value, hundredths, table
from judging.ratings.branch_pairs import DIVISIONS, BranchCurvePoint, Curve, Curves, curves, labels_of

HEADER = ["judge", "group", "criteria", "n", "agreement", "consistency", "acc. first order", "acc. consistent"]
NOTES = (
    "Every number is made of stored scores: no call was sent.",
    "Agreement: the same in both orders and equal to people's label, of all pairs.",
)


class CurvesReport(Report):
    slug = "curves"
    about = "agreement, consistency and accuracy of branching judges by the number of criteria, from stored scores"
    divisions = DIVISIONS

    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        all_curves = curves(project, options.by)
        whole = [curve for curve in all_curves.all if options.judge in ("", curve.judge.name, str(curve.judge))]
        groups = [curve for curve in all_curves.groups if options.judge in ("", curve.judge.name, str(curve.judge))]
        if not whole:
            raise Refused("No judge has gone through criteria of pairs here: judge with --strategy branching first.")
        with_ties = [curve for curve in whole if curve.ties]
        value: dict[str, Any] = {
            "rows": [row for curve in with_ties for row in rows_of(curve)],
            "without_ties": [row for curve in whole if not curve.ties for row in rows_of(curve)],
            "groups": [row for curve in groups for row in rows_of(curve)],
            "left_out": [
                {"judge": str(curve.judge), "pairs": dict(curve.left_out)} for curve in with_ties if curve.left_out
            ],
            "calls": 0,
            "notes": notes(all_curves),
        }
        return ReportOutput(value, _text(whole, groups, notes(all_curves)))


def rows_of(curve: Curve) -> list[dict[str, Any]]:
    """One for each number of criteria. labels: kept or exchanged in the other order; null where there is none."""
    return [_row(curve, point) for point in curve.points]


def _row(curve: Curve, point: BranchCurvePoint) -> dict[str, Any]:
    figures = {name: getattr(point.orders, name) for name in FIGURES}
    return {
        "judge": str(curve.judge),
        "model": curve.judge.name,
        "strategy": curve.judge.strategy,
        "simulated": curve.judge.simulated,
        "labels": labels_of(curve.judge) or None,
        "group": curve.group,
        "branches": point.branches,
        "n": point.orders.n,
        **{name: figure_value(figure) for name, figure in figures.items()},
        "interval": {
            name: None if figure.low is None else [hundredths(figure.low), hundredths(figure.high or 0.0)]
            for name, figure in figures.items()
        },
        "fewer": point.fewer,
    }


def notes(all_curves: Curves) -> list[str]:
    note_lines = list(NOTES)
    if not all_curves.labelled:
        note_lines.append("Nobody has said which answers are better: judges are only held to themselves.")
    for curve in all_curves.all:
        if curve.ties and curve.left_out:
            reasons = ", ".join(f"{count} with {why}" for why, count in sorted(curve.left_out.items()))
            note_lines.append(f"{curve.judge}: pairs left out: {reasons}.")
    note_lines += [
        f"{curve.judge}: in the other order labels are {labels_of(curve.judge)}."
        for curve in all_curves.all
        if curve.ties and labels_of(curve.judge)
    ]
    return note_lines


def _text(whole: list[Curve], groups: list[Curve], note_lines: list[str]) -> str:
    parts = []
    for heading, section_curves in (
        ("All pairs", [curve for curve in whole if curve.ties]),
        ("Without pairs on which people say “equal”", [curve for curve in whole if not curve.ties]),
        ("By group", groups),
    ):
        if section_curves:
            cells = [_cells(curve, point) for curve in section_curves for point in curve.points]
            parts += [heading, "", table(HEADER, cells, left=2), ""]
    return "\n".join([*parts, *note_lines])


def _cells(curve: Curve, point: BranchCurvePoint) -> list[str]:
    shares = [figure_value(getattr(point.orders, name)) for name in FIGURES]
    share_cells = ["" if share is None else f"{share:.2f}" for share in shares]
    return [str(curve.judge), curve.group or "", str(point.branches), str(point.orders.n), *share_cells]


REPORT = CurvesReport()


BOARD = Board(
    slug="branches",
    name=_("Branches"),
    names_authors=False,
    shows_agreement=True,
    place=Place(50, asks=_("How many criteria does a judge need?"), needs=(CRITERIA,), led_to=goes_by_branches),
    Options=pages.CurveOptions,
    numbers=pages.judge_curves,
    state=None,
    page=pages.branches_page,
    template="branches/curves.html",
    formats=(),
    sub_pages=(
        SubPage("branches/pairs/", "branch_pairs", pages.branch_pairs),
        SubPage("branches/criteria/", "branch_criteria", pages.branch_criteria),
        SubPage("branches/gain/", "branch_gain", pages.branch_gain),
        SubPage("branches/gain/items/", "branch_corrections", pages.branch_corrections),
        SubPage("branches/systems/", "branch_systems", pages.branch_systems),
    ),
    saves_views=False,
    reports=(REPORT, decisive_criteria.REPORT, gain.REPORT, systems.REPORT),
)
