"""Scores that a definition makes of each rating: means of groups of items, on a page, in files, as a report."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotate.models import Member, Project
from judging.access import has_scores
from judging.boards.board import Board, BoardPage, Place
from judging.boards.needs import RATINGS
from judging.boards.report import Refused, Report, ReportOptions, ReportOutput, table
from judging.boards.scores.numbers import (
    GroupScore,
    ProjectScores,
    ScoreBoardOptions,
    items_behind,
    may_group,
    project_scores,
    scores_state,
)
from judging.ratings.tables import answers_to_questions
from judging.ratings.units import Today
from lib.charts.forest import ForestRow, ForestWords, forest
from lib.charts.marks import fitted
from lib.stats.figures import FEW

HEADER = ["score", "group", "n", "mean", "from", "to"]
MOST_DRAWN = 60  # groups in a chart


def as_json(numbers: ProjectScores, options: ScoreBoardOptions) -> dict[str, Any]:
    """The rows: a score, a group, the number of its ratings, their mean and its interval."""
    value = {"rows": [_row(row) for row in numbers.rows], "by": numbers.by, "left_out": dict(numbers.left_out)}
    return value | ({"judge": numbers.judge} if numbers.judge else {})


def _row(row: GroupScore) -> dict[str, Any]:
    mean = row.mean
    cells = {
        "score": row.score,
        "group": row.group,
        "n": mean.n,
        "mean": mean.value,
        "low": mean.low,
        "high": mean.high,
    }
    return cells | ({"note": mean.note} if mean.note else {})


def score_rows(numbers: ProjectScores, options: ScoreBoardOptions, member: Member) -> list[Mapping[str, Any]]:
    return [{**_row(row), "note": row.mean.note} for row in numbers.rows]


def scores_page(numbers: ProjectScores | None, options: ScoreBoardOptions, member: Member) -> BoardPage:
    """A panel for each score. columns: those by which this member may group. left_out: (reason, ratings)."""
    fact_names = list(member.project.kind.fact_names)
    offered = [column for column in numbers.offered if member.leads or column in fact_names] if numbers else []
    extra_columns = [options.by] if options.by and options.by not in offered else []
    scores = member.project.kind.scores()  # whether more of an answer is better, its question does not say
    panels = [
        {
            "name": name,
            "rows": rows,
            "is_score": name in scores,
            "lower_is_better": rows[0].lower_is_better,
            "chart": _chart(name, rows),
        }
        for name, group in groupby(numbers.rows if numbers else (), key=lambda row: row.score)
        for rows in [list(group)]
    ]
    left_out = [(gettext(reason), count) for reason, count in numbers.left_out.items()] if numbers else []
    context = {"panels": panels, "columns": [*offered, *extra_columns], "left_out": left_out, "few": FEW}
    return BoardPage(context | {"judges": numbers.judges if numbers else []})


def _chart(name: str, rows: Sequence[GroupScore]) -> SafeString | None:
    """The best first; nothing to compare for a single group."""
    if not 1 < len(rows) <= MOST_DRAWN:
        return None
    words = ForestWords(
        label=gettext("%(score)s by group; intervals: 95 %%") % {"score": name},
        name=gettext("Group"),
        value=gettext("Mean"),
        n=gettext("Ratings"),
        figure=lambda value: number_format(round(value, 2), 2),
    )
    marks = [
        ForestRow(row.group, row.mean.value, row.mean.low, row.mean.high, row.mean.n, thin=row.mean.n < FEW)
        for row in rows
    ]
    return fitted(lambda wide: forest(marks, words, wide=wide))


class ScoresReport(Report):
    slug = "scores"
    about = "mean scores of ratings by the definition of own questions, for each value of a column of the items"
    divides_by_columns = takes_words = True

    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        if not has_scores(project):
            message = "This project's definition has no `scores`, no rubric and no question with numbers; add one"
            raise Refused(f"{message} (definition SLUG --set FILE).")
        board_options = ScoreBoardOptions.of_report(project, options)
        _refuse_unknown_judge(project, board_options)
        numbers = BOARD.numbers_of(project, board_options)
        if numbers is None:
            raise Refused("Nothing has been rated yet: submit work, or import ratings (import_ratings).")
        if numbers.by != board_options.by:
            columns = ", ".join(numbers.offered) or "none"
            raise Refused(f"No rated item has a value in the column “{board_options.by}”. Columns that fit: {columns}.")
        return ReportOutput(as_json(numbers, board_options), _as_text(numbers))


def _refuse_unknown_judge(project: Project, options: ScoreBoardOptions) -> None:
    ratings, _state = answers_to_questions(Today(project))
    if options.judge and options.judge not in ratings.judges:
        judges = ", ".join(f"“{name}”" for name in ratings.judges) or "none"
        raise Refused(f"No judge of own questions is called “{options.judge}”. Judges: {judges}.")


def _as_text(numbers: ProjectScores) -> str:
    rows = [
        [row.score, row.group, str(row.mean.n), *map(_number, (row.mean.value, row.mean.low, row.mean.high))]
        for row in numbers.rows
    ]
    left_out = [f"Left out: {count} ratings, {reason}." for reason, count in numbers.left_out.items()]
    return "\n".join([table(HEADER, rows, left=2), "", *left_out, "Intervals: 95 %, bootstrap over units."])


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


BOARD = Board(
    slug="scores",
    name=_("Scores of ratings"),
    suits=has_scores,
    place=Place(15, asks=_("Which group of items gets the best scores?"), needs=(RATINGS,)),
    Options=ScoreBoardOptions,
    numbers=project_scores,
    state=scores_state,
    admits=may_group,
    page=scores_page,
    body="scores/_numbers.html",
    units=items_behind,
    as_json=as_json,
    as_rows=score_rows,
    columns=("score", "group", "n", "mean", "low", "high", "note"),
    formula=_(
        "Means over ratings, each counted once. Intervals: 95 %, bootstrap over units, which are items, or what the "
        "definition calls the unit."
    ),
    reports=(ScoresReport(),),
)
