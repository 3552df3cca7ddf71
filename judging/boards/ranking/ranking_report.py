"""Ranking report: systems ranked by people's preferences and by judges' verdicts on pairs, side by side.

The first part writes a ranking as text for a terminal.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from annotate.models import Project
from judging.access import pair_questions
from judging.boards.ranking.numbers import DIVISIONS, Ranked, rankings, styled, without_recognised
from judging.boards.ranking.question_sides import UNNAMED, question_sides
from judging.boards.report import Refused, Report, ReportOptions, ReportOutput, table, votes_elsewhere
from judging.ratings.preferences import BattleSide, sides
from judging.ratings.raters import ratings
from judging.ratings.units import PREFERENCE, Today
from lib.stats.correlation import Correlation, Interval
from lib.stats.figures import ORDER_UNKNOWN
from lib.stats.ranking.report import (
    RankingComparison,
    Separation,
    as_json,
    beside,
    beside_row,
    figure,
    left_side,
    matrix,
    model_row,
    neighbours,
)
from lib.stats.ranking.standings import ModelRanking, RankedModel
from lib.stats.sample_size import needed

HEADER = ["ranks", "model", "strength", "95 %", "Elo", "battles", "wins", "ties"]
MOST_HINTS = 10


def in_words(ranking: ModelRanking) -> str:
    return "\n".join(_lines(ranking)).rstrip()


def _lines(ranking: ModelRanking) -> Iterator[str]:
    yield f"{ranking.battles.n} battles"
    yield ""
    yield table(HEADER, [_cells(standing) for standing in ranking.standings], left=2)
    yield ""
    yield from map(str, ranking.notes)
    skipped = ", ".join(f"{times} {reason}" for reason, times in ranking.battles.skipped.items())
    if skipped:
        yield f"Skipped: {skipped}."
    for other_ranking in ranking.others:
        yield table(HEADER, [_cells(standing) for standing in other_ranking.standings], left=2)
        yield ""
    yield from hints(ranking)


def hints(ranking: ModelRanking) -> list[str]:
    """How many more votes would separate neighbours, if that is a realistic number."""
    hint_lines = [hint for separation in neighbours(ranking) if (hint := _hint(separation))]
    more = [f"… and {len(hint_lines) - MOST_HINTS} more pairs."] if len(hint_lines) > MOST_HINTS else []
    return [*hint_lines[:MOST_HINTS], *more]


def _hint(separation: Separation) -> str:
    if separation.near:
        return f"{separation.stronger} and {separation.weaker} are too close to estimate the votes needed."
    if not separation.votes:
        return ""
    return (
        f"About {needed(separation.votes, separation.votes_low, separation.votes_high)} more votes to separate "
        f"{separation.stronger} and {separation.weaker}."
    )


def _cells(standing: RankedModel) -> list[str]:
    counts = [str(standing.battles), str(standing.wins), str(standing.ties)]
    if standing.strength is None or standing.elo is None:
        return ["", standing.name, "", "", "", *counts]
    between = "" if standing.low is None else f"{standing.low:.4f}–{standing.high:.4f}"
    ranks = (
        f"{standing.rank_low}–{standing.rank_high}"
        if standing.rank_low != standing.rank_high
        else str(standing.rank_low)
    )
    return [ranks, standing.name, f"{standing.strength:.4f}", between, f"{standing.elo:.0f}", *counts]


# Report: the rankings as JSON and as text.


class RankingReport(Report):
    slug = "ranking"
    about = "authors ranked by human votes and by judge verdicts on pairs, with intervals and rank ranges"
    divisions = DIVISIONS
    ranks = True

    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        preferences = ratings(project, PREFERENCE)
        all_sides = _of_questions(project, options) if project.kind.defined else sides(project, preferences)
        chosen_sides = [side for side in all_sides if options.judge in ("", side.name)]
        ranked_sides = [
            ranked
            for ranked in rankings(project, given=chosen_sides, davidson=options.davidson)
            if ranked.ranking.battles.n
        ]
        if not ranked_sides:
            why = "There are no battles in this project: no human votes on pairs and no verdicts."
            if project.kind.defined:
                why += " Own questions need columns that name the models, such as model_a for response_a."
                why += _unnamed(all_sides)
            raise Refused(why + votes_elsewhere(project))
        parts = rankings(project, options.by, given=chosen_sides, davidson=options.davidson) if options.by else []
        first_ranked, *other_ranked = ranked_sides
        value = _ranking_as_json(first_ranked, options) | {
            "others": [_ranking_as_json(ranked, options) for ranked in other_ranked]
        }
        if options.by:
            value["groups"] = [{"group": ranked.group} | _ranking_as_json(ranked, options) for ranked in parts]
        value["left_out"] = {side: dict(reasons) for side, reasons in preferences.left_out.items()}
        return ReportOutput(value, "\n\n".join(_words(ranked, options) for ranked in [*ranked_sides, *parts]))


def _unnamed(all_sides: Sequence[BattleSide]) -> str:
    count = sum(side.skipped.get(UNNAMED, 0) for side in all_sides)
    return f" {count} judgements are about pairs whose models have no names." if count else ""


def _of_questions(project: Project, options: ReportOptions) -> Sequence[BattleSide]:
    """Of the question that `what` names, or of the first."""
    names = [question.name for question in pair_questions(project.kind)]
    if options.what not in ("", *names):
        raise Refused(f"“{options.what}” is no question of the type pair; there are: {', '.join(names) or 'none'}.")
    return question_sides(Today(project), options.what)


def _ranking_as_json(ranked: Ranked, options: ReportOptions) -> dict[str, Any]:
    """position: the share of the decided battles that was won by the answer shown first. For a group, everything is
    about its items alone."""
    row = {"raters": ranked.side.name} | as_json(ranked.ranking)
    row |= {"position": {"first": figure(left_side(ranked.ranking.battles))}, "win_rates": matrix(ranked.ranking)}
    row["people"] = beside_row(ranked.people) if ranked.people else None
    row["style_controlled"] = _styled(ranked)
    row["recognised"] = _recognised(ranked, options)
    if options.beside is not None:
        row["beside"] = beside_row(beside(ranked.ranking, options.beside))
    return row


def _recognised(ranked: Ranked, options: ReportOptions) -> dict[str, Any] | None:
    """The number of votes by people who think they recognised a model, and the ranking without them."""
    blind_ranking = without_recognised(ranked, davidson=options.davidson)
    return None if blind_ranking is None else {"votes": blind_ranking[0], "without": as_json(blind_ranking[1])}


def _styled(ranked: Ranked) -> dict[str, Any] | None:
    style_result = styled(ranked.side, ranked.fights)
    if style_result is None:
        return None
    fitted, standings = style_result
    weights = {name: figure(weight) for name, weight in fitted.weights.items()}
    return {"models": [model_row(standing) for standing in standings], "weights": weights}


def _words(ranked: Ranked, options: ReportOptions) -> str:
    heading = f"By {ranked.side.name}" + (f", {ranked.group or 'without a group'}" if ranked.group is not None else "")
    lines = [heading, in_words(ranked.ranking)]
    position = left_side(ranked.ranking.battles)
    if position.value is not None and position.low is not None and position.high is not None:
        bounds = f"{100 * position.low:.1f}–{100 * position.high:.1f}"
        lines.append(
            f"Win rate of the first-shown answer, ties excluded: {100 * position.value:.1f} % ({bounds}), "
            f"n = {position.n}."
        )
    if position.note == ORDER_UNKNOWN:
        lines.append(f"Win rate of the first-shown answer: {position.note}")
    blind_ranking = without_recognised(ranked, davidson=options.davidson)
    if blind_ranking is not None:
        order = (
            ", ".join(standing.name for standing in blind_ranking[1].standings if standing.strength is not None)
            or "nobody"
        )
        lines.append(f"In {blind_ranking[0]} votes the voter recognised a model. Ranking without them: {order}.")
    if ranked.people and ranked.people.kendall.value is not None:
        kendall = ranked.people.kendall
        lines.append(f"Correlation with people: Kendall {kendall.value:.4f}, n = {kendall.n} authors.")
    if options.beside is not None:
        lines.append(_beside_words(beside(ranked.ranking, options.beside)))
    return "\n".join(lines)


def _beside_words(comparison: RankingComparison) -> str:
    figures = (("Kendall", comparison.kendall), ("Spearman", comparison.spearman), ("Pearson", comparison.pearson))
    value_texts = [f"{name} {_value(correlation, comparison.intervals[name.lower()])}" for name, correlation in figures]
    return f"Correlation with the other leaderboard: {', '.join(value_texts)}; n = {comparison.kendall.n} authors."


def _value(correlation: Correlation, interval: Interval | None) -> str:
    if correlation.value is None:
        return "not defined"
    return f"{correlation.value:.4f}" + (f" ({interval[0]:.4f} to {interval[1]:.4f})" if interval else "")
