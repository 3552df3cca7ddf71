"""Agreement, consistency and accuracy of judging by the first one, two, … criteria; 0..100 with two decimals."""

from typing import Any

from annotate.models import Project
from judging.services.branches.curves import DIVISIONS, Curve, Curves, Point, curves, labels_of
from judging.services.reports.base import Refused, Report, Wanted, Written
from judging.services.reports.consistency import FIGURES, hundredths, shown
from judging.services.reports.tables import table

HEADER = ["judge", "group", "criteria", "n", "agreement", "consistency", "first order", "of consistent"]
NOTES = (
    "Every number is made of stored scores: no call was sent.",
    "Agreement: the same in both orders and equal to people's label, of all pairs.",
)


class CurvesReport(Report):
    slug = "curves"
    about = "agreement, consistency and accuracy of branching judges by the number of criteria, from stored scores"
    divisions = DIVISIONS

    def write(self, project: Project, wanted: Wanted) -> Written:
        found = curves(project, wanted.by)
        whole = [one for one in found.all if wanted.judge in ("", one.judge.name, str(one.judge))]
        groups = [one for one in found.groups if wanted.judge in ("", one.judge.name, str(one.judge))]
        if not whole:
            raise Refused("No judge has gone through criteria of pairs here: judge with --strategy branching first.")
        with_ties = [one for one in whole if one.ties]
        value: dict[str, Any] = {
            "rows": [row for one in with_ties for row in rows_of(one)],
            "without_ties": [row for one in whole if not one.ties for row in rows_of(one)],
            "groups": [row for one in groups for row in rows_of(one)],
            "left_out": [{"judge": str(one.judge), "pairs": dict(one.left_out)} for one in with_ties if one.left_out],
            "calls": 0,
            "notes": notes(found),
        }
        return Written(value, _text(whole, groups, notes(found)))


def rows_of(one: Curve) -> list[dict[str, Any]]:
    """One for each number of criteria. labels: kept or exchanged in the other order; null where there is none."""
    return [_row(one, point) for point in one.points]


def _row(one: Curve, point: Point) -> dict[str, Any]:
    figures = {name: getattr(point.orders, name) for name in FIGURES}
    return {
        "judge": str(one.judge),
        "model": one.judge.name,
        "strategy": one.judge.strategy,
        "simulated": one.judge.simulated,
        "labels": labels_of(one.judge) or None,
        "group": one.group,
        "branches": point.branches,
        "n": point.orders.n,
        **{name: shown(figure) for name, figure in figures.items()},
        "interval": {
            name: None if one.low is None else [hundredths(one.low), hundredths(one.high or 0.0)]
            for name, one in figures.items()
        },
        "fewer": point.fewer,
    }


def notes(found: Curves) -> list[str]:
    said = list(NOTES)
    if not found.labelled:
        said.append("Nobody has said which answers are better: judges are only held to themselves.")
    for one in found.all:
        if one.ties and one.left_out:
            what = ", ".join(f"{count} with {why}" for why, count in sorted(one.left_out.items()))
            said.append(f"{one.judge}: pairs left out: {what}.")
    said += [
        f"{one.judge}: in the other order labels are {labels_of(one.judge)}."
        for one in found.all
        if one.ties and labels_of(one.judge)
    ]
    return said


def _text(whole: list[Curve], groups: list[Curve], said: list[str]) -> str:
    parts = []
    for heading, chosen in (
        ("All pairs", [one for one in whole if one.ties]),
        ("Without pairs on which people say “equal”", [one for one in whole if not one.ties]),
        ("By group", groups),
    ):
        if chosen:
            cells = [_cells(one, point) for one in chosen for point in one.points]
            parts += [heading, "", table(HEADER, cells, left=2), ""]
    return "\n".join([*parts, *said])


def _cells(one: Curve, point: Point) -> list[str]:
    shares = [shown(getattr(point.orders, name)) for name in FIGURES]
    told = ["" if share is None else f"{share:.2f}" for share in shares]
    return [str(one.judge), one.group or "", str(point.branches), str(point.orders.n), *told]


REPORT = CurvesReport()
