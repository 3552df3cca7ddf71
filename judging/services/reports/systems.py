"""Authors ranked by their mean single score, beside how other judges and people rank them."""

from typing import Any

from annotate.models import Project
from judging.services.branches.systems import COEFFICIENTS, Beside, Ranking, systems
from judging.services.reports.base import Refused, Report, Wanted, Written
from judging.services.reports.tables import table
from lib.stats.bootstrap import DRAWS, SEED

DIGITS = 4
NOTE = "Coefficients are over authors, n of them; their intervals over items, the same ones on both sides."


class SystemsReport(Report):
    slug = "systems"
    about = "authors by their mean single score, on one scale beside other judges' and people's rankings, correlated"

    def write(self, project: Project, wanted: Wanted) -> Written:
        found = systems(project)
        chosen = [one for one in found.rankings if wanted.judge in ("", one.name, one.judge and one.judge.name)]
        if not chosen:
            raise Refused("Nobody has scored answers of two authors one at a time: judge with branching-single first.")
        names = {one.name for one in chosen}
        beside = [one for one in found.beside if not wanted.judge or {one.left, one.right} & names]
        value = {
            "rows": [_told(one) for one in (chosen if wanted.judge else found.rankings)],
            "beside": [beside_row(one) for one in beside],
            "resamples": DRAWS,
            "seed": SEED,
            "left_out": {side: dict(reasons) for side, reasons in found.left_out.items()},
            "notes": [NOTE],
        }
        return Written(value, _text(chosen, beside))


def _told(one: Ranking) -> dict[str, Any]:
    """scaled: 0..1 on the scale of whoever scored; scale_from: `options` where the judge names it, else `scores`."""
    return {
        "raters": one.name,
        "judge": one.judge.name if one.judge else None,
        "simulated": bool(one.judge and one.judge.simulated),
        "scale": list(one.scale),
        "scale_from": "options" if one.named else "scores",
        "systems": [
            {
                "rank": rank,
                "author": each.author,
                "n": each.mean.n,
                "mean": round(each.mean.value or 0.0, DIGITS),
                "interval": _bounds(each.mean.low, each.mean.high),
                "scaled": round(each.scaled, DIGITS),
            }
            for rank, each in enumerate(one.systems, start=1)
        ],
    }


def beside_row(one: Beside) -> dict[str, Any]:
    """A coefficient is null where all authors are equal on one side."""
    said = {name: one.coefficients[name].value for name in COEFFICIENTS}
    return {
        "raters": [one.left, one.right],
        "n": one.n,
        **{name: None if value is None else round(value, DIGITS) for name, value in said.items()},
        "interval": {name: _bounds(*(one.intervals[name] or (None, None))) for name in COEFFICIENTS},
    }


def _bounds(low: float | None, high: float | None) -> list[float] | None:
    return None if low is None or high is None else [round(low, DIGITS), round(high, DIGITS)]


def _text(rankings: list[Ranking], beside: list[Beside]) -> str:
    parts = []
    for one in rankings:
        cells = [
            [str(rank), each.author, str(each.mean.n), f"{each.mean.value or 0:.2f}", f"{each.scaled:.3f}"]
            for rank, each in enumerate(one.systems, start=1)
        ]
        parts += [f"By {one.name}", "", table(["rank", "author", "n", "mean", "scaled"], cells, left=2), ""]
    if beside:
        rows = [[f"{one.left} – {one.right}", str(one.n), *_coefficients(one)] for one in beside]
        parts += [table(["rankings", "n", *COEFFICIENTS], rows), "", NOTE]
    return "\n".join(parts).rstrip()


def _coefficients(one: Beside) -> list[str]:
    values = [one.coefficients[name].value for name in COEFFICIENTS]
    return ["" if value is None else f"{value:.4f}" for value in values]


REPORT = SystemsReport()
