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

    def write(self, project: Project, options: Wanted) -> Written:
        all_criteria = [
            judge_criteria
            for judge_criteria in criteria(project)
            if options.judge in ("", called(judge_criteria), judge_criteria.judge and judge_criteria.judge.name)
        ]
        if not all_criteria:
            raise Refused("Nobody has compared answers by criteria here: judge with --strategy branching first.")
        return Written(
            {"rows": [_told(judge_criteria) for judge_criteria in all_criteria], "least": FEW},
            "\n\n".join(map(_text, all_criteria)),
        )


def called(judge_criteria: Criteria) -> str:
    """The judge, or `trees` for what people have accepted."""
    return str(judge_criteria.judge) if judge_criteria.judge else judge_criteria.key


def _told(judge_criteria: Criteria) -> dict[str, Any]:
    return {
        "judge": called(judge_criteria),
        "simulated": bool(judge_criteria.judge and judge_criteria.judge.simulated),
        "judgements": len({(judgement.item, judgement.source) for judgement in judge_criteria.judged}),
        "places": [{"place": int(row.key)} | _row(row) for row in judge_criteria.places],
        "clusters": [{"cluster": int(row.key)} | _row(row) for row in judge_criteria.clusters],
        "never_decide": [row.called for row in judge_criteria.never],
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
            name: None if figure.low is None else [hundredths(figure.low), hundredths(figure.high or 0.0)]
            for name, figure in shares.items()
        },
        "never": row.never,
    }


def _text(judge_criteria: Criteria) -> str:
    place_table = table(["place", *HEADER[1:]], [[row.key, *_cells(row)] for row in judge_criteria.places])
    clusters = table(HEADER, [[row.called, *_cells(row)] for row in judge_criteria.clusters])
    never = ", ".join(row.called for row in judge_criteria.never) or "none"
    lines = [f"Criteria of {called(judge_criteria)}", "", place_table, "", clusters, ""]
    return "\n".join([*lines, f"Never decide (of {FEW} judgements or more): {never}."])


def _cells(row: Row) -> list[str]:
    return [str(row.n), str(row.queries), *(f"{shown(getattr(row, name)) or 0:.2f}" for name in SHARES)]


REPORT = CriteriaReport()
