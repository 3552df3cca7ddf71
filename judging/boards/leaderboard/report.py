"""Leaderboard report of a judge, whole or by a division of the items, as published: 0..100 with two decimals."""

from typing import Any

from annotate.models import Project
from judging.boards.report import Refused, Report, ReportOptions, ReportOutput, judge_named, table
from judging.models import Judge
from judging.ratings.leaderboards import DIVISIONS, AuthorStanding, Bounds, GroupValue, Leaderboard, board, breakdown
from judging.verdicts.verdict_scores import JudgeScores, scores
from lib.stats.averages import as_published

# The columns of the published table; null for a scenario that the project does not have.
COLUMNS = ("error_correction", "response_maintenance", "overall")
SHORT = {"error_correction": "EC", "response_maintenance": "RM"}


class LeaderboardReport(Report):
    slug = "leaderboard"
    about = "average scores of every author as in FB-Bench, with intervals"
    divisions = DIVISIONS

    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        judge_scores = scores(project, judge_named(project, options.judge))
        if not judge_scores.rows:
            raise Refused(f"No verdict of {judge_scores.judge} is about a current answer and item.")
        if options.by:
            values = breakdown(judge_scores.rows, options.by)
            rows = [group_row(group_value) | marks(judge_scores.judge) for group_value in values]
            return ReportOutput({"rows": rows}, _division(judge_scores, options.by, values))
        whole = board(judge_scores)
        return ReportOutput(
            {"rows": [standing_row(standing) | marks(judge_scores.judge) for standing in whole.standings]}, _text(whole)
        )


def marks(judge: Judge) -> dict[str, bool]:
    """The mark in a row of a judge that was asked in raw messages; empty for any other."""
    return {"not_fenced": True} if judge.not_fenced else {}


def standing_row(standing: AuthorStanding) -> dict[str, Any]:
    """One author as JSON."""
    values = {name: _published_or_none(standing.values.get(name)) for name in COLUMNS}
    row: dict[str, Any] = {"author": standing.author, "n": standing.n, "failed": standing.failed, **values}
    row["interval"] = {"overall": _interval(standing.intervals.get("overall"))}
    missing = [name for name, value in values.items() if value is None]
    return row | ({"note": f"No item for: {', '.join(missing)}."} if missing else {})


def _published_or_none(value: float | None) -> float | None:
    return None if value is None else as_published(value)


def _interval(bounds: Bounds | None) -> list[float] | None:
    return None if bounds is None else [as_published(bound) for bound in bounds]


def group_row(group_value: GroupValue) -> dict[str, Any]:
    """One author in one group as JSON."""
    names = {"author": group_value.author, "scenario": group_value.scenario, "group": group_value.group}
    return {**names, "n": group_value.n, "value": as_published(group_value.value)}


def _text(whole: Leaderboard) -> str:
    header = ["author", *(SHORT.get(name, name) for name in whole.columns), "95 %", "ranks", "n", "failed"]
    return "\n".join([_about(whole), "", table(header, [_cells(standing, whole) for standing in whole.standings])])


def _cells(standing: AuthorStanding, whole: Leaderboard) -> list[str]:
    bounds, ranks = standing.intervals.get("overall"), standing.ranks
    return [
        standing.author,
        *(_number(standing.values[name]) for name in whole.columns),
        f"{as_published(bounds[0]):.2f}–{as_published(bounds[1]):.2f}" if bounds else "",
        ("–".join(str(rank) for rank in sorted(set(ranks)))) if ranks else "",
        str(standing.n),
        str(standing.failed),
    ]


def _about(source: Leaderboard | JudgeScores) -> str:
    counts = f"{source.outdated} outdated verdicts left out, {source.unjudged} answers not judged"
    return f"Judge: {source.judge} ({counts})"


def _division(judge_scores: JudgeScores, by: str, values: list[GroupValue]) -> str:
    rows = [
        [
            group_value.author,
            group_value.group,
            SHORT.get(group_value.scenario, group_value.scenario),
            str(group_value.n),
            _number(group_value.value),
        ]
        for group_value in values
    ]
    return "\n".join([_about(judge_scores), "", table(["author", by, "", "n", "value"], rows, left=3)])


def _number(value: float | None) -> str:
    return "" if value is None else f"{as_published(value):.2f}"
