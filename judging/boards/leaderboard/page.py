"""What the leaderboard shows: two authors compared, several judges compared, its files and its print."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext_lazy

from annotate.models import Member, Project
from judging.answers.cases import board_basics
from judging.boards.board import BoardPage, Fragment
from judging.boards.leaderboard.charts import groups, standings
from judging.boards.leaderboard.options import LeaderboardOptions
from judging.boards.leaderboard.report import group_row, marks, standing_row
from judging.boards.printing import PrintedPart, Recount, excluded_counts, recount_lines
from judging.cache import cached
from judging.ratings.leaderboards import (
    AuthorStanding,
    JudgeCorrelation,
    JudgeReading,
    Leaderboard,
    difference,
    readings,
    side_by_side,
)
from judging.ratings.release_rows import score_digest
from lib.stats.bootstrap import DRAWS, SEED, MeanDifference


def pair(reading: JudgeReading, query: LeaderboardOptions) -> dict[str, Any]:
    """The two chosen authors, else the two best; empty if there are fewer than two."""
    board = reading.board
    names = [standing.author for standing in board.standings]
    first = query.first if query.first in names else next(iter(names), "")
    second = query.second if query.second in names else next((name for name in names if name != first), "")
    differences = difference(board, first, second) if first and second and first != second else []
    return {
        "first": first,
        "second": second,
        "differences": [(column_difference, _leads(column_difference)) for column_difference in differences],
        "names": names,
    }


def _leads(column_difference: MeanDifference) -> str:
    """Who is certainly ahead: `first`, `second`, or "" if the interval contains zero or there is none."""
    if column_difference.low is None or column_difference.high is None:
        return ""
    return "first" if column_difference.low > 0 else "second" if column_difference.high < 0 else ""


@dataclass(frozen=True)
class AuthorAcrossJudges:
    """An author under every compared judge: None if a judge has not judged them."""

    author: str
    standings: list[AuthorStanding | None]


def compare_judges(readings: list[JudgeReading]) -> dict[str, Any]:
    """Only authors judged by every compared judge; `missing` counts the others."""
    boards = [reading.board for reading in readings]
    by_author = [{standing.author: standing for standing in board.standings} for board in boards]
    everybody = list(dict.fromkeys(author for standing_by_author in by_author for author in standing_by_author))
    common = [author for author in everybody if all(author in standing_by_author for standing_by_author in by_author)]
    return {
        "boards": boards,
        "judge_columns": boards[0].columns if boards else [],
        "beside_rows": [
            AuthorAcrossJudges(author, [standing_by_author.get(author) for standing_by_author in by_author])
            for author in common
        ],
        "missing": len(everybody) - len(common),
        "agreements": _agreements(boards),
    }


def _agreements(boards: list[Leaderboard]) -> list[JudgeCorrelation]:
    return side_by_side(boards)


Part = Callable[[JudgeReading, LeaderboardOptions], dict[str, Any]]
# Parts of the page, which htmx may request alone: id of the element -> its template and its context.
PARTS: Mapping[str, tuple[str, Part]] = {
    "standings": ("leaderboard/_standings.html", standings),
    "groups": ("leaderboard/_groups.html", groups),
    "pair": ("leaderboard/_pair.html", pair),
}


def board_readings(project: Project, query: LeaderboardOptions) -> list[JudgeReading]:
    """The reading of the judge, then of those beside it; empty if nobody has judged."""
    return readings(project, query.compared) if query.judge else []


def leaderboard(judge_readings: list[JudgeReading], query: LeaderboardOptions, member: Member) -> BoardPage:
    if not judge_readings:
        return BoardPage({"asked": query, "begun": board_basics(member.project)}, "leaderboard/empty.html")
    context = _shared_context(judge_readings, query)
    for _template, part in PARTS.values():
        context |= part(judge_readings[0], query)
    return BoardPage(context | compare_judges(judge_readings))


def fragments() -> Mapping[str, Fragment]:
    return {name: (template, _fragment_context(part)) for name, (template, part) in PARTS.items()}


def _fragment_context(part: Part) -> Callable[[list[JudgeReading], LeaderboardOptions], dict[str, Any]]:
    return lambda judge_readings, query: _shared_context(judge_readings, query) | part(judge_readings[0], query)


def _shared_context(judge_readings: list[JudgeReading], query: LeaderboardOptions) -> dict[str, Any]:
    reading = judge_readings[0]
    items_address = f"{reverse('leaderboard_items', args=[reading.project.slug])}?judge={reading.judge.pk}"
    return {"asked": query, "items_address": items_address}


# Files: the numbers of the page, 0..100 with two decimals; the JSON equals the output of the command `report`.


Row = dict[str, Any]


def as_json(judge_readings: list[JudgeReading], query: LeaderboardOptions) -> dict[str, list[Row]]:
    """All authors, or with ?by= every group of that division; empty if nobody has judged."""
    by = _division(query)
    return {"rows": [row for reading in judge_readings[:1] for row in _rows(reading, by)]}


def as_rows(judge_readings: list[JudgeReading], query: LeaderboardOptions, member: Member) -> list[Row]:
    return [_flat(row) for row in as_json(judge_readings, query)["rows"]]


def file_name(query: LeaderboardOptions) -> str:
    return "-".join(filter(None, ["leaderboard", _division(query)]))


def _division(query: LeaderboardOptions) -> str:
    """The division that the address names, "" for none; an unknown one gives 404, not a file of something else."""
    if "by" in query.misread:
        raise Http404
    return query.by if "by" in query.written else ""


def _rows(reading: JudgeReading, by: str) -> Iterator[Row]:
    if by:
        yield from (group_row(group_value) | marks(reading.judge) for group_value in reading.breakdown(by))
    else:
        yield from (standing_row(standing) | marks(reading.judge) for standing in reading.board.standings)


def _flat(row: Row) -> Row:
    """A row with both ends of an interval in cells of their own; keys that only some rows have are left out."""
    cells = {name: value for name, value in row.items() if name not in ("interval", "note")}
    for column, bounds in row.get("interval", {}).items():
        low, high = bounds or (None, None)
        cells |= {f"{column}_low": low, f"{column}_high": high}
    return cells


# The print.


FORMULA = gettext_lazy(
    "Each column is the mean of its task means; overall is the mean over all tasks of all scenarios. "
    "Intervals: 95 %, bootstrap over items, stratified by task."
)


def printed(judge_readings: list[JudgeReading], query: LeaderboardOptions, member: Member) -> PrintedPart:
    if not judge_readings:
        raise Http404
    reading = judge_readings[0]
    context = standings(reading, query) | {"asked": query}
    counts = {why: context["left_out"][why] for why in ("outdated", "unjudged", "failed", "unparsed")}
    return PrintedPart(
        context=context,
        judges=[reading.judge],
        n=sum(row.n for row in reading.board.standings),
        excluded=excluded_counts(counts),
        formula=FORMULA,
        draws=DRAWS,
        seed=SEED,
        options={"judge": str(reading.judge)},
        recounted=lambda _ground: recount(reading),
        template="leaderboard/_printed.html",
    )


def recount(reading: JudgeReading) -> Recount:
    file = f"{reading.project.slug}-leaderboard.jsonl"
    export_args = ["--of", "leaderboard", "--judge", str(reading.judge)]
    sha256 = cached("scores-file", reading.state, lambda: score_digest(reading.scores))
    return Recount(sha256, recount_lines(reading.project, file, export_args, ["recount", file]), holds_votes=False)
