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

    def write(self, project: Project, options: Wanted) -> Written:
        system_report = systems(project)
        rankings = [
            ranking
            for ranking in system_report.rankings
            if options.judge in ("", ranking.name, ranking.judge and ranking.judge.name)
        ]
        if not rankings:
            raise Refused("Nobody has scored answers of two authors one at a time: judge with branching-single first.")
        names = {ranking.name for ranking in rankings}
        comparisons = [
            comparison
            for comparison in system_report.beside
            if not options.judge or {comparison.left, comparison.right} & names
        ]
        value = {
            "rows": [_told(ranking) for ranking in (rankings if options.judge else system_report.rankings)],
            "beside": [beside_row(comparison) for comparison in comparisons],
            "resamples": DRAWS,
            "seed": SEED,
            "left_out": {side: dict(reasons) for side, reasons in system_report.left_out.items()},
            "notes": [NOTE],
        }
        return Written(value, _text(rankings, comparisons))


def _told(ranking: Ranking) -> dict[str, Any]:
    """scaled: 0..1 on the scale of whoever scored; scale_from: `options` where the judge names it, else `scores`."""
    return {
        "raters": ranking.name,
        "judge": ranking.judge.name if ranking.judge else None,
        "simulated": bool(ranking.judge and ranking.judge.simulated),
        "scale": list(ranking.scale),
        "scale_from": "options" if ranking.named else "scores",
        "systems": [
            {
                "rank": rank,
                "author": system.author,
                "n": system.mean.n,
                "mean": round(system.mean.value or 0.0, DIGITS),
                "interval": _bounds(system.mean.low, system.mean.high),
                "scaled": round(system.scaled, DIGITS),
            }
            for rank, system in enumerate(ranking.systems, start=1)
        ],
    }


def beside_row(comparison: Beside) -> dict[str, Any]:
    """A coefficient is null where all authors are equal on one side."""
    values = {name: comparison.coefficients[name].value for name in COEFFICIENTS}
    return {
        "raters": [comparison.left, comparison.right],
        "n": comparison.n,
        **{name: None if value is None else round(value, DIGITS) for name, value in values.items()},
        "interval": {name: _bounds(*(comparison.intervals[name] or (None, None))) for name in COEFFICIENTS},
    }


def _bounds(low: float | None, high: float | None) -> list[float] | None:
    return None if low is None or high is None else [round(low, DIGITS), round(high, DIGITS)]


def _text(rankings: list[Ranking], comparisons: list[Beside]) -> str:
    parts = []
    for ranking in rankings:
        cells = [
            [str(rank), system.author, str(system.mean.n), f"{system.mean.value or 0:.2f}", f"{system.scaled:.3f}"]
            for rank, system in enumerate(ranking.systems, start=1)
        ]
        parts += [f"By {ranking.name}", "", table(["rank", "author", "n", "mean", "scaled"], cells, left=2), ""]
    if comparisons:
        rows = [
            [f"{comparison.left} – {comparison.right}", str(comparison.n), *_coefficients(comparison)]
            for comparison in comparisons
        ]
        parts += [table(["rankings", "n", *COEFFICIENTS], rows), "", NOTE]
    return "\n".join(parts).rstrip()


def _coefficients(comparison: Beside) -> list[str]:
    values = [comparison.coefficients[name].value for name in COEFFICIENTS]
    return ["" if value is None else f"{value:.4f}" for value in values]


REPORT = SystemsReport()
