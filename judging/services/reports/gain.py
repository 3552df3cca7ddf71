"""What corrections gained in the eyes of judges: scores before and after on the same items."""

from typing import Any

from annotate.models import Project
from judging.services.branches.gain import Gain, Row, gain
from judging.services.reports.base import Refused, Report, Wanted, Written
from judging.services.reports.tables import table
from lib.stats.bootstrap import DRAWS, SEED
from lib.stats.figures import Figure

HEADER = ["judge", "author", "n", "before", "after", "gain", "interval", "better", "same", "worse", "left out"]
DIGITS = 4
NOTE = "Scores stay on each judge's own scale. Intervals are over items: another judge may say another thing."


class GainReport(Report):
    slug = "gain"
    about = "what corrections gained, author by author: a judge's scores before and after, on the same items"

    def write(self, project: Project, options: Wanted) -> Written:
        gains = gain(project)
        rows = [row for row in gains.rows if options.judge in ("", row.judge.name, str(row.judge))]
        if not rows:
            raise Refused(_why(gains))
        value: dict[str, Any] = {
            "rows": [row_of(row) for row in rows],
            "corrections": gains.corrections,
            "resamples": DRAWS,
            "seed": SEED,
            "left_out": {side: dict(reasons) for side, reasons in gains.left_out.items()},
            "notes": [NOTE],
        }
        return Written(value, f"{table(HEADER, [_cells(row) for row in rows], left=2)}\n\n{NOTE}")


def _why(gains: Gain) -> str:
    if not gains.corrections:
        return "Nobody has corrected an answer here: run `correct` first, or accept corrections of a branching project."
    return "No judge has scored a correction and what it was made from one at a time, such as by branching-single."


def row_of(row: Row) -> dict[str, Any]:
    return {
        "judge": str(row.judge),
        "model": row.judge.name,
        "strategy": row.judge.strategy,
        "simulated": row.judge.simulated,
        "author": row.author,
        "corrected": row.corrected,
        "n": row.gain.n,
        "before": _number(row.before),
        "after": _number(row.after),
        "gain": _number(row.gain),
        "interval": interval(row.gain),
        "better": row.better,
        "same": row.same,
        "worse": row.worse,
        "left_out": dict(row.left_out),
    }


def _number(figure: Figure) -> float | None:
    return None if figure.value is None else round(figure.value, DIGITS)


def interval(figure: Figure) -> list[float] | None:
    if figure.low is None or figure.high is None:
        return None
    return [round(figure.low, DIGITS), round(figure.high, DIGITS)]


def _cells(row: Row) -> list[str]:
    means = [_number(figure) for figure in (row.before, row.after, row.gain)]
    bounds = interval(row.gain)
    mean_cells = ["" if mean is None else f"{mean:.2f}" for mean in means]
    spread = "" if bounds is None else f"{bounds[0]:.2f} to {bounds[1]:.2f}"
    counts = [str(count) for count in (row.better, row.same, row.worse, sum(row.left_out.values()))]
    return [str(row.judge), row.author, str(row.gain.n), *mean_cells, spread, *counts]


REPORT = GainReport()
