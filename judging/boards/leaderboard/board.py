"""Leaderboard of a judge, whole or by a division of the items, as published: 0..100 with two decimals."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import Http404
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_lazy as _

from annotate.models import Member, Project
from judging.answers.cases import board_basics
from judging.boards.board import Board, BoardPage, Fragment, Place, SubPage
from judging.boards.leaderboard.charts import groups, items_address, shown_models, standings
from judging.boards.leaderboard.leaderboard_options import LeaderboardOptions
from judging.boards.leaderboard.scored_pages import item_verdicts_page, leaderboard_items
from judging.boards.model_pages import ModelPage
from judging.boards.needs import ANSWERS, VERDICTS
from judging.boards.printing import PrintedPart, Recount, excluded_counts, recount_lines
from judging.boards.report import Refused, Report, ReportOptions, ReportOutput, judge_named, table
from judging.cache import cached
from judging.models import Judge
from judging.ratings.leaderboards import (
    DIVISIONS,
    AuthorStanding,
    Bounds,
    GroupValue,
    JudgeCorrelation,
    JudgeReading,
    Leaderboard,
    board,
    breakdown,
    item_by_item,
    readings,
    side_by_side,
)
from judging.ratings.release_rows import score_digest
from judging.ratings.selections import selected
from judging.verdicts.verdict_scores import JudgeScores, scores
from lib.stats.averages import as_published
from lib.stats.bootstrap import DRAWS, SEED, MeanDifference
from lib.stats.figures import ALL_ALIKE, FEW_OF_A_MEAN

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
            return ReportOutput({"rows": rows}, _division_table(judge_scores, options.by, values))
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
    if note := standing.notes.get("overall"):
        row["interval_note"] = note
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
        f"{as_published(bounds[0]):.2f}–{as_published(bounds[1]):.2f}" if bounds else _why_none(standing),
        ("–".join(str(rank) for rank in sorted(set(ranks)))) if ranks else "",
        str(standing.n),
        str(standing.failed),
    ]


def _why_none(standing: AuthorStanding) -> str:
    return {FEW_OF_A_MEAN: "too few", ALL_ALIKE: "all alike"}.get(standing.notes.get("overall", ""), "")


def _about(source: Leaderboard | JudgeScores) -> str:
    counts = f"{source.outdated} outdated verdicts left out, {source.unjudged} answers not judged"
    return f"Judge: {source.judge} ({counts})"


def _division_table(judge_scores: JudgeScores, by: str, values: list[GroupValue]) -> str:
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


# The page: two authors compared, several judges compared; its files and its print.


def pair(reading: JudgeReading, query: LeaderboardOptions) -> dict[str, Any]:
    """The two chosen authors, else the two best; empty if there are fewer than two."""
    board = reading.board
    names = [standing.author for standing in board.standings]
    wanted_first, wanted_second = query.compared_pair
    first = wanted_first if wanted_first in names else next(iter(names), "")
    second = wanted_second if wanted_second in names else next((name for name in names if name != first), "")
    differences = reading.difference(first, second) if first and second and first != second else []
    return {
        "first": first,
        "second": second,
        "counts": item_by_item(board, first, second) if differences else None,
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


def compare_judges(readings: list[JudgeReading], model_page: ModelPage) -> dict[str, Any]:
    """Only authors judged by every compared judge, `missing` counts the others; of many authors those on the page."""
    boards = [reading.board for reading in readings]
    by_author = [{standing.author: standing for standing in board.standings} for board in boards]
    everybody = list(dict.fromkeys(author for standing_by_author in by_author for author in standing_by_author))
    shown = model_page.names if model_page.is_split else everybody
    common, rows = (
        [author for author in authors if all(author in standing_by_author for standing_by_author in by_author)]
        for authors in (everybody, shown)
    )
    return {
        "boards": boards,
        "judge_columns": boards[0].columns if boards else [],
        "beside_rows": [
            AuthorAcrossJudges(author, [standing_by_author.get(author) for standing_by_author in by_author])
            for author in rows
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
    whole = readings(project, query.compared) if query.judge else []
    return [selected(reading, query.selection) for reading in whole]


def leaderboard(judge_readings: list[JudgeReading], query: LeaderboardOptions, member: Member) -> BoardPage:
    if not judge_readings:
        return BoardPage({"asked": query, "begun": board_basics(member.project)}, "leaderboard/empty.html")
    context = _shared_context(judge_readings, query)
    # In this order: to read a million scores back takes seconds, and the page shows none of them.
    if not query.selection.is_all and not judge_readings[0].scores.rows:
        return BoardPage(context, "leaderboard/unmatched.html")
    for _template, part in PARTS.values():
        context |= part(judge_readings[0], query)
    return BoardPage(context | compare_judges(judge_readings, context["model_page"]))


def fragments() -> Mapping[str, Fragment]:
    return {name: (template, _fragment_context(part)) for name, (template, part) in PARTS.items()}


def _fragment_context(part: Part) -> Callable[[list[JudgeReading], LeaderboardOptions], dict[str, Any]]:
    return lambda judge_readings, query: _shared_context(judge_readings, query) | part(judge_readings[0], query)


def _shared_context(judge_readings: list[JudgeReading], query: LeaderboardOptions) -> dict[str, Any]:
    names = [standing.author for standing in judge_readings[0].board.standings]
    page = shown_models(judge_readings[0], query).page
    return {
        "asked": query,
        "items_address": items_address(judge_readings[0], query),
        "named_models": names,
        "all_models": list(dict.fromkeys([*query.models, *page.names])) if page.is_long else names,
        "model_page": page,
    }


# Files: the numbers of the page, 0..100 with two decimals; the JSON equals the output of the command `report`.


Row = dict[str, Any]


def as_json(judge_readings: list[JudgeReading], query: LeaderboardOptions) -> dict[str, list[Row]]:
    """All authors, or with ?by= every group of that division; empty if nobody has judged."""
    by = _division(query)
    rows = (row for reading in judge_readings[:1] for row in _rows(reading, by))
    return {"rows": [row for row in rows if query.shows(row["author"])]}


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
    cells = {name: value for name, value in row.items() if name not in ("interval", "interval_note", "note")}
    for column, bounds in row.get("interval", {}).items():
        low, high = bounds or (None, None)
        cells |= {f"{column}_low": low, f"{column}_high": high}
    return cells


# The print.


FORMULA = gettext_lazy(
    "Each column is the mean of its task means; overall is the mean over all tasks of all scenarios. "
    "Intervals: 95 %, bootstrap over items, stratified by task; none of fewer than six items, or where all are alike."
)


def printed(judge_readings: list[JudgeReading], query: LeaderboardOptions, member: Member) -> PrintedPart:
    if not judge_readings:
        raise Http404
    reading = judge_readings[0]
    context = standings(reading, query.model_copy(update={"rows": "all", "find": ""})) | {"asked": query}
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


BOARD = Board(
    slug="leaderboard",
    name=_("Leaderboard"),
    place=Place(10, asks=_("Which model answers best, by a judge's scores?"), needs=(ANSWERS, VERDICTS)),
    Options=LeaderboardOptions,
    numbers=board_readings,
    state=None,  # a reading caches each of its parts
    page=leaderboard,
    template="leaderboard/leaderboard.html",
    fragments=fragments(),
    as_json=as_json,
    as_rows=as_rows,
    file_name=file_name,
    printed=printed,
    sub_pages=(
        SubPage("leaderboard/items/", "leaderboard_items", leaderboard_items),
        SubPage("items/<int:pk>/verdicts/", "item_verdicts", item_verdicts_page),
    ),
    reports=(LeaderboardReport(),),
)
