"""The leaderboard of a judge, whole or by a division of the items, as published: 0..100 with two decimals."""

from typing import Any

from annotate.models import Project
from judging.models import Judge
from judging.services.leaderboard import DIVISIONS, Board, Bounds, GroupValue, Standing, board, breakdown
from judging.services.reports.base import Refused, Report, Wanted, Written, judge_named
from judging.services.reports.tables import table
from judging.services.scores import Scores, scores

# The columns of the published table; of a project without one of these scenarios its column is null.
COLUMNS = ("error_correction", "response_maintenance", "overall")
SHORT = {"error_correction": "EC", "response_maintenance": "RM"}


def shown(value: float) -> float:
    """0..1 as published: rounded to four places, times a hundred."""
    return round(round(value, 4) * 100, 2)


class Leaderboard(Report):
    slug = "leaderboard"
    about = "averages of every author as FB-Bench publishes them, with intervals"
    divisions = DIVISIONS

    def write(self, project: Project, wanted: Wanted) -> Written:
        found = scores(project, judge_named(project, wanted.judge))
        if not found.rows:
            raise Refused(f"Nothing that {found.judge} said is about an answer and an item as they are today.")
        if wanted.by:
            values = breakdown(found.rows, wanted.by)
            rows = [group_row(each) | marks(found.judge) for each in values]
            return Written({"rows": rows}, _division(found, wanted.by, values))
        whole = board(found)
        return Written({"rows": [standing_row(each) | marks(found.judge) for each in whole.standings]}, _text(whole))


def marks(judge: Judge) -> dict[str, bool]:
    """What a row says of a judge that was asked in raw messages; nothing of any other."""
    return {"not_fenced": True} if judge.not_fenced else {}


def standing_row(standing: Standing) -> dict[str, Any]:
    """One author as JSON says it."""
    values = {name: _known(standing.values.get(name)) for name in COLUMNS}
    row: dict[str, Any] = {"author": standing.author, "n": standing.n, "failed": standing.failed, **values}
    row["interval"] = {"overall": _interval(standing.intervals.get("overall"))}
    missing = [name for name, value in values.items() if value is None]
    return row | ({"note": f"No item for: {', '.join(missing)}."} if missing else {})


def _known(value: float | None) -> float | None:
    return None if value is None else shown(value)


def _interval(bounds: Bounds | None) -> list[float] | None:
    return None if bounds is None else [shown(bound) for bound in bounds]


def group_row(each: GroupValue) -> dict[str, Any]:
    """One author in one group as JSON says it."""
    names = {"author": each.author, "scenario": each.scenario, "group": each.group}
    return {**names, "n": each.n, "value": shown(each.value)}


def _text(whole: Board) -> str:
    header = ["author", *(SHORT.get(name, name) for name in whole.columns), "95 %", "ranks", "n", "failed"]
    return "\n".join([_about(whole), "", table(header, [_cells(each, whole) for each in whole.standings])])


def _cells(standing: Standing, whole: Board) -> list[str]:
    bounds, ranks = standing.intervals.get("overall"), standing.ranks
    return [
        standing.author,
        *(_number(standing.values[name]) for name in whole.columns),
        f"{shown(bounds[0]):.2f}–{shown(bounds[1]):.2f}" if bounds else "",
        ("–".join(str(rank) for rank in sorted(set(ranks)))) if ranks else "",
        str(standing.n),
        str(standing.failed),
    ]


def _about(found: Board | Scores) -> str:
    counts = f"{found.outdated} outdated verdicts left out, {found.unjudged} answers not judged"
    return f"Judge: {found.judge} ({counts})"


def _division(found: Scores, by: str, values: list[GroupValue]) -> str:
    rows = [
        [each.author, each.group, SHORT.get(each.scenario, each.scenario), str(each.n), _number(each.value)]
        for each in values
    ]
    return "\n".join([_about(found), "", table(["author", by, "", "n", "value"], rows, left=3)])


def _number(value: float | None) -> str:
    return "" if value is None else f"{shown(value):.2f}"


REPORT = Leaderboard()
