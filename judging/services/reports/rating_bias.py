"""Rating bias of judges (URS): how far above or below 8 they put answers that are as good as their references."""

from typing import Any

from annotate.models import Project
from judging.services.rating_bias import BiasRow, rating_biases
from judging.services.reports.base import Refused, Report, Wanted, Written
from judging.services.reports.tables import table
from lib.stats.figures import Figure

HEADER = ["judge", "author", "bias", "95 %", "n"]
ABOUT = (
    "Bias: mean over authors of the judge's mean score for their second answers, with their own first answers as the "
    "references worth 8, less 8. 0: on the scale that the judge was told."
)
NOTES = [ABOUT, "It assumes that an author's second answer is as good as the first. Intervals are over cases."]


class RatingBiasReport(Report):
    slug = "rating_bias"
    about = "how far each judge is from its scale, by second answers held against the authors' own first ones"

    def write(self, project: Project, options: Wanted) -> Written:
        rows = [row for row in rating_biases(project) if options.judge in ("", row.judge.name, str(row.judge))]
        if not rows:
            raise Refused(_nothing(options))
        value = {"rows": [as_json(row) for row in rows], "notes": NOTES}
        return Written(value, _text(rows))


def _nothing(options: Wanted) -> str:
    if options.judge:
        return f"No judge called “{options.judge}” has scored second answers beside their authors' own first ones."
    return (
        "No judge has scored a second answer beside its author's own first one. Let candidates answer twice "
        "(answer --samples 2), then judge with --strategy intent --own-reference."
    )


def as_json(row: BiasRow) -> dict[str, Any]:
    """One judge, with its authors."""
    return {
        "judge": row.judge.name,
        "strategy": row.judge.strategy,
        "simulated": row.judge.simulated,
        **_figure(row.bias, "bias"),
        "cases": row.cases,
        "authors": [{"author": author_row.author, **_figure(author_row.gap, "bias")} for author_row in row.authors],
        "unread": row.unread,
        "outdated": row.outdated,
    }


def _figure(figure: Figure, name: str) -> dict[str, Any]:
    interval = None if figure.low is None or figure.high is None else [figure.low, figure.high]
    row = {name: figure.value, "interval": interval, "n": figure.n}
    return row | ({"note": figure.note} if figure.note else {})


def _text(rows: list[BiasRow]) -> str:
    lines = []
    for row in rows:
        lines.append([row.judge.name, "mean of authors", *_cells(row.bias)])
        lines += [[row.judge.name, author_row.author, *_cells(author_row.gap)] for author_row in row.authors]
    skip_notes = [
        f"{row.judge.name}: left out {row.unread} answers that could not be read and {row.outdated} outdated verdicts."
        for row in rows
        if row.unread or row.outdated
    ]
    return "\n".join([table(HEADER, lines, left=2), "", *NOTES, *skip_notes])


def _cells(figure: Figure) -> list[str]:
    interval = "" if figure.low is None or figure.high is None else f"{figure.low:+.2f} to {figure.high:+.2f}"
    return ["" if figure.value is None else f"{figure.value:+.2f}", interval, str(figure.n)]


REPORT = RatingBiasReport()
