"""Before and after: the same pairs by a judge's own criteria and by those recovered from others' judgements.

Shares of 0..100 with two decimals; the gain in points, with a paired interval.
"""

from typing import Any

from annotate.models import Project
from judging.services.bridging.comparing import OUTCOMES, Compare, Row, compared
from judging.services.bridging.stages import Progress, progress
from judging.services.reports.base import Refused, Report, Wanted, Written
from judging.services.reports.consistency import hundredths, shown
from judging.services.reports.tables import table
from lib.stats.consistency import Orders
from lib.stats.figures import Figure
from lib.stats.paired import WHY

FIGURES = ("agreement", "consistency", "accuracy", "agreement_of_consistent")
LEAST_P = 0.001  # a chance below it is said to be so, not 0.000
HEADER = ["judge", "set", "n", "before", "after", "gain", "interval", "p", "left out"]


class Bridging(Report):
    slug = "bridging"
    about = "judgements without criteria: how far they are, and whether judging by recovered criteria agrees better"
    divisions = ("set",)

    def write(self, project: Project, options: Wanted) -> Written:
        far = progress(project)
        if not far.total:
            raise Refused("No item holds a judgement from elsewhere: import some (import_items --format autoj, …).")
        comparison = compared(project, by_set=options.by == "set")
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
            value["note"] = "No judge has judged by its own criteria and by recovered ones."
        return Written(value, _text(far, comparison, rows))


def _set(progress_set: Any) -> dict[str, Any]:
    return {
        "judge": progress_set.judge,
        "style": progress_set.style,
        "items": progress_set.total,
        "stages": dict(progress_set.counts),
    }


def as_json(row: Row) -> dict[str, Any]:
    """set: null for all of them. gain: of agreement, after less before, in points; wins and losses are pairs."""
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


def _orders(orders: Orders) -> dict[str, Any]:
    return {name: shown(getattr(orders, name)) for name in FIGURES}


def _figure(figure: Figure) -> dict[str, Any]:
    bounds = [None if bound is None else hundredths(bound) for bound in (figure.low, figure.high)]
    row: dict[str, Any] = {"value": shown(figure), "low": bounds[0], "high": bounds[1], "n": figure.n}
    return row | ({"note": figure.note} if figure.value is None else {})


def _text(far: Progress, comparison: Compare, rows: list[Row]) -> str:
    stages = ", ".join(f"{stage.replace('_', ' ')} {count}" for stage, count in far.counts.items() if count)
    lines = [f"{far.total} judgements without criteria: {stages}."]
    if comparison.original.value is not None:
        agree = hundredths(comparison.original.value)
        lines.append(
            f"The original verdicts agree with people in {agree:.2f} % of {comparison.original.n} approved pairs."
        )
    if not rows:
        return "\n".join([*lines, "No judge has judged by its own criteria and by recovered ones."])
    about = "Per cent of n pairs on which the judge says the same in both orders, and what people say."
    tests = dict.fromkeys(f"p: {WHY[row.test.test]}." for row in rows)
    return "\n".join([*lines, "", about, *tests, "", table(HEADER, [_cells(row) for row in rows], left=2)])


def _cells(row: Row) -> list[str]:
    gain, p = row.gain, row.test.p
    interval = "" if gain.low is None or gain.high is None else f"{100 * gain.low:.1f} to {100 * gain.high:.1f}"
    shares = [_number(row.before.agreement), _number(row.after.agreement), _number(gain)]
    skip_count, chance = sum(map(len, row.left_out.values())), f"{p:.3f}" if p >= LEAST_P else f"<{LEAST_P}"
    return [row.judge, row.group, str(len(row.seen)), *shares, interval, chance, str(skip_count)]


def _number(figure: Figure) -> str:
    return "" if figure.value is None else f"{hundredths(figure.value):.2f}"


REPORT = Bridging()
