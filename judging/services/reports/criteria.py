"""Which criteria decide verdicts, which never do, and which come again and again in other words."""

from typing import Any

from annotate.models import Project
from judging.services.branches.criteria import FEW, Criteria, Row, criteria
from judging.services.reports.base import Refused, Report, Wanted, Written
from judging.services.reports.consistency import hundredths, shown
from judging.services.reports.tables import table

SHARES = ("tells", "for_winner", "decides")
HEADER = ["criterion", "judgements", "queries", "tells apart", "for the winner", "decides"]
MOST_NAMES = 10


class CriteriaReport(Report):
    slug = "criteria"
    about = "which criteria of branching judges and of people's trees decide, which never do, and which are alike"

    def write(self, project: Project, wanted: Wanted) -> Written:
        found = [one for one in criteria(project) if wanted.judge in ("", called(one), one.judge and one.judge.name)]
        if not found:
            raise Refused("Nobody has compared answers by criteria here: judge with --strategy branching first.")
        return Written({"rows": [_told(one) for one in found], "least": FEW}, "\n\n".join(map(_text, found)))


def called(one: Criteria) -> str:
    """The judge, or `trees` for what people have accepted."""
    return str(one.judge) if one.judge else one.key


def _told(one: Criteria) -> dict[str, Any]:
    return {
        "judge": called(one),
        "simulated": bool(one.judge and one.judge.simulated),
        "judgements": len({(each.item, each.source) for each in one.judged}),
        "places": [{"place": int(row.key)} | _row(row) for row in one.places],
        "clusters": [{"cluster": int(row.key)} | _row(row) for row in one.clusters],
        "never_decide": [row.called for row in one.never],
    }


def _row(row: Row) -> dict[str, Any]:
    shares = {name: getattr(row, name) for name in SHARES}
    return {
        "called": row.called,
        "names": [{"name": name, "n": n} for name, n in row.names[:MOST_NAMES]],
        "different_names": len(row.names),
        "n": row.n,
        "queries": row.queries,
        **{name: shown(figure) for name, figure in shares.items()},
        "interval": {
            name: None if one.low is None else [hundredths(one.low), hundredths(one.high or 0.0)]
            for name, one in shares.items()
        },
        "never": row.never,
    }


def _text(one: Criteria) -> str:
    places = table(["place", *HEADER[1:]], [[row.key, *_cells(row)] for row in one.places])
    clusters = table(HEADER, [[row.called, *_cells(row)] for row in one.clusters])
    never = ", ".join(row.called for row in one.never) or "none"
    lines = [f"Criteria of {called(one)}", "", places, "", clusters, ""]
    return "\n".join([*lines, f"Never decide (of {FEW} judgements or more): {never}."])


def _cells(row: Row) -> list[str]:
    return [str(row.n), str(row.queries), *(f"{shown(getattr(row, name)) or 0:.2f}" for name in SHARES)]


REPORT = CriteriaReport()
